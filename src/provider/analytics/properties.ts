/** The properties that an account may see, as the Admin API lists them: pure. */
import * as v from "valibot";
import { isTimeZone } from "../../lib/zone_day.ts";
import type { DiscoveredProperty, Outcome } from "../contract.ts";
import { refused } from "../fault.ts";
import { objectOf, shaped } from "../read_json.ts";

const Summary = objectOf({
  property: v.pipe(v.string(), v.regex(/^properties\/\d{1,20}$/)),
  displayName: v.optional(v.string()),
});
/** An account without properties has no list of them; that it is an account, something of it has to say. */
const Account = v.pipe(
  objectOf({
    name: v.optional(v.string()),
    account: v.optional(v.string()),
    propertySummaries: v.optional(v.array(Summary)),
  }),
  v.check((account) => Object.values(account).some((part) => part !== undefined)),
);
const Page = objectOf({
  accountSummaries: v.optional(v.array(Account)),
  nextPageToken: v.optional(v.string()),
});

export interface PropertiesPage {
  readonly properties: readonly DiscoveredProperty[];
  /** Undefined on the last page. */
  readonly nextPageToken: string | undefined;
}

/** One page. Who has no access at all gets `{}`: anything else without a list is no page. */
export function parseProperties(json: unknown): Outcome<PropertiesPage> {
  const page = shaped(json, Page);
  if (!page.ok) return page;
  const { accountSummaries, nextPageToken } = page.value;
  if (accountSummaries === undefined && Object.keys(json as object).some((key) => key !== "nextPageToken")) {
    return refused("unexpected_report");
  }
  const summaries = (accountSummaries ?? []).flatMap(({ propertySummaries = [] }) => propertySummaries);
  const properties = summaries.map(({ property, displayName }): DiscoveredProperty => {
    const id = property.slice("properties/".length);
    return {
      provider: "analytics",
      property: id,
      name: displayName || id,
      timeZone: undefined,
      usable: true,
    };
  });
  return { ok: true, value: { properties, nextPageToken: nextPageToken || undefined } };
}

const Settings = objectOf({ name: v.string(), timeZone: v.string() });

/** A property's time zone in its settings; undefined where they do not tell one that this machine knows. */
export function parseTimeZone(json: unknown, property: string): string | undefined {
  const settings = v.safeParse(Settings, json);
  if (!settings.success || settings.output.name !== `properties/${property}`) return undefined;
  return isTimeZone(settings.output.timeZone) ? settings.output.timeZone : undefined;
}

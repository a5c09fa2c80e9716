import { MOST_COUNTED, openIn, SERIES_SOURCES } from "../../flags/mod.ts";
import { sourceName } from "../../rules/mod.ts";
import { Options } from "../component/field.tsx";
import { Chips, FiltersOn } from "../component/links.tsx";
import { MonitoringNotice } from "../component/monitoring_notice.tsx";
import { Marked } from "../component/term.tsx";
import { countOf, formatCount, formatDate } from "../format.ts";
import { listHref, MARKS, NARROWINGS, type Narrowing, STATUSES } from "./query.ts";
import type { InboxView } from "./view.ts";

const STATUS_WORDS = { open: "Open", snoozed: "Snoozed", resolved: "Resolved" } as const;

const ORDERS = [
  ["worst", "Worst first"],
  ["newest", "Newest first"],
] as const;

/** Names of the filters as chips and fields say them. */
const NARROWING_WORDS: Readonly<Record<Narrowing, string>> = {
  severity: "Severity",
  kind: "Kind",
  rule: "Rule",
  asset: "Site",
  origin: "Origin",
  source: "Figures from",
  mark: "Mark",
};

/** Open flags in words, for the heading. */
function tallyWords({ tally, place }: Pick<InboxView, "tally" | "place">, now: number): string {
  const { open, sites, snoozed, nextReturn } = tally;
  const all = openIn(tally);
  const where = place.site === null && all > 0 ? ` on ${countOf(sites, "site")}` : "";
  const parts = (["error", "warn", "info"] as const)
    .filter((severity) => open[severity] > 0)
    .map((severity) => `${formatCount(open[severity])} ${severity}`);
  const detail = parts.length === 0 ? "" : `: ${parts.join(", ")}`;
  const away =
    snoozed === 0 || nextReturn === null
      ? ""
      : ` ${formatCount(snoozed)} snoozed; the next returns ${formatDate(nextReturn, now)}.`;
  return `${formatCount(all)} open${where}${detail}.${away}`;
}

/** What the browser's tab says: how many errors are open. */
export function inboxTitle({ tally, whyEmpty }: Pick<InboxView, "tally" | "whyEmpty">): string {
  if (whyEmpty?.state === "failing") return "Rules did not run";
  const { error, warn, info } = tally.open;
  if (error > 0) return `${countOf(error, "error flag")} open`;
  return warn + info === 0 ? "No open flags" : "Flags";
}

/** A value as it is shown; the address keeps the word that its links were made with. */
function choiceWords(name: Narrowing, value: string): string {
  if (name === "source") return sourceName(value) ?? "the site";
  return value === "unread" ? "not acknowledged" : value;
}

/** The counts in words, the statuses and the filters. `swap` marks it for an answer that brings it along. */
export function FlagsHead(props: {
  readonly view: InboxView;
  readonly now: number;
  readonly chance?: string | undefined;
  readonly swap?: boolean;
}) {
  const { view, now, chance } = props;
  const { query, place, counts } = view;
  return (
    <div id="flags-head" hx-swap-oob={props.swap === true ? "outerMorph" : undefined}>
      <MonitoringNotice failures={view.unwatched} now={now} />
      <p>
        {tallyWords(view, now)} {chance === undefined ? null : <Marked>{chance}</Marked>}
      </p>
      <Chips
        label="Status"
        choices={STATUSES.map((status) => ({
          href: listHref(place, { ...query, status, page: 1 }),
          chosen: status === query.status,
          words: (
            <>
              {STATUS_WORDS[status]}{" "}
              <b>
                {formatCount(counts[status])}
                {counts[status] >= MOST_COUNTED ? "+" : ""}
              </b>
            </>
          ),
        }))}
      />
      <FiltersOn
        filters={NARROWINGS.filter((name) => name !== "asset" || place.site === null).map((name) => ({
          name: NARROWING_WORDS[name],
          value: query[name] === undefined ? undefined : choiceWords(name, String(query[name])),
          href: listHref(place, { ...query, [name]: undefined, page: 1 }),
        }))}
      />
      <Chips
        label="Order"
        choices={ORDERS.map(([sort, words]) => ({
          href: listHref(place, { ...query, sort, page: 1 }),
          words,
          // What is resolved is listed newest first, whatever is chosen.
          chosen: (query.status === "resolved" ? "newest" : query.sort) === sort,
        }))}
      />
    </div>
  );
}

/** Choosing filters. It stands outside what refreshes, so that a half-made choice stays. */
export function FilterForm({ view: { query, place, choices } }: { readonly view: InboxView }) {
  const withOwn = (values: readonly string[], own: string | undefined) =>
    own === undefined || values.includes(own) ? values : [own, ...values];
  const fields: readonly (readonly [Narrowing, readonly string[]])[] = [
    ["severity", ["error", "warn", "info"]],
    ["kind", ["anomaly", "opportunity", "milestone"]],
    ["rule", withOwn(choices.rules, query.rule)],
    ...(place.site === null ? ([["asset", withOwn(choices.assets, query.asset)]] as const) : []),
    ["origin", ["site", "rule", "provider"]],
    ["source", SERIES_SOURCES],
    ["mark", MARKS],
  ];
  return (
    <details class="as-filter" id="flags-filter">
      <summary class="btn">Filter</summary>
      <form method="get" action={place.base} class="fields">
        <input type="hidden" name="status" value={query.status} />
        <input type="hidden" name="sort" value={query.sort} />
        {fields.map(([name, values]) => (
          <div class="field">
            <label for={`filter-${name}`}>{NARROWING_WORDS[name]}</label>
            <select id={`filter-${name}`} name={name}>
              <Options
                choices={[["", "any"], ...values.map((value) => [value, choiceWords(name, value)] as const)]}
                chosen={query[name] ?? ""}
              />
            </select>
          </div>
        ))}
        <div class="field">
          <button class="btn primary">Apply</button>
        </div>
      </form>
    </details>
  );
}

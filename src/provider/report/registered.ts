/** Which parameters of events a property has registered: only those can be asked for. */
import * as v from "valibot";
import type { Config } from "../../platform/config.ts";
import { ANALYTICS_SCOPE, isProperty } from "../analytics/request.ts";
import type { ProviderClient } from "../client.ts";
import type { Fault } from "../contract.ts";
import { refused } from "../fault.ts";
import type { FaultCode } from "../fault_codes.ts";
import { googleErrors } from "../google/errors.ts";
import { type Asked, askGoogle, type Question } from "../question.ts";
import { objectOf, shaped } from "../read_json.ts";

/** 200 a page: more than any property may register. */
const MOST_PAGES = 20;

const Page = objectOf({
  customDimensions: v.optional(
    v.array(objectOf({ parameterName: v.string(), scope: v.optional(v.string()) })),
  ),
  nextPageToken: v.optional(v.string()),
});

/** The parameters of events by the names under which they are sent, without `customEvent:`; those of users and items left out. */
export async function askRegistered(
  client: ProviderClient,
  property: string,
): Promise<Asked<readonly string[]>> {
  if (!isProperty(property)) return { outcome: refused("property_malformed"), requests: 0 };
  const names = new Set<string>();
  let requests = 0;
  let pageToken: string | undefined;
  for (let page = 0; page < MOST_PAGES; page++) {
    const question = registeredQuestion(client.addresses, property, pageToken);
    const asked = await askGoogle(client, ANALYTICS_SCOPE, question);
    requests += asked.requests;
    if (!asked.outcome.ok) return { outcome: { ok: false, fault: ofList(asked.outcome.fault) }, requests };
    const { json } = asked.outcome.value;
    const read = shaped(json, Page);
    if (!read.ok) return { outcome: read, requests };
    const { customDimensions, nextPageToken } = read.value;
    // Where none are registered the answer is empty: anything else without a list is none.
    const others = Object.keys(json as object).filter((key) => key !== "nextPageToken");
    if (customDimensions === undefined && others.length > 0) {
      return { outcome: refused("unexpected_report"), requests };
    }
    for (const { parameterName, scope } of customDimensions ?? []) {
      if (scope === "EVENT") names.add(parameterName);
    }
    if (!nextPageToken) return { outcome: { ok: true, value: [...names] }, requests };
    pageToken = nextPageToken;
  }
  return { outcome: refused("list_without_end"), requests };
}

/** The list is an API of its own, enabled and refused apart: what is wrong with that says nothing of the account's reports. */
const OF_LIST: ReadonlySet<FaultCode> = new Set([
  "api_disabled",
  "scope_missing",
  "wrong_address",
  "redirected",
]);

const ofList = (fault: Fault): Fault => (OF_LIST.has(fault.code) ? { ...fault, scope: "property" } : fault);

const errors = googleErrors("property_denied");

function registeredQuestion(
  addresses: Config["providers"],
  property: string,
  pageToken: string | undefined,
): Question {
  const page = pageToken === undefined ? "" : `&pageToken=${encodeURIComponent(pageToken)}`;
  return {
    url: `${addresses.analyticsAdmin}/v1beta/properties/${property}/customDimensions?pageSize=200${page}`,
    timeoutMs: 20_000,
    maxBytes: 1_048_576,
    errors,
  };
}

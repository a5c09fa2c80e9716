import { expect, test } from "bun:test";
import { readConfig } from "../../src/base/config.ts";
import { listProperties } from "../../src/providers/analytics_properties.ts";
import type { ProviderClient, Question } from "../../src/providers/client.ts";
import { refused } from "../../src/providers/faults.ts";

const client = { addresses: readConfig({}).providers } as ProviderClient;

/** Lists what `answer` tells for each address. */
async function listed(answer: (url: URL) => unknown) {
  const urls: string[] = [];
  const ask = async ({ url }: Question) => {
    urls.push(url);
    const json = answer(new URL(url));
    return {
      outcome:
        json === undefined ? refused("rate_limited") : ({ ok: true, value: { json, text: "" } } as const),
      requests: 1,
    };
  };
  const { outcome, requests } = await listProperties(client, ask);
  expect(requests).toBe(urls.length);
  return { urls, outcome, properties: outcome.ok ? outcome.value.map(({ name }) => name) : [] };
}

const unnamed = (id: string) => ({ property: `properties/${id}`, displayName: "" });
const page = (ids: readonly string[], nextPageToken?: string) => ({
  accountSummaries: [{ name: "accountSummaries/1", propertySummaries: ids.map(unnamed) }],
  ...(nextPageToken === undefined ? {} : { nextPageToken }),
});
const isList = ({ pathname }: URL) => pathname.endsWith("/accountSummaries");

test("pages are followed to the last; a property that stands on two is one", async () => {
  const pages: Readonly<Record<string, unknown>> = {
    "": page(["1", "2"], "a/b c"),
    "a/b c": page(["2", "3"], "last"),
    last: page(["4"]),
  };
  const { properties, urls } = await listed((url) =>
    isList(url) ? pages[url.searchParams.get("pageToken") ?? ""] : {},
  );
  expect(properties).toEqual(["1", "2", "3", "4"]);
  expect(urls.slice(0, 2)).toEqual([
    "https://analyticsadmin.googleapis.com/v1beta/accountSummaries?pageSize=200",
    "https://analyticsadmin.googleapis.com/v1beta/accountSummaries?pageSize=200&pageToken=a%2Fb%20c",
  ]);
});

test("a page that leads back to one that was read, and pages without end, make no list", async () => {
  const twice = await listed((url) => page(["1"], url.searchParams.get("pageToken") === "a" ? "b" : "a"));
  expect([twice.outcome, twice.urls.length]).toEqual([refused("list_without_end"), 3]);
  let nth = 0;
  const endless = await listed(() => page([String(nth)], String(nth++)));
  expect([endless.outcome, endless.urls.length]).toEqual([refused("list_without_end"), 100]);
});

test("a page that cannot be had is no list: what came before it would be told as all there is", async () => {
  const { outcome } = await listed((url) =>
    url.searchParams.has("pageToken") ? undefined : page(["1"], "a"),
  );
  expect(outcome).toEqual(refused("rate_limited"));
});

test("calendars are asked for where they are few, until one is refused", async () => {
  const ids = (count: number) => Array.from({ length: count }, (_, nth) => String(nth + 1));
  const few = await listed((url) =>
    isList(url) ? page(ids(100)) : { name: url.pathname.slice(8), timeZone: "UTC" },
  );
  expect(few.urls).toHaveLength(101);
  expect(few.outcome.ok && few.outcome.value.every(({ timeZone }) => timeZone === "UTC")).toBe(true);
  expect((await listed((url) => (isList(url) ? page(ids(101)) : {}))).urls).toHaveLength(1);
  const refusing = await listed((url) => (isList(url) ? page(ids(100)) : undefined));
  expect(refusing.properties).toHaveLength(100);
  expect(refusing.urls.length).toBeLessThanOrEqual(5);
});

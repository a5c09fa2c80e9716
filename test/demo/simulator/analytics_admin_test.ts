/** The simulated Admin API of analytics: which properties there are, in pages, their time zones and their parameters. */

import { afterAll, beforeEach, expect, test } from "bun:test";
import { startSimulators } from "../../../src/demo/simulator/simulators.ts";
import { authorized, told } from "../../support/simulated_google.ts";

const NOW = Date.UTC(2026, 10, 22, 8);
const simulators = startSimulators({
  now: () => NOW,
  seed: 1,
  world: {
    sites: Array.from({ length: 5 }, (_, place) => ({
      name: `site-${place}.example`,
      visitsPerDay: 10,
      firstDay: 20_000,
      analytics: {
        property: String(1_000 + place),
        account: String(100 + Math.floor(place / 2)),
        timeZone: "Asia/Tokyo",
        zoneChanges: place === 1 ? [{ zone: "Europe/Berlin", since: NOW }] : [],
        customDimensions: place === 0 ? ["error_message", "error_source", "build"] : [],
      },
    })),
    accounts: [{ name: "tower" }, { name: "nobody", sites: [] }],
  },
});
const headers = await authorized(simulators, NOW);
afterAll(() => simulators.stop());
beforeEach(() => simulators.calm());
const get = (path: string, own = headers) =>
  told(fetch(`${simulators.urls.analyticsAdmin}/v1beta/${path}`, { headers: own }));

interface Page {
  readonly accountSummaries?: readonly {
    readonly account: string;
    readonly propertySummaries?: readonly { readonly property: string }[];
  }[];
  readonly nextPageToken?: string;
}

/** Reads pages until there is no next one, at most ten. */
async function pages(query: string): Promise<string[][]> {
  const seen: string[][] = [];
  for (let token: string | undefined = ""; token !== undefined && seen.length < 10; ) {
    const page = (await get(`accountSummaries?${query}&pageToken=${token}`))[1] as Page;
    seen.push(
      (page.accountSummaries ?? []).flatMap(({ propertySummaries = [] }) =>
        propertySummaries.map(({ property }) => property),
      ),
    );
    token = page.nextPageToken;
  }
  return seen;
}

test("properties come by their accounts, in pages of so many accounts", async () => {
  const of = (...numbers: readonly number[]) => numbers.map((number) => `properties/${number}`);
  expect(await pages("pageSize=2")).toEqual([of(1_000, 1_001, 1_002, 1_003), of(1_004)]);
  expect((await pages("")).length).toBe(1);
  expect((await pages("pageSize=1000")).length).toBe(1);
});

test("pages can be made to go on for ever", async () => {
  simulators.script({ kind: "endless-pages" }, { times: 20 });
  expect((await pages("pageSize=200")).length).toBe(10);
});

test("who sees nothing gets an empty object, and no time zone stands in the list", async () => {
  expect(await get("accountSummaries", await authorized(simulators, NOW, { account: "nobody" }))).toEqual([
    200,
    {},
  ]);
  expect(JSON.stringify(await get("accountSummaries"))).not.toContain("Tokyo");
});

test("a property tells its time zone of now", async () => {
  expect(await get("properties/1000")).toMatchObject([
    200,
    { name: "properties/1000", timeZone: "Asia/Tokyo" },
  ]);
  expect(await get("properties/1001")).toMatchObject([200, { timeZone: "Europe/Berlin" }]);
  expect(await get("properties/77")).toMatchObject([
    403,
    { error: { message: "The caller does not have permission", status: "PERMISSION_DENIED" } },
  ]);
});

test("registered parameters come in pages, and none of them is an empty object", async () => {
  const [, page] = await get("properties/1000/customDimensions?pageSize=2");
  expect(page).toMatchObject({
    customDimensions: [
      { name: "properties/1000/customDimensions/1", parameterName: "error_message", scope: "EVENT" },
      { parameterName: "error_source" },
    ],
    nextPageToken: expect.any(String),
  });
  expect(await get("properties/1001/customDimensions")).toEqual([200, {}]);
  expect((await get("properties/1000/customDimensions/9"))[0]).toBe(404);
});

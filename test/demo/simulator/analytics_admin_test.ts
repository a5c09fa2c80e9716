/** The simulated Admin API of analytics, each answer recorded: which properties there are, in pages, their time zones and their parameters. */

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

/** Reads pages until there is no next one, at most ten, and counts them. */
async function pages(query: string): Promise<number> {
  let token: unknown = "";
  for (let read = 1; ; read++) {
    token = (await get(`accountSummaries?${query}&pageToken=${token}`))[1]["nextPageToken"];
    if (token === undefined || read === 10) return read;
  }
}

test("properties come by their accounts, in pages of so many accounts", async () => {
  expect([await pages("pageSize=2"), await pages(""), await pages("pageSize=1000")]).toEqual([2, 1, 1]);
});

test("pages can be made to go on for ever", async () => {
  simulators.script({ kind: "endless-pages" }, { times: 20 });
  expect(await pages("pageSize=200")).toBe(10);
});

test("who sees nothing gets an empty object, and no time zone stands in the list", async () => {
  await get("accountSummaries", await authorized(simulators, NOW, { account: "nobody" }));
  await get("accountSummaries");
});

test("a property tells its time zone of now", async () => {
  for (const property of [1_000, 1_001, 77]) await get(`properties/${property}`);
});

test("registered parameters come in pages, and none of them is an empty object", async () => {
  await get("properties/1000/customDimensions?pageSize=2");
  await get("properties/1001/customDimensions");
  await get("properties/1000/customDimensions/9");
});

/** Simulated webmaster tools, each answer recorded: the key in the address, days by their moments, errors under 400 and under 200, and the door that stays shut. */

import { afterAll, beforeEach, describe, expect, test } from "bun:test";
import { startSimulators } from "../../../src/demo/simulator/simulators.ts";
import type { DateForm, SimulatedSite } from "../../../src/demo/simulator/world.ts";
import { recorded } from "../../support/simulated_google.ts";

const DAY_MS = 86_400_000;
const START = Date.UTC(2026, 10, 22, 2, 30);
let now = START;
const FORMS: readonly DateForm[] = ["pacific", "utc-with-offset", "utc"];
const simulators = startSimulators({
  now: () => now,
  seed: 5,
  world: {
    sites: [
      ...FORMS.map(
        (dateForm): SimulatedSite => ({
          name: `${dateForm}.example`,
          visitsPerDay: 900,
          firstDay: Math.floor(START / DAY_MS) - 300,
          webmasterTools: { property: `https://${dateForm}.example/`, dateForm },
        }),
      ),
      ...(["list", "null"] as const).map(
        (empty): SimulatedSite => ({
          name: `${empty}.example`,
          visitsPerDay: 0,
          firstDay: 20_000,
          webmasterTools: { property: `https://${empty}.example/`, empty },
        }),
      ),
      {
        name: "unverified.example",
        visitsPerDay: 10,
        firstDay: 20_000,
        webmasterTools: { property: "https://unverified.example/", verified: false },
      },
    ],
    accounts: [{ name: "tower" }, { name: "other", sites: [] }],
  },
});
afterAll(() => simulators.stop());
beforeEach(() => {
  now = START;
  simulators.calm();
});

const asked = (method: string, site?: string, key = simulators.webmasterKey()) => {
  const query = new URLSearchParams({ apikey: key, ...(site === undefined ? {} : { siteUrl: site }) });
  return recorded(fetch(`${simulators.urls.webmasterTools}/webmaster/api.svc/json/${method}?${query}`));
};
const DAYS = "GetRankAndTrafficStats";

test("a key has 32 hexadecimal characters, and one that nobody has is refused", async () => {
  expect(simulators.webmasterKey()).toMatch(/^[0-9a-f]{32}$/);
  await asked("GetUserSites", undefined, "0".repeat(32));
  await asked("GetUserSites", undefined, simulators.webmasterKey("other"));
});

test("the list of sites says which are verified, beside two secrets of the user", async () => {
  await asked("GetUserSites", "");
});

test.each([["https://unverified.example/"], ["https://pacific.example"], ["https://elsewhere.example/"]])(
  "%s is not authorized: unverified, misspelt and unknown alike",
  async (site) => {
    await asked(DAYS, site);
  },
);

test.each(["GetCrawlStats", "GetCrawlIssues", "GetFeeds", "GetQueryStats", "GetPageStats"])(
  "%s has its fields: pages stand under Query, a position without clicks is -1, never is a moment of long ago",
  async (method) => {
    await asked(method, "https://pacific.example/");
  },
);

describe("errors", () => {
  test.each([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 18])(
    "code %d under 400 and 200, as a number and a text",
    async (number) => {
      for (const status of [400, 200]) {
        for (const error of [`${number}`, `${number}-text`]) {
          simulators.script({ kind: "error", error, status });
          await asked("GetUserSites");
        }
      }
    },
  );

  test("the gateway answers with a page of its own, also under 200", async () => {
    for (const status of [200, 503]) {
      simulators.script({ kind: "html", status });
      await asked("GetUserSites");
    }
  });

  test("an answer may be a JSON text within a text", async () => {
    simulators.script({ kind: "bent", bend: (answer: unknown) => JSON.stringify(answer) });
    await asked("GetUserSites");
  });
});

test("what is kept of a request holds no key", async () => {
  simulators.forget();
  await asked(DAYS, "https://utc.example/");
  expect(simulators.log).toMatchSnapshot();
});

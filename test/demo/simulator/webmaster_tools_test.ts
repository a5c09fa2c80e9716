/** Simulated webmaster tools: the key in the address, days by their moments, errors under 400 and under 200, and the door that stays shut. */

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

interface Told {
  readonly d?: readonly Readonly<Record<string, unknown>>[] | null;
  readonly ErrorCode?: number | string;
}
const asked = async (method: string, site: string | undefined, key = simulators.webmasterKey()) => {
  const query = new URLSearchParams({ apikey: key, ...(site === undefined ? {} : { siteUrl: site }) });
  return recorded(fetch(`${simulators.urls.webmasterTools}/webmaster/api.svc/json/${method}?${query}`));
};
const list = async (method: string, site: string) =>
  ((await (await asked(method, site)).json()) as Told).d ?? [];
const code = async (answer: Response) => [answer.status, ((await answer.json()) as Told).ErrorCode];
const momentOf = (text: unknown) => Number(/^\/Date\((-?\d+)([+-]\d{4})?\)\/$/.exec(String(text))?.[1]);
const DAYS = "GetRankAndTrafficStats";

test("a key has 32 hexadecimal characters, and one that nobody has is refused", async () => {
  expect(simulators.webmasterKey()).toMatch(/^[0-9a-f]{32}$/);
  expect(await code(await asked("GetUserSites", undefined, "0".repeat(32)))).toEqual([400, 3]);
  expect(await (await asked("GetUserSites", undefined, simulators.webmasterKey("other"))).json()).toEqual({
    d: [],
  });
});

test("the list of sites says which are verified, beside two secrets of the user", async () => {
  const sites = await list("GetUserSites", "");
  expect(sites.map(({ IsVerified }) => IsVerified)).toEqual([true, true, true, true, true, false]);
  expect(Object.keys(sites[0] ?? {}).sort()).toEqual([
    "AuthenticationCode",
    "DnsVerificationCode",
    "IsVerified",
    "Url",
    "__type",
  ]);
});

test.each([["https://unverified.example/"], ["https://pacific.example"], ["https://elsewhere.example/"]])(
  "%s is not authorized: unverified, misspelt and unknown alike",
  async (site) => {
    expect(await code(await asked(DAYS, site))).toEqual([400, 14]);
  },
);

describe("days", () => {
  test.each([
    ["pacific", "-0800"],
    ["utc-with-offset", "-0800"],
    ["utc", ""],
  ])(
    "written %s are the UTC day of their moment, up to three days ago, in no order",
    async (form, offset) => {
      const answer = await (await asked(DAYS, `https://${form}.example/`)).text();
      expect(answer).toContain('"\\/Date(');
      const texts = ((JSON.parse(answer) as Told).d ?? []).map(({ Date: text }) => String(text));
      const moments = texts.map(momentOf);
      const days = moments.map((moment) => Math.floor(moment / DAY_MS));
      const today = Math.floor(START / DAY_MS);
      expect(Math.max(...days)).toBe(today - 3);
      expect(new Set(days).size).toBe(days.length);
      expect(days).not.toEqual([...days].sort((one, other) => one - other));
      const newest = texts[days.indexOf(today - 3)] ?? "";
      expect(newest.slice(newest.indexOf("(") + 14, -2)).toBe(offset);
    },
  );

  test("tell more of the newest one as the next one comes", async () => {
    const of = async () => {
      const all = await list(DAYS, "https://utc.example/");
      const wanted = Math.floor(START / DAY_MS) - 3;
      return Number(
        all.find(({ Date: text }) => Math.floor(momentOf(text) / DAY_MS) === wanted)?.["Impressions"],
      );
    };
    const before = await of();
    now = START + DAY_MS;
    expect(await of()).toBeGreaterThan(before);
  });

  test.each([
    ["list", []],
    ["null", null],
  ])("of which there are none come as an empty %s", async (empty, d) => {
    expect(await (await asked(DAYS, `https://${empty}.example/`)).json()).toEqual({ d });
  });
});

test.each([
  ["GetCrawlStats", ["Code2xx", "CrawledPages", "Date", "InIndex", "InLinks"]],
  ["GetCrawlIssues", ["HttpCode", "InLinks", "Issues", "Url"]],
  ["GetFeeds", ["LastCrawled", "Status", "Submitted", "Type", "Url", "UrlCount"]],
  ["GetQueryStats", ["AvgClickPosition", "Clicks", "Date", "Impressions", "Query"]],
  ["GetPageStats", ["AvgClickPosition", "Clicks", "Date", "Impressions", "Query"]],
])("%s has its fields", async (method, fields) => {
  const [first] = await list(method, "https://pacific.example/");
  expect(fields.filter((field) => !(field in (first ?? {})))).toEqual([]);
});

test("pages stand under Query, a position without clicks is -1, and never is a moment of long ago, in three ways", async () => {
  const [page] = await list("GetPageStats", "https://pacific.example/");
  expect(page?.["Query"]).toBe("https://pacific.example/");
  const positions = (await list("GetQueryStats", "https://pacific.example/")).filter(
    ({ Clicks }) => Clicks === 0,
  );
  expect(positions.every(({ AvgClickPosition }) => AvgClickPosition === -1)).toBe(true);
  const feeds = await list("GetFeeds", "https://pacific.example/");
  expect(feeds.map(({ Submitted }) => momentOf(Submitted))).toEqual([
    -62_135_568_000_000, -62_135_596_800_000, -11_644_473_600_000,
  ]);
});

describe("errors", () => {
  test.each([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 18])(
    "code %d under 400 and 200, as a number and a text",
    async (number) => {
      for (const status of [400, 200]) {
        for (const [error, seen] of [
          [`${number}`, number],
          [`${number}-text`, `${number}`],
        ] as const) {
          simulators.script({ kind: "error", error, status });
          expect(await code(await asked("GetUserSites", undefined))).toEqual([status, seen]);
        }
      }
    },
  );

  test("a throttled door stays shut while it is called, and opens when it was left alone", async () => {
    simulators.script({ kind: "throttled", code: 4, quietMs: 3_600_000 });
    const at = async (minutes: number) => {
      now = START + minutes * 60_000;
      return code(await asked("GetUserSites", undefined));
    };
    expect([await at(0), await at(50), await at(100), await at(159)]).toEqual(Array(4).fill([400, 4]));
    expect(await at(219)).toEqual([200, undefined]);
  });

  test("the gateway answers with a page of its own, also under 200", async () => {
    for (const status of [200, 503]) {
      simulators.script({ kind: "html", status });
      const answer = await asked("GetUserSites", undefined);
      expect([answer.status, await answer.text()]).toEqual([
        status,
        expect.stringContaining("aren't available"),
      ]);
    }
  });

  test("an answer may be a JSON text within a text", async () => {
    simulators.script({ kind: "bent", bend: (answer: unknown) => JSON.stringify(answer) });
    const text = (await (await asked("GetUserSites", undefined)).json()) as string;
    expect(Object.keys(JSON.parse(text) as object)).toEqual(["d"]);
  });
});

test("what is kept of a request holds no key", async () => {
  simulators.forget();
  await asked(DAYS, "https://utc.example/");
  expect(simulators.log).toEqual([
    {
      server: "webmasterTools",
      method: "GET",
      path: `/webmaster/api.svc/json/${DAYS}`,
      operation: DAYS,
      property: "https://utc.example/",
      at: START,
      body: "",
      status: 200,
      fault: undefined,
    },
  ]);
});

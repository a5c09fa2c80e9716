/** Questions for reports to the simulated providers, over real HTTP: what is sent, what comes of it, and what ends it. */

import { afterAll, beforeEach, describe, expect, test } from "bun:test";
import { symlinkSync } from "node:fs";
import { SpoolFault } from "../../src/base/files.ts";
import { dayNumber, type UtcDay } from "../../src/base/time.ts";
import { startSimulators } from "../../src/demo/simulator/simulators.ts";
import type { SimulatedSite } from "../../src/demo/simulator/world.ts";
import type { Provider } from "../../src/providers/adapter.ts";
import { REPORT_FAMILIES } from "../../src/providers/report_families.ts";
import { FakeClock } from "../support/clock.ts";
import { promptHttp } from "../support/http.ts";
import { type AskedChange, familyOf, simulatedReports } from "../support/simulated_reports.ts";

const START = "2026-11-22T12:15:00Z";
const DAY = dayNumber("2026-11-18" as UtcDay);
const clock = new FakeClock(START);
const site = (
  name: string,
  property: string,
  change: Partial<SimulatedSite> = {},
): SimulatedSite & Required<Pick<SimulatedSite, "analytics" | "searchConsole" | "webmasterTools">> => ({
  name,
  visitsPerDay: 4_000,
  firstDay: DAY - 400,
  ...change,
  analytics: {
    property,
    timeZone: "Europe/Paris",
    customDimensions: ["error_message", "error_source"],
    ...change.analytics,
  },
  searchConsole: {
    property: `sc-domain:${name}`,
    appearances: ["AMP_BLUE_LINK", "VIDEO", "REVIEW_SNIPPET"],
    ...change.searchConsole,
  },
  webmasterTools: { property: `https://${name}/`, ...change.webmasterTools },
});
const HARBOR = site("harbor.example", "1001");
const QUIET = site("quiet.example", "1002", {
  firstDay: DAY - 600,
  lastDay: DAY - 500,
  searchConsole: { property: "sc-domain:quiet.example", appearances: [] },
  webmasterTools: { property: "https://quiet.example/", empty: "null", crawlIssues: [], feeds: [] },
});
/** More rows of a day than one page, and than there may be, at search console; pages of a hundred rows at analytics. */
const LARGE = site("large.example", "1003", {
  visitsPerDay: 2_000_000,
  analytics: { property: "1003", timeZone: "Europe/Paris", pages: 60, mostRows: 100 },
  searchConsole: { property: "sc-domain:large.example", pages: 9_000, queries: 500 },
});
const HUGE = site("huge.example", "1004", {
  visitsPerDay: 9_000_000,
  searchConsole: { property: "sc-domain:huge.example", pages: 20_000, queries: 500 },
});
const simulators = startSimulators({
  now: () => clock.now(),
  seed: 11,
  world: { sites: [HARBOR, QUIET, LARGE, HUGE] },
});
const reports = await simulatedReports(simulators, clock);
afterAll(() => {
  simulators.stop();
  reports.close();
});
beforeEach(() => {
  clock.at(START);
  simulators.calm();
  simulators.forget();
});

const propertyOf = ({ analytics, searchConsole, webmasterTools }: typeof HARBOR, provider: Provider) =>
  ({
    analytics: analytics.property,
    "search-console": searchConsole.property,
    "webmaster-tools": webmasterTools.property,
  })[provider];

const ask = (provider: Provider, name: string, of = HARBOR, change?: AskedChange, day = DAY) =>
  reports.try(familyOf(provider, name), propertyOf(of, provider), day, change);

type Sent = Readonly<Record<string, unknown>>;
/** The bodies of the questions so far, those for tokens left out. */
const sent = (): readonly Sent[] =>
  simulators.log
    .filter(({ server }) => server !== "token")
    .map(({ body }) => (body === "" ? {} : (JSON.parse(body) as Sent)));

test("every family is asked for by its columns, in an order without ties; recorded", async () => {
  for (const { provider, name } of REPORT_FAMILIES) {
    simulators.forget();
    const { requests } = await ask(provider, name);
    const [asked = {}] = sent();
    const { operation, property } = simulators.log.at(-1) ?? {};
    expect({ name, operation, property, requests, asked }).toMatchSnapshot();
  }
});

test("every family is asked for and read: each row has the keys and figures of its family", async () => {
  for (const family of REPORT_FAMILIES) {
    const { read, rows, fault, raw } = await ask(family.provider, family.name);
    expect([family.name, fault, raw?.cut]).toEqual([family.name, undefined, undefined]);
    expect([family.name, read?.ok && read.value.rows]).toEqual([family.name, rows.length]);
    expect([family.name, rows.length > 0]).toEqual([family.name, true]);
    for (const { keys, values } of rows) {
      expect([keys.length, values.length]).toEqual([family.dimensions.length, family.metrics.length]);
    }
    expect(read).toMatchObject({ ok: true, value: { content: expect.stringMatching(/^[0-9a-f]{32}$/) } });
  }
  expect(reports.files()).toEqual([]);
});

describe("search console", () => {
  test("is asked on until a page has fewer rows than were asked for", async () => {
    const { rows, bodies, raw } = await ask("search-console", "page-query", LARGE);
    expect(sent().map(({ startRow, rowLimit }) => [startRow, rowLimit])).toEqual([
      [0, 25_000],
      [25_000, 25_000],
    ]);
    expect(rows.length).toBe(27_000);
    expect(raw?.pages.map(({ offset, bytes }) => [offset, bytes])).toEqual([
      [0, bodies[0]?.length ?? 0],
      [25_000, bodies[1]?.length ?? 0],
    ]);
  });

  test("ends at fifty thousand rows of a day: they are the top ones, and whole", async () => {
    const { rows, read, raw } = await ask("search-console", "page-query", HUGE);
    expect(sent().map(({ startRow }) => startRow)).toEqual([0, 25_000]);
    expect([rows.length, raw?.cut]).toEqual([50_000, undefined]);
    expect(read).toMatchObject({ ok: true, value: { notes: ["top_rows"] } });
  });

  test("is asked for one row more than is taken, so that a report of just as many rows is whole", async () => {
    const whole = await ask("search-console", "page");
    const bytes = 1_000_000;
    const many = whole.rows.length;
    const exact = await ask("search-console", "page", HARBOR, { bounds: { rows: many, bytes } });
    expect([exact.raw?.cut, exact.rows.length]).toEqual([undefined, many]);
    const over = await ask("search-console", "page", HARBOR, { bounds: { rows: many - 1, bytes } });
    expect(over.raw?.cut).toEqual({ by: "rows" });
    simulators.forget();
    const paged = await ask("search-console", "page-query", LARGE, { bounds: { rows: 25_000, bytes: 1e8 } });
    expect(sent().map(({ startRow, rowLimit }) => [startRow, rowLimit])).toEqual([
      [0, 25_000],
      [25_000, 1],
    ]);
    expect(paged.raw?.cut).toEqual({ by: "rows" });
  });

  test("is asked for the pages of each appearance after the appearances", async () => {
    const { rows, raw, requests } = await ask("search-console", "search-appearance-pages");
    const [first, ...others] = sent();
    expect([first, requests]).toMatchObject([{ dimensions: ["searchAppearance"] }, 5]);
    expect(first).not.toHaveProperty("dimensionFilterGroups");
    const filter = (expression: string) => ({
      dimensions: ["page"],
      dimensionFilterGroups: [
        { groupType: "and", filters: [{ dimension: "searchAppearance", operator: "equals", expression }] },
      ],
    });
    expect(others).toMatchObject(["AMP_BLUE_LINK", "VIDEO", "REVIEW_SNIPPET"].map(filter));
    expect([...new Set(rows.map(({ keys }) => keys[0]))]).toEqual([
      "AMP_BLUE_LINK",
      "VIDEO",
      "REVIEW_SNIPPET",
    ]);
    expect(raw?.pages.map(({ step, value }) => [step, value])).toMatchSnapshot();
    simulators.forget();
    const none = await ask("search-console", "search-appearance-pages", QUIET);
    expect([sent().length, none.fault, none.rows]).toEqual([1, undefined, []]);
  });

  test("of more appearances than there are kinds is cut: each is a question", async () => {
    const many = (answer: object) => ({
      ...answer,
      rows: Array.from({ length: 202 }, (_, place) => ({
        keys: [`KIND_${place}`],
        clicks: 1,
        impressions: 1,
        ctr: 1,
        position: 1,
      })),
    });
    simulators.script({ kind: "bent", bend: many }, { asking: '["searchAppearance"]' });
    const { raw, requests } = await ask("search-console", "search-appearance-pages", QUIET);
    expect([raw?.cut, requests]).toEqual([{ by: "rows" }, 202]);
  });

  test("of an appearance that fails is incomplete, and the others are asked for all the same", async () => {
    simulators.script({ kind: "error", error: "internal" }, { asking: '"VIDEO"', times: 3 });
    const { raw, rows, read } = await ask("search-console", "search-appearance-pages");
    expect(raw?.cut).toMatchObject({ by: "fault", fault: { code: "provider_failed" } });
    expect([...new Set(rows.map(({ keys }) => keys[0]))]).toEqual(["AMP_BLUE_LINK", "REVIEW_SNIPPET"]);
    expect(read).toMatchObject({ ok: true, value: { rows: rows.length } });
    simulators.calm();
    simulators.forget();
    simulators.script({ kind: "error", error: "qps-429" }, { asking: '"AMP_BLUE_LINK"' });
    const limited = await ask("search-console", "search-appearance-pages");
    // Asking on would keep closed what is closed.
    expect([limited.raw?.cut, sent().length]).toMatchObject([{ fault: { code: "rate_limited" } }, 2]);
    simulators.script({ kind: "error", error: "internal" }, { operation: "query", times: 3 });
    const first = await ask("search-console", "search-appearance-pages");
    expect(first.fault).toBe("provider_error provider_failed");
  });
});

describe("analytics", () => {
  test("is asked for errors of scripts by the property's own events and parameters", async () => {
    const errorEvents = { events: ["oops"], message: "error_source", source: "error_message" };
    await ask("analytics", "js-errors", HARBOR, { errorEvents });
    expect(sent()).toMatchSnapshot();
  });

  test("rejects a parameter that is not registered, in each of its forms", async () => {
    for (const message of ["stack_of_the_error", "error_messages"]) {
      simulators.forget();
      const errorEvents = { events: ["exception"], message, source: "error_source" };
      const { fault } = await ask("analytics", "js-errors", HARBOR, { errorEvents });
      expect(fault).toBe("configuration analytics_custom_dimension_unregistered");
      expect(sent().length).toBe(1);
    }
    expect(reports.files()).toEqual([]);
  });

  test("is asked on from the rows that came until there are as many as it says", async () => {
    const { rows, raw, read } = await ask("analytics", "page-events", LARGE);
    expect(sent().map(({ offset }) => offset)).toEqual(["0", "100", "200", "300", "400"]);
    expect(rows.length).toBe(480);
    expect(raw?.pages.map(({ offset }) => offset)).toEqual([0, 100, 200, 300, 400]);
    const { analytics } = LARGE;
    delete analytics.mostRows;
    const whole = await ask("analytics", "page-events", LARGE);
    analytics.mostRows = 100;
    expect(whole.raw?.pages.length).toBe(1);
    expect(whole.rows).toEqual(rows);
    expect(whole.read).toEqual(read as NonNullable<typeof read>);
  });

  test("with more rows than are taken is cut there; of just as many it is whole", async () => {
    const bytes = 1_000_000;
    const exact = await ask("analytics", "page-events", LARGE, { bounds: { rows: 480, bytes } });
    expect([exact.raw?.cut, exact.rows.length, exact.fault]).toEqual([undefined, 480, undefined]);
    simulators.forget();
    const over = await ask("analytics", "page-events", LARGE, { bounds: { rows: 150, bytes } });
    expect(sent().map(({ offset, limit }) => [offset, limit])).toEqual([
      ["0", "150"],
      ["100", "50"],
    ]);
    expect([over.raw?.cut, over.rows.length, over.fault]).toEqual([{ by: "rows" }, 150, undefined]);
  });

  test("whose later page fails is cut there", async () => {
    simulators.script({ kind: "reset" }, { asking: '"offset":"200"', times: 3 });
    const { raw, rows, fault } = await ask("analytics", "page-events", LARGE);
    expect(raw?.cut).toMatchObject({ by: "fault", fault: { category: "network", code: "connection_lost" } });
    expect([rows.length, fault]).toEqual([200, undefined]);
  });

  test("that gives no more rows though it says that there are is not asked for ever", async () => {
    const none = (answer: object) => ({ ...answer, rows: undefined });
    simulators.script({ kind: "bent", bend: none }, { asking: '"offset":"100"' });
    const { fault, raw } = await ask("analytics", "page-events", LARGE);
    expect([fault, raw?.pages.length]).toEqual(["incomplete_report rows_missing", 2]);
  });
});

describe("webmaster tools", () => {
  test("that put JSON in a string of JSON say the same", async () => {
    const wrapped = (answer: unknown) => JSON.stringify(answer);
    const plain = await ask("webmaster-tools", "rank-traffic");
    simulators.script({ kind: "bent", bend: wrapped }, { operation: "GetRankAndTrafficStats" });
    const twice = await ask("webmaster-tools", "rank-traffic");
    expect(twice.rows.length).toBeGreaterThan(300);
    expect(twice.read).toEqual(plain.read as NonNullable<typeof plain.read>);
  });

  test("with more rows than are taken are cut", async () => {
    const { raw } = await ask("webmaster-tools", "feeds", HARBOR, { bounds: { rows: 2, bytes: 100_000 } });
    expect(raw?.cut).toEqual({ by: "rows" });
  });
});

describe("a report", () => {
  test("of more bytes than are taken is cut there, in whichever page that is", async () => {
    const whole = await ask("analytics", "page-events", LARGE);
    const first = whole.raw?.pages[0]?.bytes ?? 0;
    const bounds = { rows: 1_000, bytes: first + 500 };
    const { raw, rows, fault } = await ask("analytics", "page-events", LARGE, { bounds });
    expect([raw?.cut, raw?.pages.map(({ bytes }) => bytes), fault]).toEqual([
      { by: "bytes" },
      [first, 500],
      undefined,
    ]);
    expect(rows.length).toBeGreaterThan(100);
    const small = await ask("search-console", "page", HARBOR, { bounds: { rows: 1_000, bytes: 700 } });
    expect([small.raw?.cut, small.bodies.join("").length, small.fault]).toEqual([
      { by: "bytes" },
      700,
      undefined,
    ]);
    const exact = await ask("webmaster-tools", "crawl-stats");
    const bytes = exact.bodies[0]?.length ?? 0;
    const same = await ask("webmaster-tools", "crawl-stats", HARBOR, { bounds: { rows: 1_000, bytes } });
    expect([same.raw?.cut, same.rows.length]).toEqual([undefined, exact.rows.length]);
  });

  test("that is given up half way is none, and leaves no file", async () => {
    const abort = new AbortController();
    const patient = promptHttp(clock);
    const client = {
      signal: abort.signal,
      http: {
        request: (request: Parameters<typeof patient.request>[0]) => {
          if (String(request.body).includes('"offset":"200"')) abort.abort();
          return patient.request(request);
        },
      },
    };
    const { fault } = await ask("analytics", "page-events", LARGE, { client });
    expect([fault, reports.files()]).toEqual(["monitoring_failure stopped", []]);
  });

  test("that cannot be written is thrown as a fault of the spool, and leaves no file", async () => {
    const next = Number(reports.spool.file().split("/").at(-1)) + 2;
    symlinkSync("/dev/full", `${reports.folder}/spool/${next}`);
    const fault = await ask("analytics", "page-events", LARGE).catch((error: unknown) => error);
    expect(fault).toBeInstanceOf(SpoolFault);
    expect(reports.files()).toEqual([]);
  });

  test("holds no secret, whatever the provider writes into it", async () => {
    let token = "";
    const patient = promptHttp(clock);
    const client = {
      http: {
        request: (request: Parameters<typeof patient.request>[0]) => {
          token = request.headers?.["authorization"]?.slice("Bearer ".length) ?? token;
          return patient.request(request);
        },
      },
    };
    const { client_email: email, private_key: key } = JSON.parse(simulators.serviceAccount()) as Record<
      "client_email" | "private_key",
      string
    >;
    const echoing = (answer: object) => ({ ...answer, echo: { token, email, key } });
    for (const [provider, name] of [
      ["analytics", "events"],
      ["search-console", "page"],
    ] as const) {
      simulators.script({ kind: "bent", bend: echoing }, { property: propertyOf(HARBOR, provider) });
      const { bodies, fault } = await ask(provider, name, HARBOR, { client });
      const [body = ""] = bodies;
      expect([fault, token.length > 20]).toEqual([undefined, true]);
      expect((JSON.parse(body) as { echo: object }).echo).toMatchObject({
        token: "[secret]",
        email: "[secret]",
      });
      for (const secret of [token, email, ...key.split("\n").slice(1, -2)])
        expect(body).not.toContain(secret);
    }
    const apiKey = simulators.webmasterKey();
    const withKey = (answer: object) => ({ ...answer, asked: `?apikey=${apiKey}&x` });
    simulators.script({ kind: "bent", bend: withKey }, { operation: "GetFeeds" });
    const [body = ""] = (await ask("webmaster-tools", "feeds")).bodies;
    expect(JSON.parse(body)).toMatchObject({ asked: "?apikey=[secret]&x" });
  });

  test("of a property that can be none is not asked for, nor with a credential of another kind", async () => {
    const google = familyOf("search-console", "page");
    for (const [family, property] of [
      [familyOf("analytics", "events"), "properties/1001"],
      [google, ""],
      [google, "x\n"],
      [familyOf("webmaster-tools", "feeds"), "x".repeat(3_000)],
    ] as const) {
      expect((await reports.try(family, property, DAY)).fault).toBe("configuration property_malformed");
    }
    expect(sent()).toEqual([]);
  });
});

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

/** Asks for a report, and records which pages were asked for, what came of it and where it ends; no file is left of it. */
async function recorded(...asked: Parameters<typeof ask>) {
  simulators.forget();
  const tried = await ask(...asked);
  const { requests, raw, rows, read, fault } = tried;
  const questions = sent().map(({ startRow, rowLimit, offset, limit, dimensions, dimensionFilterGroups }) =>
    JSON.stringify({ startRow, rowLimit, offset, limit, dimensions, dimensionFilterGroups }),
  );
  const pages = raw?.pages.map(({ step, value, bytes }) => `${step} ${value} ${bytes}`);
  const kinds = [...new Set(rows.map(({ keys }) => keys[0]))].slice(0, 4);
  const { content: _, ...value } = read?.ok === true ? read.value : { content: "" };
  expect({
    questions,
    requests,
    pages,
    cut: raw?.cut,
    rows: rows.length,
    kinds,
    value,
    fault,
  }).toMatchSnapshot();
  expect(reports.files()).toStrictEqual([]);
  return tried;
}

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
  expect(reports.files()).toStrictEqual([]);
});

describe("of search console; what is asked and what comes of it is recorded", () => {
  const bytes = 1_000_000;

  test("a report is asked on for until a page has fewer rows than were asked for, to fifty thousand rows of a day", async () => {
    await recorded("search-console", "page-query", LARGE);
    await recorded("search-console", "page-query", HUGE);
  });

  test("one row more than is taken is asked for, so that a report of just as many rows is whole", async () => {
    const { rows } = await recorded("search-console", "page");
    for (const less of [0, 1])
      await recorded("search-console", "page", HARBOR, { bounds: { rows: rows.length - less, bytes } });
    await recorded("search-console", "page-query", LARGE, { bounds: { rows: 25_000, bytes: 1e8 } });
  });

  test("the pages of each appearance are asked for after the appearances; of none there are none", async () => {
    await recorded("search-console", "search-appearance-pages");
    await recorded("search-console", "search-appearance-pages", QUIET);
  });

  test("of more appearances than there are kinds it is cut: each is a question", async () => {
    const one = { clicks: 1, impressions: 1, ctr: 1, position: 1 };
    const rows = Array.from({ length: 202 }, (_, place) => ({ keys: [`KIND_${place}`], ...one }));
    const bend = (answer: object) => ({ ...answer, rows });
    simulators.script({ kind: "bent", bend }, { asking: '["searchAppearance"]' });
    const { raw, requests } = await ask("search-console", "search-appearance-pages", QUIET);
    expect([raw?.cut, requests]).toEqual([{ by: "rows" }, 202]);
  });

  test("where an appearance fails the others are asked for all the same, but not where asking on would keep closed what is closed", async () => {
    for (const [error, asking, times] of [
      ["internal", '"VIDEO"', 3],
      ["qps-429", '"AMP_BLUE_LINK"', 1],
      ["load-quota", '"AMP_BLUE_LINK"', 1],
      ["access-not-configured", '"AMP_BLUE_LINK"', 1],
      ["internal", '["searchAppearance"]', 3],
    ] as const) {
      simulators.calm();
      simulators.script({ kind: "error", error }, { asking, times });
      await recorded("search-console", "search-appearance-pages");
    }
  });
});

describe("of analytics; what is asked and what comes of it is recorded", () => {
  test("errors of scripts are asked for by the property's own events and parameters, and refused where one is not registered", async () => {
    const errorEvents = { events: ["oops"], message: "error_source", source: "error_message" };
    await ask("analytics", "js-errors", HARBOR, { errorEvents });
    expect(sent()).toMatchSnapshot();
    for (const message of ["stack_of_the_error", "error_messages"])
      await recorded("analytics", "js-errors", HARBOR, { errorEvents: { ...errorEvents, message } });
  });

  test("a report is asked on for from the rows that came until there are as many as it says; in one page it says the same", async () => {
    const { rows, read } = await recorded("analytics", "page-events", LARGE);
    const { analytics } = LARGE;
    delete analytics.mostRows;
    const whole = await recorded("analytics", "page-events", LARGE);
    analytics.mostRows = 100;
    expect(whole.rows).toEqual(rows);
    expect(whole.read).toEqual(read as NonNullable<typeof read>);
  });

  test("one of more rows than are taken is cut there; of just as many it is whole", async () => {
    for (const rows of [480, 150])
      await recorded("analytics", "page-events", LARGE, { bounds: { rows, bytes: 1_000_000 } });
  });

  test("one whose later page fails is cut there, and one that gives no more rows though it says so is not asked for ever", async () => {
    simulators.script({ kind: "reset" }, { asking: '"offset":"200"', times: 3 });
    await recorded("analytics", "page-events", LARGE);
    const none = (answer: object) => ({ ...answer, rows: undefined });
    simulators.script({ kind: "bent", bend: none }, { asking: '"offset":"100"' });
    await recorded("analytics", "page-events", LARGE);
  });
});

test("webmaster tools that put JSON in a string of JSON say the same, and with more rows than are taken are cut", async () => {
  const plain = await ask("webmaster-tools", "rank-traffic");
  const wrapped = (answer: unknown) => JSON.stringify(answer);
  simulators.script({ kind: "bent", bend: wrapped }, { operation: "GetRankAndTrafficStats" });
  const twice = await recorded("webmaster-tools", "rank-traffic");
  expect(twice.read).toEqual(plain.read as NonNullable<typeof plain.read>);
  await recorded("webmaster-tools", "feeds", HARBOR, { bounds: { rows: 2, bytes: 100_000 } });
});

describe("a report", () => {
  test("of more bytes than are taken is cut there, in whichever page that is; of just as many it is whole", async () => {
    const whole = await ask("analytics", "page-events", LARGE);
    for (const more of [0, 500]) {
      const bytes = (whole.raw?.pages[0]?.bytes ?? 0) + more;
      await recorded("analytics", "page-events", LARGE, { bounds: { rows: 1_000, bytes } });
    }
    const small = { bounds: { rows: 1_000, bytes: 700 } };
    expect((await recorded("search-console", "page", HARBOR, small)).bodies.join("").length).toBe(700);
    const { bodies } = await ask("webmaster-tools", "crawl-stats");
    const exact = { bounds: { rows: 1_000, bytes: bodies[0]?.length ?? 0 } };
    await recorded("webmaster-tools", "crawl-stats", HARBOR, exact);
  });

  /** A client that shows each question before it is asked. */
  const shown = (look: (request: Parameters<typeof patient.request>[0]) => void) => ({
    request: (request: Parameters<typeof patient.request>[0]) => {
      look(request);
      return patient.request(request);
    },
  });
  const patient = promptHttp(clock);

  test("that is given up half way is none, and leaves no file", async () => {
    const abort = new AbortController();
    const http = shown(({ body }) => String(body).includes('"offset":"200"') && abort.abort());
    await recorded("analytics", "page-events", LARGE, { client: { signal: abort.signal, http } });
  });

  test("that cannot be written is thrown as a fault of the spool, and leaves no file", async () => {
    const next = Number(reports.spool.file().split("/").at(-1)) + 2;
    symlinkSync("/dev/full", `${reports.folder}/spool/${next}`);
    const fault = await ask("analytics", "page-events", LARGE).catch((error: unknown) => error);
    expect(fault).toBeInstanceOf(SpoolFault);
    expect(reports.files()).toStrictEqual([]);
  });

  test("holds no secret, whatever the provider writes into it", async () => {
    let token = "";
    const client = {
      http: shown(({ headers }) => {
        token = headers?.["authorization"]?.slice("Bearer ".length) ?? token;
      }),
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
    expect(sent()).toStrictEqual([]);
  });
});

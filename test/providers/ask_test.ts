/** Questions to the simulated providers, over real HTTP: what is sent, what is sent again, and what comes of it. */

import { afterAll, beforeEach, describe, expect, test } from "bun:test";
import type { HttpClient } from "../../src/base/http_client.ts";
import { dayOfNumber, zoneDay } from "../../src/base/time.ts";
import { startSimulators } from "../../src/demo/simulator/simulators.ts";
import type { SimulatedSite } from "../../src/demo/simulator/world.ts";
import type { Provider } from "../../src/providers/adapter.ts";
import { askHours, askRealtime } from "../../src/providers/analytics.ts";
import type { Asked } from "../../src/providers/client.ts";
import { askDaily, discover, parseDaily } from "../../src/providers/providers.ts";
import { FakeClock } from "../support/clock.ts";
import { promptHttp } from "../support/http.ts";
import { type ClientChange, simulatedClient } from "../support/provider_client.ts";

/** In Tokyo it is the 23rd by then, in Los Angeles still the 21st at seven hours before. */
const START = "2026-11-22T16:00:00Z";
const clock = new FakeClock(START);
const site = (name: string, property: string, timeZone: string): SimulatedSite => ({
  name,
  visitsPerDay: 400,
  firstDay: 20_000,
  analytics: { property, timeZone },
  searchConsole: { property: `sc-domain:${name}` },
  webmasterTools: { property: `https://${name}/` },
});
const SITES = [site("tokyo.example", "1001", "Asia/Tokyo"), site("paris.example", "1002", "Europe/Paris")];
SITES.push({
  ...site("old.example", "1003", "UTC"),
  searchConsole: { property: "https://old.example/", permission: "siteUnverifiedUser" },
  webmasterTools: { property: "https://old.example/", verified: false },
});
const simulators = startSimulators({ now: () => clock.now(), seed: 3, world: { sites: SITES } });
afterAll(() => simulators.stop());
beforeEach(() => {
  clock.at(START);
  simulators.calm();
  simulators.forget();
});

const client = (provider: Provider, change?: ClientChange) =>
  simulatedClient(simulators, clock, provider, change);
const said = <T>({ outcome, requests }: Asked<T>) =>
  outcome.ok ? `ok ${requests}` : `${outcome.fault.category} ${outcome.fault.code} ${requests}`;
const sent = () => simulators.log.map(({ operation }) => operation);

const PROPERTY: Readonly<Record<Provider, string>> = {
  analytics: "1002",
  "search-console": "sc-domain:paris.example",
  "webmaster-tools": "https://paris.example/",
};
/** The requests of a question with a token that is not there yet. */
const FIRST: Readonly<Record<Provider, number>> = { analytics: 2, "search-console": 2, "webmaster-tools": 1 };
const PROVIDERS = Object.keys(PROPERTY) as Provider[];

async function daily(
  provider: Provider,
  change?: ClientChange & { readonly property?: string; readonly timeZone?: string },
) {
  const { property = PROPERTY[provider], timeZone = "Europe/Paris" } = change ?? {};
  return askDaily(await client(provider, change), provider, property, { now: clock.now(), timeZone });
}

test("how long and how large the answer to each question may be: recorded", async () => {
  const bounds = new Set<string>();
  const real = promptHttp(clock);
  const http: HttpClient = {
    request: (request) => {
      const { method, url, timeoutMs, maxBytes } = request;
      bounds.add(`${method} ${new URL(url).pathname}: ${timeoutMs} ms, ${maxBytes} bytes`);
      return real.request(request);
    },
  };
  for (const provider of PROVIDERS) {
    await daily(provider, { http });
    await discover(await client(provider, { http }), provider);
  }
  const analytics = await client("analytics", { http });
  await askHours(analytics, "1002", { now: clock.now() });
  await askRealtime(analytics, "1002");
  expect([...bounds].sort().join("\n")).toMatchSnapshot();
});

describe("days", () => {
  test("are asked for with one question, of 97 days up to today in the provider's own calendar", async () => {
    for (const [provider, zone] of [
      ["analytics", "Europe/Paris"],
      ["search-console", "America/Los_Angeles"],
    ] as const) {
      simulators.forget();
      const { outcome, requests } = await daily(provider);
      if (!outcome.ok) throw new Error(outcome.fault.code);
      const to = zoneDay(clock.now(), zone);
      expect([provider, requests, outcome.value.asked]).toEqual([
        provider,
        2,
        { from: to - 96, to, timeZone: zone },
      ]);
      const report = parseDaily(outcome.value);
      expect(report).toMatchObject({ ok: true, value: { provider, timeZone: zone, from: to - 96, to } });
      const asked = JSON.parse(simulators.log.at(-1)?.body ?? "") as Record<string, unknown>;
      expect(JSON.stringify(asked)).toContain(dayOfNumber(to - 96));
      expect(JSON.stringify(asked)).toContain(dayOfNumber(to));
    }
    const { outcome } = await daily("webmaster-tools");
    const report = outcome.ok ? parseDaily(outcome.value) : outcome;
    expect(report.ok && report.value.days.length).toBe(97);
    expect(report.ok && report.value.to).toBeLessThan(zoneDay(clock.now(), "UTC"));
  });

  test("in a calendar that is not known, or has changed, are asked for again where today is another day there, once", async () => {
    const ask = async (property: string, timeZone: string | undefined) => {
      const { outcome, requests } = await askDaily(await client("analytics"), "analytics", property, {
        now: clock.now(),
        timeZone,
      });
      return outcome.ok
        ? [dayOfNumber(outcome.value.asked.to), outcome.value.asked.timeZone, requests]
        : outcome;
    };
    expect(await ask("1001", "Asia/Tokyo")).toEqual(["2026-11-23", "Asia/Tokyo", 2]);
    expect(await ask("1001", undefined)).toEqual(["2026-11-23", "Asia/Tokyo", 3]);
    expect(await ask("1001", "Europe/Paris")).toEqual(["2026-11-23", "Asia/Tokyo", 3]);
    expect(await ask("1001", "Mars/Olympus")).toEqual(["2026-11-23", "Asia/Tokyo", 3]);
    // Where it is the same day, one answer is enough, and tells the calendar all the same.
    expect(await ask("1002", undefined)).toEqual(["2026-11-22", "Europe/Paris", 2]);
    expect(await ask("1002", "UTC")).toEqual(["2026-11-22", "Europe/Paris", 2]);
  });

  test("whose report tells no calendar are those of the property's settings", async () => {
    const untold = (answer: object) => ({ ...answer, metadata: {} });
    const ask = async (timeZone?: string) => {
      simulators.calm();
      simulators.script({ kind: "bent", bend: untold }, { operation: "runReport", times: 2 });
      const asked = await askDaily(await client("analytics"), "analytics", "1001", {
        now: clock.now(),
        timeZone,
      });
      const report = asked.outcome.ok ? parseDaily(asked.outcome.value) : asked.outcome;
      return [asked.requests, report.ok ? report.value.timeZone : report.fault.code];
    };
    expect(await ask("Asia/Tokyo")).toEqual([2, "Asia/Tokyo"]);
    expect(await ask()).toEqual([4, "Asia/Tokyo"]);
    simulators.script({ kind: "error", error: "forbidden" }, { server: "analyticsAdmin" });
    simulators.script({ kind: "bent", bend: untold }, { operation: "runReport" });
    const { outcome } = await askDaily(await client("analytics"), "analytics", "1001", { now: clock.now() });
    expect(outcome.ok && parseDaily(outcome.value)).toMatchObject({ fault: { code: "unknown_time_zone" } });
  });

  test("never reach ahead of a today that is not known yet", async () => {
    // It is the 22nd in Greenwich, and the 21st in half of the world.
    clock.at("2026-11-22T03:00:00Z");
    await askDaily(await client("analytics"), "analytics", "1002", { now: clock.now() });
    const ends = simulators.log
      .filter(({ operation }) => operation === "runReport")
      .map(({ body }) => (JSON.parse(body) as { dateRanges: { endDate: string }[] }).dateRanges[0]?.endDate);
    expect(ends).toEqual(["2026-11-21", "2026-11-22"]);
  });

  test("of a property that can be none are not asked for, nor with a credential of another kind", async () => {
    for (const [provider, property] of [
      ["analytics", ""],
      ["analytics", "properties/1002"],
      ["analytics", "1002/../1001"],
      ["search-console", ""],
      ["webmaster-tools", "https://x/\n"],
      ["webmaster-tools", "x".repeat(3_000)],
    ] as const)
      expect(said(await daily(provider, { property }))).toBe("configuration property_malformed 0");
    const now = clock.now();
    const google = await client("analytics");
    const key = await client("webmaster-tools");
    const wrong = "configuration credential_of_another_kind 0";
    expect(said(await askDaily(google, "webmaster-tools", PROPERTY["webmaster-tools"], { now }))).toBe(wrong);
    expect(said(await askDaily(key, "search-console", PROPERTY["search-console"], { now }))).toBe(wrong);
    expect(said(await discover(key, "analytics"))).toBe(wrong);
    expect(sent()).toStrictEqual([]);
  });

  test("are asked for by the exact name of a site, written so that it stays one part of the address", async () => {
    await daily("search-console");
    expect(simulators.log.at(-1)?.path).toBe(
      "/webmasters/v3/sites/sc-domain%3Aparis.example/searchAnalytics/query",
    );
    await daily("webmaster-tools");
    expect(simulators.log.at(-1)?.property).toBe("https://paris.example/");
  });
});

describe("what is sent again", () => {
  test("a refused token is dropped, and a fresh one tried: once", async () => {
    const google = await client("analytics");
    const ask = () => askDaily(google, "analytics", "1002", { now: clock.now(), timeZone: "Europe/Paris" });
    expect(said(await ask())).toBe("ok 2");
    expect(said(await ask())).toBe("ok 1");
    simulators.accounts.revokeTokens();
    expect(said(await ask())).toBe("ok 3");
    simulators.script({ kind: "error", error: "bad-token" }, { operation: "runReport", times: 9 });
    expect(said(await ask())).toBe("access signed_out 3");
    // The token of that refusal is not tried again, either.
    simulators.calm();
    expect(said(await ask())).toBe("ok 2");
  });

  test("no other refusal has a token dropped", async () => {
    const google = await client("search-console");
    const ask = () => askDaily(google, "search-console", PROPERTY["search-console"], { now: clock.now() });
    await ask();
    simulators.script({ kind: "error", error: "forbidden" }, { operation: "query" });
    expect(said(await ask())).toBe("access property_denied 1");
    expect(said(await ask())).toBe("ok 1");
  });

  test("nothing is, once it is given up", async () => {
    for (const provider of PROVIDERS) {
      const abort = new AbortController();
      const patient = promptHttp(clock);
      const asked = await daily(provider, {
        signal: abort.signal,
        http: {
          request: (request) => {
            if (!request.url.endsWith("/token")) abort.abort();
            return patient.request(request);
          },
        },
      });
      expect([provider, said(asked)]).toEqual([
        provider,
        `monitoring_failure stopped ${FIRST[provider] - 1}`,
      ]);
    }
  });
});

test("the live panel is told what goes on now, and the hours of yesterday and today on the property's clock", async () => {
  const google = await client("analytics");
  const now = await askRealtime(google, "1002");
  expect(now.outcome.ok && now.outcome.value.last30.activeUsers).toBeGreaterThanOrEqual(
    now.outcome.ok ? now.outcome.value.last5.activeUsers : 0,
  );
  for (const [property, zone] of [
    ["1001", "Asia/Tokyo"],
    ["1002", "Europe/Paris"],
  ] as const) {
    const { outcome } = await askHours(google, property, { now: clock.now() });
    const today = zoneDay(clock.now(), zone);
    expect(outcome).toMatchObject({ ok: true, value: { timeZone: zone } });
    const days = outcome.ok ? outcome.value.hours.map(({ day }) => day) : [];
    expect(days.length).toBeGreaterThan(12);
    expect([today - 1, today]).toEqual(expect.arrayContaining([...new Set(days)]));
  }
  expect(said(await askRealtime(google, "x"))).toBe("configuration property_malformed 0");
  expect(said(await askHours(google, "x", { now: clock.now() }))).toBe("configuration property_malformed 0");
});

test("no outcome of any question holds a secret", async () => {
  const secrets = [simulators.webmasterKey(), JSON.parse(simulators.serviceAccount()).client_email as string];
  for (const provider of PROVIDERS) {
    for (const kind of ["reset", "cut-body", "html", "redirect"] as const) {
      simulators.script({ kind }, { property: PROPERTY[provider], times: 3 });
      const told = await daily(provider);
      simulators.calm();
      for (const secret of secrets) expect(JSON.stringify(told) + Bun.inspect(told)).not.toContain(secret);
    }
    const listed = await discover(await client(provider), provider);
    for (const secret of [...secrets, "AuthenticationCode"])
      expect(JSON.stringify(listed)).not.toContain(secret);
  }
});

/** What is asked of a property beside its reports: its newest final day, and the parameters that it has registered. */

import { afterAll, beforeEach, describe, expect, test } from "bun:test";
import { zoneDay } from "../../src/base/time.ts";
import type { Fault } from "../../src/demo/simulator/script.ts";
import { startSimulators } from "../../src/demo/simulator/simulators.ts";
import type { SimulatedSite } from "../../src/demo/simulator/world.ts";
import { askRegistered } from "../../src/providers/analytics_properties.ts";
import { askLastFinal } from "../../src/providers/search_console.ts";
import { FakeClock } from "../support/clock.ts";
import { simulatedClient } from "../support/provider_client.ts";

const START = "2026-11-22T12:15:00Z";
const clock = new FakeClock(START);
const TODAY = zoneDay(clock.now(), "America/Los_Angeles");
const SITE: SimulatedSite = {
  name: "harbor.example",
  visitsPerDay: 400,
  firstDay: TODAY - 100,
  analytics: { property: "1001", timeZone: "UTC", customDimensions: [] },
  searchConsole: { property: "sc-domain:harbor.example" },
};
const QUIET: SimulatedSite = {
  name: "quiet.example",
  visitsPerDay: 400,
  firstDay: TODAY - 100,
  lastDay: TODAY - 50,
  searchConsole: { property: "sc-domain:quiet.example" },
};
const simulators = startSimulators({ now: () => clock.now(), seed: 5, world: { sites: [SITE, QUIET] } });
afterAll(() => simulators.stop());
beforeEach(() => {
  simulators.calm();
  simulators.forget();
});

const sent = () =>
  simulators.log
    .filter(({ operation }) => operation === "query")
    .map(({ body }) => JSON.parse(body) as object);
const day = (date: string) => ({ keys: [date], clicks: 1, impressions: 2, ctr: 0.5, position: 3 });
const json = (body: unknown): Fault => ({
  kind: "answer",
  answer: { status: 200, headers: { "content-type": "application/json" }, body: JSON.stringify(body) },
});

describe("the newest final day of search console", () => {
  const lastFinal = async (property: string) => {
    const client = await simulatedClient(simulators, clock, "search-console");
    const { outcome, requests } = await askLastFinal(client, property, clock.now());
    return [outcome.ok ? outcome.value : outcome.fault.code, requests];
  };

  test("is the last one that final figures of the last ten are told of", async () => {
    expect(await lastFinal("sc-domain:harbor.example")).toEqual([TODAY - 3, 2]);
    expect(sent()).toMatchSnapshot();
  });

  test("is the one before the first that is not, where no final figures are told; else nobody knows", async () => {
    expect(await lastFinal("sc-domain:quiet.example")).toEqual([TODAY - 3, 3]);
    expect(sent()).toMatchObject([{ dataState: "final" }, { dataState: "all" }]);
    const metadata = [{ firstIncompleteDate: "2026-11-20" }, { first_incomplete_date: "2026-11-19" }];
    const told = [undefined, ...metadata, { firstIncompleteDate: "soon" }];
    for (const metadata of told) {
      simulators.script(json({ responseAggregationType: "byProperty", metadata }), {
        operation: "query",
        asking: '"all"',
      });
      expect(await lastFinal("sc-domain:quiet.example")).toMatchSnapshot();
    }
  });

  test("is not made up of what is no answer", async () => {
    for (const [fault, code] of [
      [json({}), "unexpected_report"],
      [json({ rows: [{ keys: ["2026-11-19"] }] }), "unexpected_report"],
      [json({ rows: [day("soon")] }), "other_days"],
      [json({ rows: [day("2026-10-01")] }), "other_days"],
      [{ kind: "error", error: "load-quota" }, "load_quota"],
    ] as const) {
      simulators.script(fault, { operation: "query" });
      expect((await lastFinal("sc-domain:harbor.example"))[0]).toBe(code);
    }
    expect(await lastFinal("")).toEqual(["property_malformed", 0]);
  });
});

describe("the parameters that a property has registered", () => {
  const registered = async (property = "1001") => {
    const client = await simulatedClient(simulators, clock, "analytics");
    const { outcome, requests } = await askRegistered(client, property);
    return [outcome.ok ? outcome.value : outcome.fault.code, requests];
  };

  test("are those of events, over all pages of the list", async () => {
    expect(await registered()).toEqual([[], 2]);
    const { analytics } = SITE;
    if (analytics === undefined) throw new Error("it has a property");
    analytics.customDimensions = Array.from({ length: 203 }, (_, place) => `parameter_${place}`);
    expect(await registered()).toEqual([analytics.customDimensions, 3]);
    const scoped = (answer: { customDimensions: object[] }) => ({
      customDimensions: answer.customDimensions.slice(0, 3).map((one, place) => ({
        ...one,
        scope: ["USER", "EVENT", "ITEM"][place],
      })),
    });
    simulators.script({ kind: "bent", bend: scoped }, { operation: "customDimensions" });
    expect(await registered()).toEqual([["parameter_1"], 2]);
  });

  test("are not made up of what is no answer, or has no end", async () => {
    simulators.script(json({ hello: "you" }), { operation: "customDimensions" });
    expect(await registered()).toEqual(["unexpected_report", 2]);
    simulators.script({ kind: "endless-pages" }, { operation: "customDimensions", times: 99 });
    expect(await registered()).toEqual(["list_without_end", 21]);
    expect(await registered("x")).toEqual(["property_malformed", 0]);
    expect(await registered("77")).toEqual(["property_denied", 2]);
  });

  test("come of an API of its own: that it is not enabled says nothing of the account", async () => {
    simulators.script({ kind: "error", error: "service-disabled" }, { operation: "customDimensions" });
    const client = await simulatedClient(simulators, clock, "analytics");
    const { outcome } = await askRegistered(client, "1001");
    expect(outcome).toMatchObject({ fault: { code: "api_disabled", scope: "property" } });
  });
});

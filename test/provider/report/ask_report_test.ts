/** Questions for reports to the simulated providers, over real HTTP: what is sent, and what comes of it. */
import { afterAll, beforeEach, describe, expect, test } from "bun:test";
import { dayNumber, dayOfNumber } from "../../../src/lib/day_number.ts";
import type { UtcDay } from "../../../src/lib/utc_day.ts";
import type { Provider } from "../../../src/provider/contract.ts";
import { REPORT_FAMILIES } from "../../../src/provider/report/families.ts";
import { type SimulatedSite, startSimulators } from "../../../src/simulator/mod.ts";
import { FakeClock } from "../../support/clock.ts";
import { familyOf, simulatedReports } from "../../support/simulated_reports.ts";

const START = "2026-11-22T12:15:00Z";
const DAY = dayNumber("2026-11-18" as UtcDay);
const clock = new FakeClock(START);
const PROPERTY: Readonly<Record<Provider, string>> = {
  analytics: "1001",
  "search-console": "sc-domain:harbor.example",
  "webmaster-tools": "https://harbor.example/",
};
const SITE: SimulatedSite = {
  name: "harbor.example",
  visitsPerDay: 4_000,
  firstDay: DAY - 400,
  analytics: {
    property: PROPERTY.analytics,
    timeZone: "Europe/Paris",
    customDimensions: ["error_message", "error_source"],
  },
  searchConsole: {
    property: PROPERTY["search-console"],
    appearances: ["AMP_BLUE_LINK", "VIDEO"],
  },
  webmasterTools: { property: PROPERTY["webmaster-tools"] },
};
const simulators = startSimulators({ now: () => clock.now(), seed: 11, world: { sites: [SITE] } });
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

const sent = () =>
  simulators.log
    .filter(({ server }) => server !== "token")
    .map(({ body }) => (body === "" ? {} : (JSON.parse(body) as Record<string, unknown>)));

describe("every family", () => {
  test("is asked for and read: each row has the keys and figures of its family", async () => {
    for (const family of REPORT_FAMILIES) {
      const { read, rows, fault } = await reports.try(family, PROPERTY[family.provider], DAY);
      expect([family.name, fault]).toEqual([family.name, undefined]);
      expect([family.name, read?.ok && read.value.rows]).toEqual([family.name, rows.length]);
      expect([family.name, rows.length > 0]).toEqual([family.name, true]);
      for (const { keys, values } of rows) {
        expect([keys.length, values.length]).toEqual([family.dimensions.length, family.metrics.length]);
      }
      expect(read).toMatchObject({ ok: true, value: { content: expect.stringMatching(/^[0-9a-f]{64}$/) } });
    }
    expect(reports.files()).toEqual([]);
  });
});

describe("search console", () => {
  test("is asked for one day of final figures, by the dimensions and the type of a family", async () => {
    for (const [name, dimensions, type] of [
      ["page-query", ["page", "query"], "web"],
      ["country", ["country"], "web"],
      ["page-device", ["page", "device"], "web"],
      ["image-page-query", ["page", "query"], "image"],
      ["discover-page", ["page"], "discover"],
    ] as const) {
      simulators.forget();
      await reports.try(familyOf("search-console", name), PROPERTY["search-console"], DAY);
      const date = dayOfNumber(DAY);
      expect(sent()).toEqual([
        {
          startDate: date,
          endDate: date,
          dimensions,
          type,
          dataState: "final",
          rowLimit: 25_000,
          startRow: 0,
        },
      ]);
    }
  });
});

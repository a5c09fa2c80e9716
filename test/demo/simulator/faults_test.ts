/** Which requests a fault meets; what each does to an answer is seen by the tests of who asks. */

import { afterAll, beforeEach, describe, expect, test } from "bun:test";
import { startSimulators } from "../../../src/demo/simulator/simulators.ts";
import { authorized } from "../../support/simulated_google.ts";

const START = Date.UTC(2026, 10, 22, 8);
let now = START;
const simulators = startSimulators({
  now: () => now,
  seed: 1,
  world: {
    sites: [
      {
        name: "a.example",
        visitsPerDay: 200,
        firstDay: 20_000,
        analytics: { property: "1001", timeZone: "UTC" },
        searchConsole: { property: "sc-domain:a.example" },
        webmasterTools: { property: "https://a.example/" },
      },
    ],
  },
});
const headers = await authorized(simulators, START);
afterAll(() => simulators.stop());
beforeEach(() => {
  now = START;
  simulators.calm();
});

const SITES = "/webmasters/v3/sites";
const statusOf = async (path = SITES, method = "GET") =>
  (await fetch(`${simulators.urls.searchConsole}${path}`, { method, headers })).status;

describe("a fault", () => {
  test("meets the requests that it names, so many of them, in the order of the queue", async () => {
    simulators.script({ kind: "html", status: 500 }, { server: "webmasterTools" });
    simulators.script({ kind: "html", status: 502 }, { operation: "sites", times: 2 });
    simulators.script({ kind: "html", status: 503 }, { property: "sc-domain:a.example" });
    expect([await statusOf(), await statusOf(), await statusOf()]).toEqual([502, 502, 200]);
    expect(await statusOf(`${SITES}/sc-domain%3Aa.example/searchAnalytics/query`, "POST")).toBe(503);
    expect(simulators.log.at(-1)).toMatchObject({
      status: 503,
      fault: "html",
      property: "sc-domain:a.example",
    });
  });

  test("that no provider tells is refused as it is queued", () => {
    expect(() => simulators.script({ kind: "error", error: "tea" }, { server: "searchConsole" })).toThrow(
      "searchConsole has no error named tea",
    );
  });

  test("of a stretch of time meets all of them, and nothing before and after", async () => {
    simulators.script({ kind: "html", status: 502 }, { from: START, to: START + 60_000 });
    const at = async (ms: number) => {
      now = START + ms;
      return statusOf();
    };
    expect([await at(0), await at(1), await at(59_999), await at(60_000)]).toEqual([502, 502, 502, 200]);
  });

  test("of days tells one twice, leaves one out, or tells one of another century", async () => {
    const body = JSON.stringify({ startDate: "2026-11-09", endDate: "2026-11-15", dimensions: ["date"] });
    const days = async (kind?: "day-twice" | "day-absent" | "day-ahead") => {
      if (kind !== undefined) simulators.script({ kind });
      const path = `${SITES}/sc-domain%3Aa.example/searchAnalytics/query`;
      const answer = await fetch(`${simulators.urls.searchConsole}${path}`, {
        method: "POST",
        headers,
        body,
      });
      return ((await answer.json()) as { rows: { keys: string[] }[] }).rows.map(({ keys }) => keys[0]);
    };
    const right = await days();
    expect(right.length).toBe(7);
    expect(await days("day-twice")).toEqual([...right, right[6]]);
    expect(await days("day-absent")).toEqual(right.filter((_, place) => place !== 3));
    expect(await days("day-ahead")).toEqual([...right, "2099-01-01"]);
  });
});

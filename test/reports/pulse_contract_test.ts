/** What the nightly report's contract says of a body as a whole; what it says of every place of one is recorded in `any_body_test.ts`. */

import { describe, expect, test } from "bun:test";
import { readContract } from "../../src/base/contract.ts";
import { PulseSchema } from "../../src/reports/pulse.ts";
import { fullPulse, pulse } from "../support/make/pulse.ts";

/** The broken rules of a body, as "pointer rule". */
function broken(body: unknown): string[] {
  const judged = readContract(PulseSchema, body);
  return judged.ok ? [] : judged.errors.map(({ pointer, rule }) => `${pointer} ${rule}`);
}

function ignored(body: unknown): readonly string[] {
  const judged = readContract(PulseSchema, body);
  if (!judged.ok) throw new Error(JSON.stringify(judged.errors));
  return judged.ignored;
}

const of201 = () => Array.from({ length: 201 }, () => 1);
const withMetric = (figures: unknown) => ({ ...pulse(), metrics: { signups: figures } });
const FLAG = { severity: "warn", kind: "anomaly", metric: "signups", msg: "Fewer." };

describe("bounds of one report (decided: 200 metrics, 100 flags, 1,000 pages)", () => {
  const of = (size: number, item: (place: number) => unknown) =>
    Array.from({ length: size }, (_, at) => item(at));
  const metrics = (size: number, figures: unknown) =>
    Object.fromEntries(of(size, (at) => [`m${at}`, figures]) as [string, unknown][]);

  test("the bound is judged before any item: a hostile report costs one issue", () => {
    expect(broken({ ...pulse(), metrics: metrics(201, "nonsense") })).toEqual(["/metrics max-items"]);
    expect(broken({ ...pulse(), flags: of(101, () => 1) })).toEqual(["/flags max-items"]);
    expect(broken({ ...pulse(), negativeByPage: of(1_001, () => 1) })).toEqual(["/negativeByPage max-items"]);
  });
});

describe("metrics", () => {
  test("0 and the largest safe integer are counts, and -0 is stored as 0", () => {
    expect(broken(withMetric({ last24h: 0, total: Number.MAX_SAFE_INTEGER }))).toStrictEqual([]);
    const judged = readContract(PulseSchema, withMetric({ last24h: -0 }));
    expect(judged.ok && Object.is(judged.value.metrics["signups"]?.last24h, 0)).toBe(true);
  });

  test.each([
    ["null", null],
    ["a list", []],
    ["a list longer than the bound", of201()],
    ["a text longer than the bound", "m".repeat(201)],
    ["a number", 5],
  ])("metrics is an object: %s is refused as none, and nothing else is said of it", (_name, metrics) => {
    expect(broken({ ...pulse(), metrics })).toEqual(["/metrics type"]);
  });
});

describe("what the contract does not know", () => {
  test("is named by pointer at every depth and does not spoil the report", () => {
    const body = {
      ...fullPulse(),
      sender: "cron",
      metrics: { "a/b~c": { last24h: 1, last7d: 9 } },
      negativeByPage: [{ page: "/", count: 1, extra: {} }],
      flags: [{ ...FLAG, colour: "red" }],
    };
    expect([...ignored(body)].sort()).toMatchSnapshot();
  });
});

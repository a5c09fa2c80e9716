/** The broken rules of a body, as "pointer rule". */

import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { readContract } from "../../src/base/contract.ts";
import { PulseSchema } from "../../src/reports/pulse.ts";
import { fullPulse, pulse } from "../support/make/pulse.ts";

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
const withFlag = (flag: unknown) => ({ ...pulse(), flags: [flag] });
const FLAG = { severity: "warn", kind: "anomaly", metric: "signups", msg: "Fewer." };

describe("required fields of a nightly report", () => {
  test("asset, generatedAt and metrics are enough; everything else may be absent and stays absent", () => {
    const judged = readContract(PulseSchema, pulse());
    expect(judged.ok && judged.value).toEqual(pulse());
  });

  test.each(["asset", "generatedAt", "metrics"])("%s must be present", (field) => {
    const { [field]: _left, ...rest } = pulse() as unknown as Record<string, unknown>;
    expect(broken(rest)).toEqual([`/${field} required`]);
  });

  test("a whole report comes back as it was sent", () => {
    const judged = readContract(PulseSchema, fullPulse());
    expect(judged).toEqual({ ok: true, value: fullPulse(), ignored: [] });
  });

  test.each([[null], [[]], ["text"], [3]])("a body of %p is no report", (body) => {
    expect(broken(body)).toEqual([" type"]);
  });
});

describe("bounds of one report (decided: 200 metrics, 100 flags, 1,000 pages)", () => {
  const of = (size: number, item: (place: number) => unknown) =>
    Array.from({ length: size }, (_, at) => item(at));
  const metrics = (size: number, figures: unknown) =>
    Object.fromEntries(of(size, (at) => [`m${at}`, figures]) as [string, unknown][]);
  const made = {
    metrics: (size: number) => ({ ...pulse(), metrics: metrics(size, { last24h: 1 }) }),
    flags: (size: number) => ({ ...pulse(), flags: of(size, () => FLAG) }),
    negativeByPage: (size: number) => ({
      ...pulse(),
      negativeByPage: of(size, (at) => ({ page: `/${at}`, count: 1 })),
    }),
  };

  test.each([
    ["metrics", 200],
    ["flags", 100],
    ["negativeByPage", 1_000],
  ] as const)("%s holds at most %d", (field, most) => {
    expect(broken(made[field](most))).toEqual([]);
    expect(broken(made[field](most + 1))).toEqual([`/${field} max-items`]);
  });

  test("the bound is judged before any item: a hostile report costs one issue", () => {
    expect(broken({ ...pulse(), metrics: metrics(201, "nonsense") })).toEqual(["/metrics max-items"]);
    expect(broken({ ...pulse(), flags: of(101, () => 1) })).toEqual(["/flags max-items"]);
    expect(broken({ ...pulse(), negativeByPage: of(1_001, () => 1) })).toEqual(["/negativeByPage max-items"]);
  });

  test("the refusal names the bound", () => {
    const judged = readContract(PulseSchema, made.metrics(201));
    expect(judged.ok ? [] : judged.errors.map(({ message }) => message)).toEqual([
      "must have at most 200 metrics",
    ]);
  });
});

describe("metrics", () => {
  test.each([-1, 1.5, "3", null, true, 2 ** 53, Number.NaN])(
    "last24h and total are whole numbers of 0 or more: %p breaks the rule",
    (value) => {
      expect(broken(withMetric({ last24h: value }))).toEqual(["/metrics/signups/last24h count"]);
      expect(broken(withMetric({ total: value }))).toEqual(["/metrics/signups/total count"]);
    },
  );

  test("0 and the largest safe integer are counts, and -0 is stored as 0", () => {
    expect(broken(withMetric({ last24h: 0, total: Number.MAX_SAFE_INTEGER }))).toEqual([]);
    const judged = readContract(PulseSchema, withMetric({ last24h: -0 }));
    expect(judged.ok && Object.is(judged.value.metrics["signups"]?.last24h, 0)).toBe(true);
  });

  test("avg7d is any number: negative, fractional and huge ones are diagnostic wire data", () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (avg7d) => {
        expect(broken(withMetric({ avg7d }))).toEqual([]);
      }),
    );
    expect(broken(withMetric({ avg7d: "2.4" }))).toEqual(["/metrics/signups/avg7d decimal"]);
    expect(broken(withMetric({ avg7d: null }))).toEqual(["/metrics/signups/avg7d decimal"]);
  });

  test("a metric without figures is accepted: what is absent is not measured", () => {
    const judged = readContract(PulseSchema, withMetric({}));
    expect(judged.ok && judged.value.metrics).toEqual({ signups: {} });
  });

  test.each([[null], [[]], [3], ["many"]])("a metric's figures are an object, not %p", (figures) => {
    expect(broken(withMetric(figures))).toEqual(["/metrics/signups type"]);
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

  test("a metric's name is not empty, has no control character and at most 200 code points", () => {
    const named = (name: string) => broken({ ...pulse(), metrics: { [name]: {} } });
    expect(named("")).toEqual(["/metrics/ not-empty"]);
    expect(named("a\nb")).toEqual(["/metrics/a\nb control-character"]);
    expect(named("😀".repeat(200))).toEqual([]);
    expect(named("😀".repeat(201))).toEqual([`/metrics/${"😀".repeat(201)} max-length`]);
  });
});

describe("capabilities and pages", () => {
  test("capabilities is a list of names", () => {
    expect(broken({ ...pulse(), capabilities: [] })).toEqual([]);
    expect(broken({ ...pulse(), capabilities: "signups" })).toEqual(["/capabilities type"]);
    expect(broken({ ...pulse(), capabilities: ["ok", 3, ""] })).toEqual([
      "/capabilities/1 type",
      "/capabilities/2 not-empty",
    ]);
  });

  test("a page has a path of at most 512 code points without control characters, and a count", () => {
    const paged = (page: unknown) => broken({ ...pulse(), negativeByPage: [page] });
    expect(paged({ page: "/", count: 0 })).toEqual([]);
    expect(paged({ page: "/".repeat(512), count: 1 })).toEqual([]);
    expect(paged({ page: "/".repeat(513), count: 1 })).toEqual(["/negativeByPage/0/page max-length"]);
    expect(paged({ page: "/\u0000", count: 1 })).toEqual(["/negativeByPage/0/page control-character"]);
    expect(paged({ page: "/", count: -1 })).toEqual(["/negativeByPage/0/count count"]);
    expect(paged({ page: "/" })).toEqual(["/negativeByPage/0/count required"]);
    expect(broken({ ...pulse(), negativeByPage: {} })).toEqual(["/negativeByPage type"]);
  });
});

describe("flags in transit", () => {
  test("severity and kind are separate fields with their own values", () => {
    expect(broken(withFlag({ ...FLAG, severity: "fatal" }))).toEqual(["/flags/0/severity enum"]);
    expect(broken(withFlag({ ...FLAG, kind: "alarm" }))).toEqual(["/flags/0/kind enum"]);
  });

  test("the metric may be absent; the message may not, and has at most 2,000 code points", () => {
    const { metric: _metric, ...without } = FLAG;
    expect(broken(withFlag(without))).toEqual([]);
    expect(broken(withFlag({ ...FLAG, msg: "m".repeat(2_000) }))).toEqual([]);
    expect(broken(withFlag({ ...FLAG, msg: "m".repeat(2_001) }))).toEqual(["/flags/0/msg max-length"]);
    expect(broken(withFlag({ severity: "info", kind: "anomaly" }))).toEqual(["/flags/0/msg required"]);
    expect(broken(withFlag({ ...FLAG, msg: "\ud800" }))).toEqual(["/flags/0/msg well-formed"]);
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
    expect([...ignored(body)].sort()).toEqual([
      "/flags/0/colour",
      "/metrics/a~1b~0c/last7d",
      "/negativeByPage/0/extra",
      "/sender",
    ]);
  });

  test("every broken rule is named at once", () => {
    const body = {
      asset: "no spaces",
      generatedAt: "yesterday",
      metrics: { a: { last24h: -1, total: 0.5 } },
    };
    expect(broken(body).map((line) => line.split(" ")[0])).toEqual([
      "/asset",
      "/generatedAt",
      "/metrics/a/last24h",
      "/metrics/a/total",
    ]);
  });
});

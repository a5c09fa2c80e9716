/** The demo's portfolio: every report is one that any site could send, the same figures are told on both sides, and no name is somebody's. */

import { describe, expect, test } from "bun:test";
import { readContract } from "../../src/base/contract.ts";
import { annotationsOf, codebaseReports, ledgerOf } from "../../src/demo/fill.ts";
import { counterOf, dayAt, demoWorld, nightlyReport } from "../../src/demo/history.ts";
import { PORTFOLIO } from "../../src/demo/portfolio.ts";
import { CodebaseReportSchema } from "../../src/reports/measures.ts";
import { PulseSchema } from "../../src/reports/pulse.ts";
import { annotationSchema } from "../../src/sites/annotations.ts";
import { brief } from "../support/brief.ts";

const NOW = Date.UTC(2026, 10, 22, 8, 15);
const DAY_MS = 86_400_000;
const world = demoWorld(NOW);
const siteOf = (id: string) => {
  const site = PORTFOLIO.find((one) => one.id === id);
  const simulated = world.sites.find(({ name }) => name === id);
  if (site === undefined || simulated === undefined) throw new RangeError(id);
  return { site, simulated, counter: counterOf(site, simulated, NOW) };
};
const reporting = PORTFOLIO.filter(({ reports }) => reports !== undefined).map(({ id }) => id);

describe("what the demo sends", () => {
  test.each(reporting)("is good by the contracts, with nothing ignored: %s", (id) => {
    const { site, counter } = siteOf(id);
    const { reports } = site;
    for (let day = reports?.from ?? 0; day <= (reports?.to ?? 0); day += 17) {
      const report = nightlyReport(site, counter, dayAt(NOW, day) * DAY_MS + (reports?.minute ?? 0) * 60_000);
      expect(readContract(PulseSchema, report)).toMatchObject({ ok: true, ignored: [] });
    }
    for (const report of codebaseReports(site, NOW)) {
      expect(readContract(CodebaseReportSchema, report)).toMatchObject({ ok: true, ignored: [] });
    }
  });

  test("are annotations of the past, none twice", () => {
    // At midnight, when what is told of the day itself still lies ahead.
    const madeAt = NOW - (NOW % DAY_MS);
    const notes = annotationsOf(madeAt) as readonly Record<"at" | "asset" | "kind" | "ref", string>[];
    expect(notes.length).toBeGreaterThan(100);
    const contract = annotationSchema(() => madeAt);
    for (const note of notes) expect(readContract(contract, note)).toMatchObject({ ok: true, ignored: [] });
    const names = notes.map(({ asset, at, kind, ref }) => `${asset} ${at} ${kind} ${ref}`);
    expect(new Set(names).size).toBe(names.length);
  });
});

test("every site is of the domain that is kept for examples", () => {
  expect(PORTFOLIO.filter(({ id }) => !id.endsWith(".example"))).toStrictEqual([]);
});

const record = (value: unknown, most: number) =>
  expect(brief(JSON.stringify(value, null, 1), most)).toMatchSnapshot();

test.each(PORTFOLIO.map(({ id }) => id))("what is told of %s is what was told before", (id) => {
  const { site, simulated, counter } = siteOf(id);
  record(simulated, 3_000);
  record(codebaseReports(site, NOW).toReversed(), 4_000);
  const { from, to = 0, minute } = site.reports ?? { from: 1, minute: 0 };
  const nights = Array.from({ length: Math.max(0, to - from + 1) }, (_, place) => to - place);
  record(
    nights.map((day) => nightlyReport(site, counter, dayAt(NOW, day) * DAY_MS + minute * 60_000)),
    1_500,
  );
});

test("so are the annotations of all, the ledger, and who may see what", () => {
  record(annotationsOf(NOW).toReversed(), 4_000);
  record(ledgerOf(NOW), 4_000);
  record(world.accounts, 4_000);
});

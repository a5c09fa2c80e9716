/** What a cell of the archive's grid says, of attempts and where there was none. */

import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import type { ArchiveTally } from "../../../src/archive/manifest.ts";
import { ARCHIVE_OUTCOMES } from "../../../src/archive/manifest_row.ts";
import { PROVIDERS } from "../../../src/providers/adapter.ts";
import { REPORT_FAMILIES } from "../../../src/providers/report_families.ts";
import { GRID_DAYS, type GridFacts, gridOf } from "../../../src/tower/archive/grid.ts";
import { cellWords } from "../../../src/tower/archive/grid_table.tsx";

const TODAY = 20_779;
const facts = (changes: Partial<GridFacts> = {}): GridFacts => ({
  to: TODAY,
  providers: PROVIDERS,
  tally: [],
  skipped: new Set(),
  ranOn: TODAY,
  long: new Set(PROVIDERS),
  ...changes,
});
const told = (changes: Partial<ArchiveTally> = {}): ArchiveTally => ({
  provider: "search-console",
  family: "page",
  date: TODAY - 5,
  outcome: "stored",
  category: null,
  sites: 1,
  ...changes,
});
const cellOf = (of: GridFacts, family: string, date: number) => {
  const rows = gridOf(of).groups.flatMap((group) => group.rows);
  const cell = rows.find((row) => row.family.name === family)?.cells.find((one) => one.date === date);
  if (cell === undefined) throw new Error(`no cell of ${family}`);
  return cell;
};

describe("a grid of reports by dates", () => {
  test("has a row for each report of the providers that are shown, and a cell for each of its dates", () => {
    const { dates, groups } = gridOf(facts());
    expect(dates).toEqual(Array.from({ length: GRID_DAYS }, (_, place) => TODAY - GRID_DAYS + 1 + place));
    expect(groups.flatMap(({ rows }) => rows.map(({ family }) => family.name)).toSorted()).toEqual(
      REPORT_FAMILIES.map(({ name }) => name).toSorted(),
    );
    const only = gridOf(facts({ providers: ["webmaster-tools"] }));
    expect(only.groups.flatMap(({ rows }) => rows)).toHaveLength(6);
  });

  test("a cell says what is worst and of how many sites; nothing amiss hides behind many that are well", () => {
    const tally = [
      told({ sites: 900 }),
      told({ outcome: "failed", category: "network", sites: 2 }),
      told({ outcome: "failed", category: "access", sites: 10 }),
      told({ outcome: "incomplete", category: "incomplete_report", sites: 40 }),
    ];
    const cell = cellOf(facts({ tally }), "page", TODAY - 5);
    expect([cell.is, cell.sites]).toEqual(["failed", 12]);
    expect(cellWords(cell, false)).toBe(
      "10 failed (access), 2 failed (network), 40 incomplete (incomplete report), 900 stored",
    );
  });

  test("where nothing is amiss it says what most sites came to", () => {
    const tally = [
      told({ sites: 3 }),
      told({ outcome: "empty", sites: 40 }),
      told({ outcome: "unchanged", sites: 7 }),
    ];
    const cell = cellOf(facts({ tally }), "page", TODAY - 5);
    expect([cell.is, cell.sites]).toEqual(["empty", 40]);
  });

  test("in any order of what it is told, a failure is what the cell says", () => {
    const share = fc.record({
      outcome: fc.constantFrom(...ARCHIVE_OUTCOMES),
      sites: fc.integer({ min: 1, max: 999 }),
    });
    fc.assert(
      fc.property(fc.uniqueArray(share, { selector: ({ outcome }) => outcome, minLength: 1 }), (shares) => {
        const { is, sites } = cellOf(facts({ tally: shares.map(told) }), "page", TODAY - 5);
        const all = new Map(shares.map((one) => [one.outcome, one.sites]));
        const amiss = (["failed", "incomplete", "source_lag"] as const).find((outcome) => all.has(outcome));
        if (amiss !== undefined) expect(is).toBe(amiss);
        else expect(sites).toBe(Math.max(...all.values()));
        expect(sites).toBe(all.get(is as (typeof shares)[number]["outcome"]) ?? -1);
      }),
    );
  });

  test("nothing is missing that is not due yet: a day before it was asked for, a snapshot before its run", () => {
    const before = facts({ ranOn: TODAY - 1 });
    expect(cellOf(before, "page", TODAY).is).toBe("later");
    expect(cellOf(before, "page", TODAY - 1).is).toBe("later");
    expect(cellOf(before, "page", TODAY - 2).is).toBe("none");
    expect(cellOf(before, "feeds", TODAY).is).toBe("later");
    expect(cellOf(before, "feeds", TODAY - 1).is).toBe("none");
    expect(cellOf(facts(), "page", TODAY - 1).is).toBe("none");
    expect(cellOf(facts(), "feeds", TODAY).is).toBe("none");
  });

  test("nothing is missing of dates before the first of which its provider was asked", () => {
    const of = facts({ long: new Set(["analytics"]), tally: [told({ date: TODAY - 10 })] });
    expect([11, 9].map((back) => cellOf(of, "page", TODAY - back).is)).toEqual(["before", "none"]);
    expect(cellOf(of, "query", TODAY - 5).is).toBe("before");
    expect(cellOf(of, "events", TODAY - 20).is).toBe("none");
  });

  test("what is amiss with a tenth of the sites stands out, a few among very many do not", () => {
    const of = (sites: number, outcome: "failed" | "source_lag" = "failed") =>
      cellOf(facts({ tally: [told({ sites: 900 }), told({ outcome, sites })] }), "page", TODAY - 5).isMuch;
    expect([of(99), of(100), of(900), of(900, "source_lag")]).toEqual([false, true, true, false]);
  });

  test("a weekly report is quiet for six days after it came, before the grid too, and not asked after that", () => {
    const weekly = { provider: "webmaster-tools", family: "queries" } as const;
    const came = (date: number, outcome: ArchiveTally["outcome"] = "stored") =>
      facts({ tally: [told({ ...weekly, date, outcome })] });
    expect(cellOf(came(TODAY - 10), "queries", TODAY - 4).is).toBe("quiet");
    expect(cellOf(came(TODAY - 10), "queries", TODAY - 3).is).toBe("none");
    expect(cellOf(came(TODAY - GRID_DAYS), "queries", TODAY - GRID_DAYS + 1).is).toBe("quiet");
    expect(cellOf(came(TODAY - 10, "failed"), "queries", TODAY - 9).is).toBe("none");
    expect(cellOf(came(TODAY - 10), "pages", TODAY - 9).is).toBe("none");
    // A daily one is never quiet.
    expect(cellOf(facts({ tally: [told({ date: TODAY - 6 })] }), "page", TODAY - 5).is).toBe("none");
  });

  test("a report is skipped only on dates on which its provider was asked", () => {
    const analytics = { provider: "analytics", family: "events" } as const;
    const of = facts({ tally: [told(analytics)], skipped: new Set(["js-errors"]) });
    expect(cellOf(of, "js-errors", TODAY - 5).is).toBe("skipped");
    expect(cellOf(of, "js-errors", TODAY - 6).is).toBe("none");
    expect(cellOf(of, "page-events", TODAY - 5).is).toBe("none");
  });
});

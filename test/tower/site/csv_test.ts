/** A reader of RFC 4180 of the test's own. */

import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import type { UtcDay } from "../../../src/base/time.ts";
import type { FigureDay } from "../../../src/tower/site/lanes.ts";
import { cellOf, csvOf, type Lane, type SiteDays } from "../../../src/tower/site/site_days.tsx";
import { recordEach } from "../../support/mixtures.ts";

function read(text: string): string[][] {
  const rows: string[][] = [];
  let [row, cell, quoted]: [string[], string, boolean] = [[], "", false];
  for (let at = 0; at < text.length; at++) {
    const here = text[at];
    if (quoted) {
      if (here !== '"') cell += here;
      else if (text[at + 1] === '"') cell += text[++at];
      else quoted = false;
    } else if (here === '"') quoted = true;
    else if (here === ",") {
      row.push(cell);
      cell = "";
    } else if (here === "\r" && text[at + 1] === "\n") {
      rows.push([...row, cell]);
      [row, cell] = [[], ""];
      at++;
    } else cell += here;
  }
  return rows;
}

const siteOf = (metric: string, days: readonly Omit<FigureDay, "day">[]) => {
  const lane = {
    half: "pulse",
    metric,
    days: days.map((figure, place) => ({
      ...figure,
      day: `2026-11-${String(place + 1).padStart(2, "0")}` as UtcDay,
    })),
  } as unknown as Lane;
  return { groups: [{ lanes: [lane] }], offset: -1 } as unknown as SiteDays;
};

describe("the numbers as a file", () => {
  test("whatever a site calls its metric comes back whole, and is no formula", () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1, maxLength: 60, unit: "binary" }), (metric) => {
        const [, row] = read(csvOf(siteOf(metric, [{ state: "final", basis: "reported", value: 1 }])));
        const told = row?.[2] ?? "";
        expect(told === metric || told === `'${metric}`).toBe(true);
        expect(/^[=@+\-\t\r\n＝＋－＠]/.test(told) && !/^[+-]?\d/.test(told)).toBe(false);
        expect(row).toHaveLength(7);
      }),
    );
  });

  test("how a cell is written, recorded", () => {
    const signs = ["=1+1", "+cmd", "@sum(a1)", "＝1+1", "＋cmd", "－2+3", "＠sum(a1)", "\t=1+1", "\n=1+1"];
    recordEach([...signs, "-2+3", "-2", '=a,"b"'], cellOf);
  });
});

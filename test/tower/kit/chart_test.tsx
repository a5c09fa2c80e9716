import { describe, expect, test } from "bun:test";
import { addDays, type UtcDay } from "../../../src/base/time.ts";
import { render } from "../../../src/tower/jsx/jsx-runtime.ts";
import { Chart, type ChartLane, type DayState } from "../../../src/tower/kit/chart.tsx";
import { MarkSigns } from "../../../src/tower/kit/chart_marks.tsx";
import {
  type ChartPoint,
  linePath,
  lonePoints,
  placeOf,
  stack,
} from "../../../src/tower/kit/chart_scale.tsx";
import { attribute, elements, parsed, tagged, textOf } from "../../support/html.ts";
import { inPage } from "../../support/tower_data.ts";

const FIRST = "2026-09-01" as UtcDay;
const DAYS = { from: FIRST, to: addDays(FIRST, 89) };
const point = (offset: number, value: number | undefined, broken = false): ChartPoint => ({
  date: addDays(FIRST, offset),
  value,
  broken,
});
const segments = (path: string) => path.split("M").length - 1;

const NOTHING: ChartLane = {
  label: "Signups",
  form: "bars",
  height: 60,
  format: String,
  days: [],
};
/** A chart of these days from the first one on: a state and a value each. */
function drawn(
  days: readonly (readonly [DayState, number | null])[],
  changes: Partial<ChartLane> = {},
  chart: Partial<Parameters<typeof Chart>[0]> = {},
) {
  const told = days.map(([state, value], offset) => ({ day: addDays(FIRST, offset), state, value }));
  const shown = { from: FIRST, to: addDays(FIRST, days.length - 1) };
  const lane = { ...NOTHING, days: told, ...changes };
  return parsed(render(inPage(() => <Chart days={shown} lanes={[lane]} annotations={[]} {...chart} />)));
}
/** The same of a figure that only reports tell. */
const reported = (values: Readonly<Record<number, number | null>>, changes: Partial<ChartLane> = {}) =>
  drawn(
    [],
    {
      form: "line",
      days: Object.entries(values).map(([offset, value]) => ({
        day: addDays(FIRST, Number(offset)),
        state: value === null ? "missing" : "final",
        value,
      })),
      ...changes,
    },
    { days: DAYS },
  );
const final = (...values: readonly number[]) => values.map((value) => ["final", value] as const);
const classed = (tree: ReturnType<typeof parsed>, name: string) =>
  elements(tree, (element) => attribute(element, "class") === name && !isInLegend(tree, element));
const isInLegend = (tree: ReturnType<typeof parsed>, element: Parameters<typeof attribute>[0]) =>
  elements(tree, (list) => attribute(list, "class") === "legend").some((list) =>
    elements(list).includes(element),
  );
const legend = (tree: ReturnType<typeof parsed>) =>
  elements(tree, (list) => attribute(list, "class") === "legend").flatMap((list) =>
    tagged(list, "li").map(textOf),
  );
const titles = (tree: ReturnType<typeof parsed>) => tagged(tree, "title").map(textOf);

describe("places", () => {
  test("every day of the range lies inside the chart, in order", () => {
    const place = placeOf(DAYS);
    const places = Array.from({ length: 90 }, (_, offset) => place(addDays(FIRST, offset)));
    expect(Math.min(...places)).toBeGreaterThan(0);
    expect(Math.max(...places)).toBeLessThan(100);
    expect(places).toEqual([...places].sort((one, other) => one - other));
  });

  test("a range of one day has its day in the middle", () => {
    expect(placeOf({ from: FIRST, to: FIRST })(FIRST)).toBe(50);
  });

  test("marks nearer than the gap go to another row, and beyond the last row there is no room", () => {
    expect(stack([10, 11, 12, 13, 40], 5, 3)).toEqual([0, 1, 2, undefined, 0]);
  });
});

describe("the line", () => {
  const x = () => 0;
  const y = () => 0;

  test("is not drawn across a report made with other tools", () => {
    expect(segments(linePath([point(0, 1), point(1, 2), point(2, 3, true), point(3, 4)], x, y))).toBe(2);
  });

  test("is not drawn across a report without the figure", () => {
    expect(
      segments(linePath([point(0, 1), point(1, 2), point(2, undefined), point(3, 4), point(4, 4)], x, y)),
    ).toBe(2);
  });

  test("a point that no line touches is drawn by itself", () => {
    const points = [point(0, 1), point(1, undefined), point(2, 3), point(3, 4), point(4, 5, true)];
    expect(lonePoints(points).map(({ value }) => value)).toEqual([1, 5]);
  });
});

describe("a day", () => {
  test("is drawn as what it is, and says so without a script", () => {
    const tree = drawn([
      ["final", 5],
      ["final", 0],
      ["missing", null],
      ["excluded", 4],
      ["provisional", 3],
      ["none", null],
    ]);
    const of = (name: string) => classed(tree, name).length;
    expect(["v", "zero", "none", "odd", "out", "prov", "settled"].map(of)).toEqual([1, 1, 1, 1, 1, 1, 1]);
    expect(titles(tree)).toEqual([
      "1 Sep 5",
      "2 Sep 0",
      "3 Sep no data",
      "4 Sep 4, ignored by rules",
      "5 Sep 3, not final yet",
      "6 Sep",
    ]);
    expect(legend(tree)).toEqual([
      "Final; a short mark is 0",
      "Not final yet, may still change",
      "No data",
      "Ignored by rules",
    ]);
  });

  test("one event beside a thousand is no zero: its bar has a height", () => {
    const [bars] = classed(drawn(final(1_000, 1)), "v");
    const heights = [...(attribute(bars as never, "d") ?? "").matchAll(/v-([\d.]+)h/g)].map(([, tall]) =>
      Number(tall),
    );
    expect(heights).toHaveLength(2);
    expect(Math.min(...heights)).toBe(2);
  });

  test("that a flag is about has its colour, and the range that would raise none stands behind it", () => {
    const expected = new Map([
      [addDays(FIRST, 0), { low: 20, high: 40 }],
      [addDays(FIRST, 1), { low: 20, high: null }],
    ]);
    const flagged = new Map([[addDays(FIRST, 1), "warn" as const]]);
    const tree = drawn(final(30, 2), { expected, flagged });
    expect(classed(tree, "seen").map((path) => attribute(path, "data-sev"))).toEqual(["warn"]);
    const [band] = classed(tree, "band");
    const parts = [...(attribute(band as never, "d") ?? "").matchAll(/M[\d.]+ ([\d.]+)H[\d.]+V([\d.]+)H/g)];
    expect(parts.map(([, upper, lower]) => Number(upper) < Number(lower))).toEqual([true, true]);
    expect(titles(tree)).toEqual(["1 Sep 30, expected 20–40", "2 Sep 2, expected from 20"]);
    expect(legend(tree)).toEqual(["Final; a short mark is 0", "Flagged", "Expected range"]);
    // A full stop is flagged most of all.
    expect(classed(drawn(final(0), { flagged: new Map([[FIRST, "warn" as const]]) }), "seen")).toHaveLength(
      1,
    );
    expect(legend(drawn(final(30)))).toEqual(["Final; a short mark is 0"]);
  });

  test("leads where it is told to, one of them by Tab", () => {
    const tree = drawn(final(1, 2, 3), {}, { hrefOf: (day) => `/days/${day}` });
    const links = tagged(tree, "a");
    expect(links.map((link) => attribute(link, "href"))).toEqual([
      "/days/2026-09-01",
      "/days/2026-09-02",
      "/days/2026-09-03",
    ]);
    expect(links.map((link) => attribute(link, "tabindex"))).toEqual(["-1", "-1", undefined]);
    expect(tagged(drawn(final(1)), "a")).toEqual([]);
  });

  test("names its changes with their time", () => {
    const at = Date.UTC(2026, 8, 1, 16, 20);
    const annotations = [{ date: FIRST, kind: "deploy" as const, words: "418", at }];
    expect(titles(drawn(final(1), {}, { annotations }))[0]).toBe("1 Sep 1 Deploy 16:20 UTC: 418");
  });
});

describe("a figure that reports tell", () => {
  test("without a value says so in words and draws nothing", () => {
    for (const values of [{}, { 3: null }]) {
      const tree = reported(values);
      expect(textOf(tree)).toContain("No data on these days");
      expect(tagged(tree, "circle")).toEqual([]);
    }
  });

  test("has a dot for each report, and a slot, not a point at 0, for one without it", () => {
    const tree = reported({ 0: 5, 10: null, 20: 9 });
    expect(tagged(tree, "circle")).toHaveLength(2);
    expect(classed(tree, "none")).toHaveLength(1);
  });

  test("says where its tools changed, on the day and in the legend", () => {
    const broken = { breaks: new Set([addDays(FIRST, 9)]), broken: "Measuring tools updated" };
    const tree = reported({ 0: 5, 9: 6 }, broken);
    expect(titles(tree)).toEqual(["1 Sep 5", "10 Sep 6, Measuring tools updated"]);
    expect(legend(tree)).toEqual(["Final, as a line", "Measuring tools updated"]);
    expect(classed(tree, "tool")).toHaveLength(1);
  });

  test("where lower is better, 1 stands at the top", () => {
    const heights = (lowIsBetter: boolean) =>
      tagged(reported({ 0: 1, 9: 9 }, { lowIsBetter }), "circle").map((dot) => Number(attribute(dot, "cy")));
    const [[one = 0, nine = 0], [low = 0, high = 0]] = [heights(true), heights(false)];
    expect(one).toBeLessThan(nine);
    expect(low).toBeGreaterThan(high);
  });
});

test("the axis names its ends, a tall one more; what never moved is named once", () => {
  const named = (days: Parameters<typeof drawn>[0], changes: Partial<ChartLane> = {}) =>
    classed(drawn(days, changes), "plot y").flatMap((axis) => tagged(axis, "text").map(textOf));
  expect(named(final(3, 97))).toEqual(["0", "100"]);
  expect(named(final(3, 97), { height: 260 })).toEqual(["0", "20", "40", "60", "80", "100"]);
  expect(named(final(7, 7), { form: "line" })).toEqual(["7"]);
});

test("neighbouring flags become one pennant of the worst severity with their count; near the right edge it flies to the left", () => {
  const flag = (offset: number, severity: "info" | "error") => ({
    date: addDays(FIRST, offset),
    severity,
    message: severity,
  });
  const tree = reported({ 0: 5 }, { flags: [flag(1, "info"), flag(2, "error"), flag(89, "info")] });
  const pennants = classed(tree, "flag");
  expect(pennants.map((svg) => attribute(svg, "data-sev"))).toEqual(["error", "info"]);
  expect(textOf(pennants[0] ?? tree)).toContain("2");
  const turned = pennants.map((svg) =>
    tagged(svg, "use").some((use) => attribute(use, "transform") !== undefined),
  );
  expect(turned).toEqual([false, true]);
});

describe("annotations", () => {
  test("those that find no room become one mark with their count, and all are told", () => {
    const annotations = [1, 1, 2, 2, 3].map((offset) => ({
      date: addDays(FIRST, offset),
      kind: "deploy" as const,
      words: `v${offset}`,
    }));
    const tree = parsed(render(inPage(() => <Chart days={DAYS} lanes={[]} annotations={annotations} />)));
    const marks = tagged(tree, "svg").filter((svg) => attribute(svg, "class")?.startsWith("m "));
    expect(marks.map((mark) => textOf(tagged(mark, "text")[0] ?? tree))).toEqual(["D", "D", "3"]);
    expect(marks.flatMap((mark) => tagged(mark, "title").map(textOf)).join(" ")).toContain(
      "4 Sep: Deploy. v3",
    );
  });
});

test("the legend names each severity and each kind that is marked, and no other", () => {
  const marked = parsed(
    render(
      <MarkSigns
        flags={[{ date: FIRST, severity: "info", message: "a" }]}
        annotations={[{ date: FIRST, kind: "config", words: "b" }]}
      />,
    ),
  );
  expect(tagged(marked, "li").map(textOf)).toEqual([
    "Flag, info",
    "CConfig",
    "4 = four items close together",
  ]);
  expect(tagged(parsed(render(<MarkSigns flags={[]} annotations={[]} />)), "li")).toEqual([]);
});

import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { addDays, type UtcDay } from "../../../src/base/time.ts";
import { render } from "../../../src/tower/jsx/jsx-runtime.ts";
import { Chart, type ChartLane } from "../../../src/tower/kit/chart.tsx";
import { MarkSigns } from "../../../src/tower/kit/chart_marks.tsx";
import {
  type ChartPoint,
  heightOf,
  linePath,
  lonePoints,
  placeOf,
  Sparkline,
  stack,
} from "../../../src/tower/kit/chart_scale.tsx";
import { attribute, parsed, tagged, textOf } from "../../support/html.ts";
import { inPage } from "../../support/tower_data.ts";

const FIRST = "2026-09-01" as UtcDay;
const DAYS = { from: FIRST, to: addDays(FIRST, 89) };
const point = (offset: number, value: number | undefined, broken = false): ChartPoint => ({
  date: addDays(FIRST, offset),
  value,
  broken,
});
const segments = (path: string) => path.split("M").length - 1;

function drawn(
  points: readonly ChartPoint[],
  changes: Partial<ChartLane> = {},
  toolChanges: readonly UtcDay[] = [],
) {
  const lane: ChartLane = {
    id: "lines",
    label: "Lines of code",
    headline: "5",
    notes: [],
    points,
    format: String,
    flags: [],
    ...changes,
  };
  return parsed(
    render(inPage(() => <Chart days={DAYS} lanes={[lane]} toolChanges={toolChanges} annotations={[]} />)),
  );
}

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

  test("heights stay between the top and the foot, whatever the values", () => {
    const value = fc.double({ noNaN: true, noDefaultInfinity: true, min: 0 });
    fc.assert(
      fc.property(value, value, value, (one, two, share) => {
        const [low, high] = [Math.min(one, two), Math.max(one, two)];
        const y = heightOf({ low, high }, 20, 70);
        for (const at of [low, high, Math.min(high, Math.max(low, share))]) {
          expect(y(at)).toBeGreaterThanOrEqual(20);
          expect(y(at)).toBeLessThanOrEqual(70);
        }
      }),
    );
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

describe("a lane", () => {
  test("without a value says so in words and draws nothing", () => {
    for (const points of [[], [point(0, undefined)]]) {
      const html = drawn(points);
      expect(textOf(html)).toContain("Not measured");
      expect(tagged(html, "circle").length).toBe(0);
    }
  });

  test("with one report draws one dot", () => {
    const html = drawn([point(4, 7)]);
    expect(tagged(html, "circle").length).toBe(1);
    expect(textOf(html)).toContain("7 throughout");
  });

  test("prints its scale, and every point tells its day and value without a script", () => {
    const html = drawn([point(0, 5), point(1, undefined), point(2, 9, true)], {}, [addDays(FIRST, 2)]);
    expect(textOf(html)).toContain("9 at the top, 5 at the foot");
    expect(tagged(html, "title").map(textOf)).toEqual([
      "1 Sep: 5",
      "2 Sep: Not measured",
      "3 Sep: 9. Measuring tools updated",
    ]);
  });

  test("a report without the figure is a slot, not a point at 0", () => {
    const html = drawn([point(0, 5), point(1, undefined), point(2, 9)]);
    expect(tagged(html, "circle").length).toBe(2);
    expect(tagged(html, "rect").filter((rect) => attribute(rect, "class") === "none").length).toBe(1);
  });

  test("writes Measuring tools updated above the lanes", () => {
    expect(textOf(drawn([point(0, 5)], {}, [addDays(FIRST, 40)]))).toContain("Measuring tools updated");
    expect(textOf(drawn([point(0, 5)]))).not.toContain("Measuring tools updated");
  });

  test("a pennant over the words of the scale stands in a row below them; near the right edge it flies to the left", () => {
    const pennant = (offset: number) => {
      const flags = [{ date: addDays(FIRST, offset), severity: "warn" as const, message: "it fell" }];
      const html = drawn([point(0, 5), point(89, 9)], { flags });
      const [flag] = tagged(html, "svg").filter((svg) => attribute(svg, "class") === "flag");
      const turned = tagged(html, "use").some((use) => attribute(use, "transform") !== undefined);
      return [flag === undefined ? undefined : attribute(flag, "y"), turned];
    };
    expect([pennant(2), pennant(70), pennant(89)]).toEqual([
      ["15", false],
      ["0", false],
      ["0", true],
    ]);
  });

  test("neighbouring flags become one pennant of the worst severity with their count", () => {
    const flag = (offset: number, severity: "info" | "error") => ({
      date: addDays(FIRST, offset),
      severity,
      message: severity,
    });
    const html = drawn([point(0, 5)], { flags: [flag(1, "info"), flag(2, "error"), flag(60, "info")] });
    const pennants = tagged(html, "svg").filter((svg) => attribute(svg, "class") === "flag");
    expect(pennants.map((svg) => attribute(svg, "data-sev"))).toEqual(["error", "info"]);
    expect(textOf(pennants[0] ?? html)).toContain("2");
  });
});

describe("annotations", () => {
  test("those that find no room become one mark with their count, and all are told", () => {
    const annotations = [1, 1, 2, 2, 3].map((offset) => ({
      date: addDays(FIRST, offset),
      kind: "deploy" as const,
      words: `v${offset}`,
    }));
    const tree = parsed(
      render(inPage(() => <Chart days={DAYS} lanes={[]} toolChanges={[]} annotations={annotations} />)),
    );
    const marks = tagged(tree, "svg").filter((svg) => attribute(svg, "class")?.startsWith("m "));
    expect(marks.map((mark) => textOf(tagged(mark, "text")[0] ?? tree))).toEqual(["D", "D", "3"]);
    expect(marks.flatMap((mark) => tagged(mark, "title").map(textOf)).join(" ")).toContain(
      "4 Sep: Deploy. v3",
    );
  });
});

describe("a sparkline", () => {
  test("draws a single report as a dot and no report as nothing", () => {
    expect(tagged(parsed(render(<Sparkline points={[point(0, 3)]} label="x" />)), "circle").length).toBe(1);
    expect(render(<Sparkline points={[point(0, undefined)]} label="x" />)).toBe("");
    expect(render(<Sparkline points={[]} label="x" />)).toBe("");
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
    "A number: so many flags or annotations close together",
  ]);
  expect(tagged(parsed(render(<MarkSigns flags={[]} annotations={[]} />)), "li")).toEqual([]);
});

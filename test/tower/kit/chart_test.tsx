import { expect, test } from "bun:test";
import { addDays, type UtcDay } from "../../../src/base/time.ts";
import { render } from "../../../src/tower/jsx/jsx-runtime.ts";
import { Chart, type ChartLane, type DayState } from "../../../src/tower/kit/chart.tsx";
import { attribute, elements, parsed, tagged, textOf } from "../../support/html.ts";
import { inPage } from "../../support/tower_data.ts";

const FIRST = "2026-09-01" as UtcDay;
const NOTHING: ChartLane = {
  label: "Signups",
  form: "bars",
  height: 60,
  format: String,
  days: [],
};
/** A chart of these days from the first one on: a state and a value each. */
function drawn(days: readonly (readonly [DayState, number | null])[]) {
  const told = days.map(([state, value], offset) => ({ day: addDays(FIRST, offset), state, value }));
  const shown = { from: FIRST, to: addDays(FIRST, days.length - 1) };
  const lane = { ...NOTHING, days: told };
  return parsed(render(inPage(() => <Chart days={shown} lanes={[lane]} annotations={[]} />)));
}
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

test("a day is drawn as what it is, and says so without a script", () => {
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
  expect(legend(drawn([["missing", null]]))).toEqual(["No data"]);
  expect(elements(drawn([["none", null]]), (list) => attribute(list, "class") === "legend")).toEqual([]);
});

import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { codebaseSentence, visitorDays, visitorsChange } from "../../src/reports/codebase_sentence.ts";

const [MISSING, FINAL, PROVISIONAL, EXCLUDED] = [0, 1, 2, 3];
const LATEST = 20_500;
const of = (distance = 30) => ({ latest: LATEST, comparison: LATEST - distance });

/** Days of visitors as `value` says, all of them final. */
function days(value: (day: number) => number, distance = 30) {
  const { from, to } = visitorDays(of(distance));
  const numbers = Array.from({ length: to - from + 1 }, (_, place) => from + place);
  return {
    firstDay: from,
    values: Float64Array.from(numbers, value),
    states: Uint8Array.from(numbers, () => FINAL as number),
  };
}

const flat = days(() => 10);

/** The same with the state of some days changed. */
function marked(stretch: ReturnType<typeof days>, state: number | undefined, ...changed: readonly number[]) {
  const states = stretch.states.slice();
  for (const day of changed) states[day - stretch.firstDay] = state ?? 0;
  return { ...stretch, states };
}

describe("the visitors' change beside the code's", () => {
  test("is that of the four weeks to the latest report against the four weeks to the comparison report", () => {
    const stretch = days((day) => (day > LATEST - 28 ? 114 : 100));
    const change = visitorsChange(stretch, of());
    expect(change).toEqual({
      percent: 14.000000000000002,
      windows: [
        { to: LATEST, visits: 114 * 28 },
        { to: LATEST - 30, visits: 2_800 },
      ],
    });
    expect(codebaseSentence({ now: 1_100, before: 1_000 }, change)).toBe(
      "The code grew 10% in 30 days while visitors grew 14%.",
    );
  });

  test("days that are not settled yet move both windows back by as many", () => {
    const settled = marked(flat, PROVISIONAL, ...Array.from({ length: 7 }, (_, back) => LATEST - back));
    expect(visitorsChange(settled, of())).toMatchObject({
      percent: 0,
      windows: [{ to: LATEST - 7 }, { to: LATEST - 37 }],
    });
  });

  test("nothing is settled within a week: not measured, and no other month stands in", () => {
    const week = Array.from({ length: 8 }, (_, back) => LATEST - back);
    for (const state of [MISSING, PROVISIONAL, EXCLUDED]) {
      expect(visitorsChange(marked(flat, state, ...week), of())).toEqual({
        notMeasured: "No day of visitors is settled in the week before the latest report.",
      });
    }
  });

  test("growth from none has no percentage, and none both times did not change", () => {
    const sentence = (stretch: ReturnType<typeof days>) =>
      codebaseSentence({ now: 1_000, before: 1_000 }, visitorsChange(stretch, of()));
    const grown = days((day) => (day > LATEST - 28 ? 2 : 0));
    expect(sentence(grown)).toBe("The code did not change in 30 days while visitors grew from none to 56.");
    const none = days(() => 0);
    expect(sentence(none)).toBe("The code did not change in 30 days while visitors did not change.");
  });

  test("one day of either window that is not final leaves it not measured; none outside of them matters", () => {
    const distances = fc.integer({ min: 28, max: 45 });
    const states = fc.constantFrom(MISSING, PROVISIONAL, EXCLUDED);
    fc.assert(
      fc.property(distances, states, fc.nat({ max: 200 }), (distance, state, drawn) => {
        const stretch = days((day) => day % 7, distance);
        const day = stretch.firstDay + (drawn % stretch.states.length);
        const inWindow = (end: number) => day <= end && day > end - 28;
        const change = visitorsChange(marked(stretch, state, day), of(distance));
        // The last day is looked at to find where the windows end: it moves them instead.
        if (day === LATEST)
          expect(change).toMatchObject({ windows: [{ to: LATEST - 1 }, { to: LATEST - distance - 1 }] });
        else expect("notMeasured" in change).toBe(inWindow(LATEST) || inWindow(LATEST - distance));
      }),
    );
  });
});

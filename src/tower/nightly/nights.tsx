import { type Night, type NightlySummary, type NightState, WEEK_NIGHTS } from "../../pulse/mod.ts";
import { countOf } from "../format.ts";

/** Units from one tick to the next. */
const STEP = 6;

/** The last nights as ticks: solid where a report was received, hollow where it was missed, nothing where none was expected. */
export function NightTicks({ nights }: { readonly nights: readonly Night[] }) {
  const received = nights.filter(({ state }) => state === "received").length;
  const missed = nights.filter(({ state }) => state === "missed").length;
  const at = (place: number): number => 3 + place * STEP;
  const draw = (wanted: NightState, tick: (x: number) => string): string =>
    nights.flatMap(({ state }, place) => (state === wanted ? [tick(at(place))] : [])).join("");
  const got = draw("received", (x) => `M${x} 13v-9`);
  const lost = draw("missed", (x) => `M${x - 1.5} 4.5h3v8h-3z`);
  return (
    <svg
      class="spark nights"
      viewBox="0 0 84 14"
      role="img"
      aria-label={`Of the last ${countOf(nights.length, "night")} ${received} received, ${missed} missed`}
    >
      {got === "" ? null : <path class="got" d={got} />}
      {lost === "" ? null : <path class="miss" d={lost} />}
    </svg>
  );
}

/** "Missed 4 of the last 7 nights"; the nights on which a report was expected. */
export function missedText({ missed, nights }: Pick<NightlySummary, "missed" | "nights">): string {
  if (missed.of === 0) return "No report is expected yet";
  if (missed.of === 1)
    return missed.missed === 1 ? "Missed the only night so far" : "The only night so far was not missed";
  const span =
    missed.of === WEEK_NIGHTS ? `last ${WEEK_NIGHTS} nights` : `${countOf(missed.of, "night")} so far`;
  if (missed.missed > 0) return `Missed ${missed.missed} of the ${span}`;
  const all = nights.filter(({ state }) => state === "missed").length;
  return all === 0 ? `None of the ${span} missed` : `None of the ${span} missed, ${all} before that`;
}

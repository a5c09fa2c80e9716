import { type Night, type NightlySummary, WEEK_NIGHTS } from "../../pulse/mod.ts";
import { countOf, formatCount } from "../format.ts";

const STEP = 88 / 14;

/** The last nights as ticks: solid where a report was received, hollow where it was missed, nothing where none was expected. */
export function NightTicks({ nights }: { readonly nights: readonly Night[] }) {
  const received = nights.filter(({ state }) => state === "received").length;
  const missed = nights.filter(({ state }) => state === "missed").length;
  const at = (place: number): number => Number((3 + place * STEP).toFixed(2));
  const ticks = nights.flatMap(({ state }, place) => (state === "received" ? [`M${at(place)} 13v-9`] : []));
  return (
    <svg
      class="spark nights"
      viewBox="0 0 88 14"
      role="img"
      aria-label={`Of the last ${nights.length} nights ${formatCount(received)} received, ${formatCount(missed)} missed`}
    >
      {ticks.length === 0 ? null : <path class="got" d={ticks.join("")} />}
      {nights.map(({ state }, place) =>
        state === "missed" ? (
          <rect class="miss" x={Number((at(place) - 1.5).toFixed(2))} y="4.5" width="3" height="8" />
        ) : null,
      )}
    </svg>
  );
}

/** "Missed 4 of the last 7 nights"; the nights on which a report was expected. */
export function missedText({ missed, nights }: Pick<NightlySummary, "missed" | "nights">): string {
  if (missed.of === 0) return "No report is expected yet";
  const span =
    missed.of === WEEK_NIGHTS ? `last ${WEEK_NIGHTS} nights` : `${countOf(missed.of, "night")} so far`;
  if (missed.missed > 0) return `Missed ${missed.missed} of the ${span}`;
  const all = nights.filter(({ state }) => state === "missed").length;
  return all === 0 ? `None of the ${span} missed` : `None of the ${span} missed, ${all} before that`;
}

/** The picture of a range: one row of letters for each kind, with counts where several lie close together. */
import { ANNOTATION_KINDS, type AnnotationKind, type AnnotationTally } from "../../annotations/mod.ts";
import { addDays, daysBetween, type UtcDay } from "../../lib/utc_day.ts";
import { TickMark } from "../component/chart.tsx";
import { dayTicks } from "../component/day_ticks.ts";
import { ANNOTATION_KINDS as LETTERS } from "../component/mark.tsx";
import { LetterMark, Pin, Plot } from "../component/plot.tsx";
import { countOf, formatCount, formatDay, formatMoment } from "../format.ts";
import type { TimelineDays } from "./query.ts";

const ROW_HEIGHT = 20;

function titleOf(tally: AnnotationTally, from: UtcDay, end: UtcDay, now: number): string {
  const word = LETTERS[tally.kind][1];
  if (tally.count === 1) return `${formatMoment(tally.first, now)}: ${word}`;
  const to = addDays(end, -1);
  const when = from === to ? formatDay(from, now) : `${formatDay(from, now)} to ${formatDay(to, now)}`;
  return `${when}: ${formatCount(tally.count)} × ${word}`;
}

function Letter(props: {
  readonly tally: AnnotationTally;
  readonly x: number;
  readonly top: number;
  readonly title: string;
}) {
  const { tally, top } = props;
  return (
    <>
      <LetterMark letter={LETTERS[tally.kind][0]} x={props.x} y={top} title={props.title} />
      {tally.count === 1 ? null : (
        <Pin x={props.x} hidden>
          <text class="minor" x="11" y={top + 12}>
            {formatCount(tally.count)}
          </text>
        </Pin>
      )}
    </>
  );
}

/** A tally of what stands: a struck entry is no mark on the axis. */
function standingOf(tallies: readonly AnnotationTally[]): AnnotationTally[] {
  return tallies.flatMap((tally) => {
    const count = tally.count - tally.struck;
    return count === 0 ? [] : [{ ...tally, count }];
  });
}

/** Letters by span of days, over an axis of dates. Nothing when there is nothing to show. */
export function TimelineLane(props: {
  readonly tallies: readonly AnnotationTally[];
  readonly days: TimelineDays;
  /** Where the spans begin, and the day after the last one. */
  readonly bounds: readonly UtcDay[];
  readonly now: number;
}) {
  const { days, bounds, now } = props;
  const tallies = standingOf(props.tallies);
  if (tallies.length === 0) return null;
  const total = daysBetween(days.from, days.to) + 1;
  const kinds = ANNOTATION_KINDS.filter((kind) => tallies.some((tally) => tally.kind === kind));
  const rows = new Map<AnnotationKind, number>(kinds.map((kind, index) => [kind, index]));
  const foot = kinds.length * ROW_HEIGHT + 6;
  const sum = tallies.reduce((all, { count }) => all + count, 0);
  const label = `${countOf(sum, "entry", "entries")} by kind, from ${formatDay(days.from, now)} to ${formatDay(days.to, now)}`;
  return (
    <figure class="tracks">
      <Plot height={foot + 20} label={label}>
        {dayTicks(days, now).map((tick) => (
          <TickMark tick={tick} y={foot} />
        ))}
        {tallies.map((tally) => {
          const from = bounds[tally.span] ?? days.from;
          const end = bounds[tally.span + 1] ?? addDays(days.to, 1);
          const middle = (daysBetween(days.from, from) + daysBetween(days.from, end)) / 2;
          return (
            <Letter
              tally={tally}
              x={(middle / total) * 100}
              top={3 + ROW_HEIGHT * (rows.get(tally.kind) ?? 0)}
              title={titleOf(tally, from, end, now)}
            />
          );
        })}
      </Plot>
    </figure>
  );
}

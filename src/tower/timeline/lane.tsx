/** The picture of a range: one row for each kind and one for flags, with counts where several lie close together. */

import { countWords as countOf } from "../../base/text.ts";
import { addDays, daysBetween, type UtcDay } from "../../base/time.ts";
import type { FlagTurn } from "../../flags/queries.ts";
import { ANNOTATION_KINDS } from "../../sites/annotation_schema.ts";
import type { AnnotationTally } from "../../sites/annotations.ts";
import { formatCount, formatDay, formatMoment } from "../format.ts";
import { TickMark } from "../kit/chart.tsx";
import { ANNOTATION_KINDS as LETTERS } from "../kit/chart_marks.tsx";
import { dayTicks } from "../kit/day_bars.tsx";
import { here } from "../kit/here.ts";
import { SEVERITIES, type Severity, type SeverityCounts } from "../kit/links.tsx";
import { LetterMark, Plot } from "../kit/plot.tsx";
import type { TimelineDays } from "./add_form.tsx";
import { countOf as countFlags, type FlagDay } from "./read_timeline.ts";

const ROW_HEIGHT = 20;

function titleOf(tally: AnnotationTally, from: UtcDay, end: UtcDay, now: number): string {
  const word = LETTERS[tally.kind][1];
  if (tally.count === 1) return `${formatMoment(tally.first, now)}: ${word}`;
  return `${whenWords(from, end, now)}: ${formatCount(tally.count)} × ${word}`;
}

/** A tally of what stands: a struck entry is no mark on the axis. */
function standingOf(tallies: readonly AnnotationTally[]): AnnotationTally[] {
  return tallies.flatMap((tally) => {
    const count = tally.count - tally.struck;
    return count === 0 ? [] : [{ ...tally, count }];
  });
}

/** What is drawn of flags. */
export interface LaneFlags {
  readonly days: readonly FlagDay[];
  /** Those raised, unless those resolved are asked for alone; none where no flags are. */
  readonly turn: FlagTurn | undefined;
  readonly severity: Severity | null;
}

/** Flags of one span. */
interface FlagSpan {
  readonly turn: FlagTurn;
  readonly span: number;
  readonly counts: SeverityCounts;
}

/** Counts of flags by span, spans without any left out. */
function flagSpans({ days, turn, severity }: LaneFlags, bounds: readonly UtcDay[]): FlagSpan[] {
  if (turn === undefined) return [];
  return bounds.slice(0, -1).flatMap((from, span) => {
    const end = bounds[span + 1] ?? from;
    const within = days.filter(({ day }) => day >= from && day < end);
    const sum = (of: Severity) =>
      severity === null || severity === of ? within.reduce((all, day) => all + day[turn][of], 0) : 0;
    const counts = { error: sum("error"), warn: sum("warn"), info: sum("info") };
    return countFlags(counts, null) === 0 ? [] : [{ turn, span, counts }];
  });
}

/** "8 Nov to 12 Nov: 3 flags raised: 1 error, 2 warn". */
function flagTitle({ turn, counts }: FlagSpan, when: string): string {
  const each = SEVERITIES.filter((severity) => counts[severity] > 0).map(
    (severity) => `${formatCount(counts[severity])} ${severity}`,
  );
  return `${when}: ${countOf(countFlags(counts, null), "flag")} ${turn}: ${each.join(", ")}`;
}

/** Letters and pennants by span of days, over an axis of dates. Nothing when there is nothing to show. */
export function TimelineLane(props: {
  readonly tallies: readonly AnnotationTally[];
  readonly flags: LaneFlags;
  readonly days: TimelineDays;
  /** Where the spans begin, and the day after the last one. */
  readonly bounds: readonly UtcDay[];
}) {
  const { now } = here();
  const { days, bounds } = props;
  const tallies = standingOf(props.tallies);
  const flags = flagSpans(props.flags, bounds);
  if (tallies.length + flags.length === 0) return null;
  const total = daysBetween(days.from, days.to) + 1;
  const kinds = ANNOTATION_KINDS.filter((kind) => tallies.some((tally) => tally.kind === kind));
  const rows = new Map<string, number>(
    [...kinds, ...(flags.length === 0 ? [] : ["flags"])].map((name, index) => [name, index]),
  );
  const topOf = (name: string) => 3 + ROW_HEIGHT * (rows.get(name) ?? 0);
  const foot = rows.size * ROW_HEIGHT + 6;
  const sum = tallies.reduce((all, { count }) => all + count, 0);
  const turned = flags.reduce((all, { counts }) => all + countFlags(counts, null), 0);
  const told = [
    countOf(sum, "entry", "entries"),
    ...(turned === 0 ? [] : [`${countOf(turned, "flag")} ${props.flags.turn}`]),
  ];
  const label = `${told.join(" and ")} by kind, from ${formatDay(days.from, now)} to ${formatDay(days.to, now)}`;
  const placeOf = (span: number) => {
    const from = bounds[span] ?? days.from;
    const end = bounds[span + 1] ?? addDays(days.to, 1);
    const middle = (daysBetween(days.from, from) + daysBetween(days.from, end)) / 2;
    return { from, end, x: (middle / total) * 100 };
  };
  return (
    <figure class="tracks">
      <Plot height={foot + 20} label={label}>
        {dayTicks(days, now).map((tick) => (
          <TickMark tick={tick} y={foot} />
        ))}
        {tallies.map((tally) => {
          const { from, end, x } = placeOf(tally.span);
          return (
            <LetterMark
              letter={LETTERS[tally.kind][0]}
              x={x}
              y={topOf(tally.kind)}
              title={titleOf(tally, from, end, now)}
              count={tally.count === 1 ? undefined : formatCount(tally.count)}
            />
          );
        })}
        {flags.map((span) => {
          const { from, end, x } = placeOf(span.span);
          const worst = SEVERITIES.find((severity) => span.counts[severity] > 0) ?? "info";
          const count = countFlags(span.counts, null);
          return (
            <svg
              class={span.turn === "raised" ? "flag" : "flag over"}
              data-sev={worst}
              x={`${Number(x.toFixed(2))}%`}
              y={topOf("flags") + 1}
              overflow="visible"
            >
              <title>{flagTitle(span, whenWords(from, end, now))}</title>
              <use href={`#f-${worst}`} x="-7" width="15" height="15" />
              {count === 1 ? null : (
                <text class="minor" x="11" y="11">
                  {formatCount(count)}
                </text>
              )}
            </svg>
          );
        })}
      </Plot>
    </figure>
  );
}

/** The days of a span. */
function whenWords(from: UtcDay, end: UtcDay, now: number): string {
  const to = addDays(end, -1);
  return from === to ? formatDay(from, now) : `${formatDay(from, now)} to ${formatDay(to, now)}`;
}

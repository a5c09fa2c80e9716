/** A figure by day around what was judged of it. Each day is drawn as what it is, told by its shape, and the judged ones in the flag's colour. */

import { countWords as countOf, countText, expectedText } from "../../base/text.ts";
import {
  dayNumber,
  dayOfNumber,
  daysBetween,
  dayTextAt,
  parseUtcDay,
  type UtcDay,
  utcDayOf,
} from "../../base/time.ts";
import type { FlagRow, Severity } from "../../flags/flags.ts";
import { isProvider } from "../../providers/adapter.ts";
import { SERIES_STATES, type SeriesState } from "../../reports/series_days.ts";
import { findSignalSeries, newestFinalDay } from "../../rules/flow_series.ts";
import { seriesName } from "../../sites/flag_titles.ts";
import type { Db } from "../../store/store.ts";
import { formatDay } from "../format.ts";
import { Block } from "../kit/block.tsx";
import { here } from "../kit/here.ts";
import { Told } from "../kit/links.tsx";
import { Box, Level, Plot, Stretch, Words } from "../kit/plot.tsx";
import { Day } from "../kit/proof.tsx";
import { paths } from "../paths.ts";

/** Days before the judged window: the eight weeks that the longest usual cohort reaches back, and two more for the eye. */
const DAYS_BEFORE = 70;
/** Days after it. */
const DAYS_AFTER = 14;
/** A flag is seldom opened later; what it judged then is no longer drawn. */
const OLDEST_DAYS = 1_200;

/** One day of the figure. */
interface FigureDay {
  readonly day: UtcDay;
  readonly state: SeriesState;
  /** Null where nothing was told. */
  readonly value: number | null;
}

/** Days of a window, both ends included, with what they held when they were judged. */
interface CountedDays {
  readonly from: UtcDay;
  readonly to: UtcDay;
  readonly count: number;
}

/** The figure around the judged window. */
export interface FigureDays {
  readonly days: readonly FigureDay[];
  readonly judged: CountedDays;
  /** The earlier windows that it was compared with. */
  readonly cohort: readonly CountedDays[];
  /** The mean of the four earlier windows, where the window is one day and so on the scale of the days. */
  readonly expected: number | undefined;
  /** The newest final day, wherever it lies. */
  readonly finalTo: UtcDay | undefined;
}

/** What is drawn of a flag of a provider's figure; undefined for every other flag. */
export function readFigureDays(db: Db, row: FlagRow, now: number): FigureDays | undefined {
  const { asset, source, metric, rule_inputs: inputs } = row;
  const judged = windowAt(inputs?.["observed"]);
  if (!isProvider(source) || metric === null || judged === undefined) return undefined;
  const age = daysBetween(judged.to, utcDayOf(now));
  if (age < -1 || age > OLDEST_DAYS) return undefined;
  const series = findSignalSeries(db, { asset, source, metric }, now, age + DAYS_BEFORE + DAYS_AFTER);
  if (series === undefined || series.states.length === 0) return undefined;
  const last = series.firstDay + series.states.length - 1;
  const from = Math.max(dayNumber(judged.from) - DAYS_BEFORE, series.firstDay);
  const to = Math.min(dayNumber(judged.to) + DAYS_AFTER, last);
  // Where the level moved among the windows their mean is none that the figure ever had, and no line is drawn of it.
  const expected = inputs?.["moved"] === undefined ? inputs?.["expected"] : undefined;
  const earlier = inputs?.["cohort"];
  const days = Array.from({ length: Math.max(0, to - from + 1) }, (_, place): FigureDay => {
    const at = from + place - series.firstDay;
    const value = series.counts[at] ?? Number.NaN;
    const state = SERIES_STATES[series.states[at] ?? 0] ?? "missing";
    const isTold = state !== "missing" && !Number.isNaN(value);
    return { day: dayOfNumber(from + place), state, value: isTold ? value : null };
  });
  return {
    days,
    judged,
    cohort: Array.isArray(earlier) ? earlier.flatMap((window) => windowAt(window) ?? []) : [],
    expected: judged.from === judged.to && typeof expected === "number" ? expected : undefined,
    finalTo: newestFinalDay(series),
  };
}

function windowAt(value: unknown): CountedDays | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  const { from, to, count } = value as Readonly<Record<"from" | "to" | "count", unknown>>;
  const [first, last] = [parseUtcDay(String(from)), parseUtcDay(String(to))];
  if (first === undefined || last === undefined || typeof count !== "number") return undefined;
  return { from: first, to: last, count };
}

const HEIGHT = 118;
const TOP = 22;
const FOOT = 96;
/** Height of the slot of a day without a value. */
const SLOT = 10;
/** Least height of a bar: one event beside a thousand is no zero. */
const LOWEST = 2;
/** Share of a day's width that its bar takes. */
const BAR = 0.74;

/** What a day is to the judging. */
type Role = "judged" | "compared" | "other";

/** States that are worth a word where they occur, in the order they are told. */
const SAID = ["provisional", "missing", "excluded"] as const satisfies readonly SeriesState[];

/** The figure of a flag, with the day it is final to and the way to all of its days. */
export function FigureBlock({ row, figure }: { row: FlagRow; figure: FigureDays }) {
  const { asset, source, metric } = row;
  if (source === null || metric === null) return null;
  return (
    <Block
      heading="Day by day"
      note={
        <>
          <Told>{seriesName(metric, source)}</Told>
          {figure.finalTo === undefined ? null : [", final to ", <Day day={figure.finalTo} />]}
        </>
      }
      tools={<a href={paths.siteMetric(asset, source, metric)}>Its chart on the site's page</a>}
    >
      <FigurePlot figure={figure} severity={row.severity} />
      <p class="note">
        {[
          "The days in full colour are those it was compared with.",
          revisedWords(figure),
          statesWords(figure),
        ]
          .filter((words) => words !== undefined)
          .join(" ")}
      </p>
    </Block>
  );
}

function FigurePlot({ figure, severity }: { figure: FigureDays; severity: Severity }) {
  const { now } = here();
  const { days, judged, cohort, expected } = figure;
  const [first, last] = [days[0], days.at(-1)];
  if (first === undefined || last === undefined) return null;
  const most = Math.max(...days.map(({ value }) => value ?? 0), expected ?? 0, 1);
  const heightOf = (value: number) =>
    Math.round((value === 0 ? 0 : Math.max(LOWEST, (value / most) * (FOOT - TOP))) * 10) / 10;
  const step = 100 / days.length;
  const roleOf = ({ day }: FigureDay): Role =>
    holds(judged, day) ? "judged" : cohort.some((window) => holds(window, day)) ? "compared" : "other";
  const roles = days.map(roleOf);
  const [compared, ended] = [roles.findIndex((role) => role !== "other"), roles.lastIndexOf("judged")];
  const expectedY = FOOT - heightOf(expected ?? 0);
  const when = judged.from === judged.to ? "on" : "in the days to";
  const seen = heldNow(days, judged);
  const label = `${countOf(days.length, "day")} to ${dayTextAt(last.day, now)}, at most ${countText(most)} a day; ${countText(seen)} ${when} ${dayTextAt(judged.to, now)}, which was judged`;
  return (
    <figure>
      <Plot height={HEIGHT} severity={severity} label={label}>
        <Level class="base" y={FOOT} />
        {days.map((day, place) => (
          <DayBar
            day={day}
            role={roles[place] ?? "other"}
            from={(place + (1 - BAR) / 2) * step}
            width={step * BAR}
            height={heightOf(day.value ?? 0)}
          />
        ))}
        {expected === undefined ? null : (
          <Stretch class="expect" from={compared * step} to={(ended + 1) * step} y={expectedY} />
        )}
        <Words x={0} y={10}>
          {countText(most)}
        </Words>
        {expected === undefined ? null : (
          <Words class="end strong" x={(ended + 1) * step} y={Math.max(10, expectedY - 5)}>
            {expectedText(expected)} expected
          </Words>
        )}
        <Words x={0} y={FOOT + 15}>
          {formatDay(first.day, now)}
        </Words>
        <Words class="end" x={100} y={FOOT + 15}>
          {formatDay(last.day, now)}
        </Words>
      </Plot>
    </figure>
  );
}

function DayBar(props: {
  readonly day: FigureDay;
  readonly role: Role;
  readonly from: number;
  readonly width: number;
  readonly height: number;
}) {
  const { now } = here();
  const { day, role, from, width, height } = props;
  const { state, value } = day;
  const title = `${dayTextAt(day.day, now)}: ${value === null ? state : `${countText(value)}${state === "final" ? "" : `, ${state}`}`}`;
  if (value === null) {
    return <Box class="none" x={from} width={width} y={FOOT - SLOT} height={SLOT} title={title} />;
  }
  if (height === 0) return <Stretch class="zero" from={from} to={from + width} y={FOOT - 1} />;
  return (
    <Box class={kindOf(state, role)} x={from} width={width} y={FOOT - height} height={height} title={title} />
  );
}

/** How a day with a value is drawn. What is not final stays so to the eye, judged or not. */
function kindOf(state: SeriesState, role: Role): string {
  if (state === "provisional") return "prov";
  if (state === "excluded") return "odd";
  return { judged: "seen", compared: "v", other: "pmf" }[role];
}

function holds({ from, to }: Pick<CountedDays, "from" | "to">, day: FigureDay["day"]): boolean {
  return day >= from && day <= to;
}

/** What the judged days hold now, where that is no longer what was judged. */
function revisedWords({ days, judged }: FigureDays): string | undefined {
  const now = heldNow(days, judged);
  if (now === judged.count) return undefined;
  return `${countText(judged.count)} ${judged.count === 1 ? "was" : "were"} told when it was judged, ${countText(now)} now.`;
}

function heldNow(days: readonly FigureDay[], window: CountedDays): number {
  return days.reduce((sum, { day, value }) => (holds(window, day) ? sum + (value ?? 0) : sum), 0);
}

/** "3 days are provisional, 1 day is missing." Undefined where every day is final. */
function statesWords({ days }: FigureDays): string | undefined {
  const parts = SAID.flatMap((state) => {
    const count = days.filter((day) => day.state === state).length;
    return count === 0 ? [] : [`${countOf(count, "day")} ${count === 1 ? "is" : "are"} ${state}`];
  });
  return parts.length === 0 ? undefined : `${parts.join(", ")}; no rule compares such a day.`;
}

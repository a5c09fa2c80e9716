/** The figure of a flag: a metric by day around what was judged of it, each day drawn as what it is, the judged ones in the flag's colour. */

import { countWords as countOf, countText, expectedText } from "../../base/text.ts";
import {
  addDays,
  dayNumber,
  dayOfNumber,
  daysBetween,
  dayTextAt,
  parseUtcDay,
  type UtcDay,
  utcDayOf,
} from "../../base/time.ts";
import type { FlagRow, RuleInputs } from "../../flags/flags.ts";
import { findSeries } from "../../reports/series.ts";
import { SERIES_STATES, type SeriesState } from "../../reports/series_days.ts";
import { dayOffsetOf } from "../../reports/shown_day.ts";
import { newestFinalDay, stretchOfSignal } from "../../rules/flow_series.ts";
import { SENT } from "../../sites/rule_catalogue.ts";
import type { Db } from "../../store/store.ts";
import { formatDay } from "../format.ts";
import { here } from "../kit/here.ts";
import { Box, Legend, Level, Plot, Stretch, Words } from "../kit/plot.tsx";
import { Day } from "../kit/proof.tsx";
import { paths } from "../paths.ts";

/** Days before what was compared, for the eye. */
const DAYS_AROUND = 7;
/** Most days before what was judged. */
const MOST_BEFORE = 70;
/** Days after it. */
const DAYS_AFTER = 14;
/** A flag is seldom opened later; what it judged then is no longer drawn. */
const OLDEST_DAYS = 1_200;

/** One day of the figure. */
interface FigureDay {
  readonly day: UtcDay;
  readonly state: SeriesState;
  /** Null where there is no data. */
  readonly value: number | null;
}

/** Days of a window, both ends included, with what they held when they were judged, where that is known. */
interface CountedDays {
  readonly from: UtcDay;
  readonly to: UtcDay;
  readonly count: number | undefined;
}

/** The figure around the judged window. */
export interface FigureDays {
  readonly days: readonly FigureDay[];
  readonly judged: CountedDays;
  /** The earlier windows that it was compared with. */
  readonly cohort: readonly CountedDays[];
  /** What a day was compared with, and how that is called; absent where a window of several days has another scale. */
  readonly line: { readonly value: number; readonly words: string } | undefined;
  /** The newest final day, wherever it lies. */
  readonly finalTo: UtcDay | undefined;
}

/** What is drawn of a flag on a metric, by the days that it is shown on; undefined for every other flag. */
export function readFigureDays(db: Db, row: FlagRow, now: number): FigureDays | undefined {
  const { asset, source, metric, rule_inputs: inputs } = row;
  const judged = windowAt(inputs?.["observed"]);
  if (source === null || metric === null || inputs === null || judged === undefined) return undefined;
  const age = daysBetween(judged.to, utcDayOf(now));
  const id = findSeries(db, { asset, source, metric });
  if (age < -1 || age > OLDEST_DAYS || id === undefined) return undefined;
  const series = stretchOfSignal(db, id, utcDayOf(now), age + MOST_BEFORE + DAYS_AFTER);
  if (series.states.length === 0) return undefined;
  const offset = source === SENT ? dayOffsetOf(db, asset) : 0;
  const firstDay = series.firstDay + offset;
  const earlier = inputs["cohort"] ?? [inputs["earlier"]];
  const cohort = Array.isArray(earlier) ? earlier.flatMap((window) => windowAt(window) ?? []) : [];
  const compared = [judged, ...cohort].map(({ from }) => dayNumber(from) - DAYS_AROUND);
  const from = Math.max(Math.min(...compared), dayNumber(judged.from) - MOST_BEFORE, firstDay);
  const to = Math.min(dayNumber(judged.to) + DAYS_AFTER, firstDay + series.states.length - 1);
  const days = Array.from({ length: Math.max(0, to - from + 1) }, (_, place): FigureDay => {
    const at = from + place - firstDay;
    const value = series.counts[at] ?? Number.NaN;
    const state = SERIES_STATES[series.states[at] ?? 0] ?? "missing";
    const isKnown = state !== "missing" && !Number.isNaN(value);
    return { day: dayOfNumber(from + place), state, value: isKnown ? value : null };
  });
  const finalTo = newestFinalDay(series);
  return { days, judged, cohort, line: lineOf(inputs, judged), finalTo: finalTo && addDays(finalTo, offset) };
}

/** Where the level moved among the windows their mean is none that the figure ever had, and the level before stands for it. */
function lineOf(inputs: RuleInputs, judged: CountedDays): FigureDays["line"] {
  const { expected, moved } = inputs;
  const { level_before: before } = (moved ?? inputs) as RuleInputs;
  if (typeof before === "number") return { value: before, words: `${expectedText(before)} before` };
  return typeof expected === "number" && judged.from === judged.to
    ? { value: expected, words: `${expectedText(expected)} expected` }
    : undefined;
}

function windowAt(value: unknown): CountedDays | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  const { from, to, count } = value as Readonly<Record<"from" | "to" | "count", unknown>>;
  const [first, last] = [parseUtcDay(String(from)), parseUtcDay(String(to))];
  if (first === undefined || last === undefined) return undefined;
  return { from: first, to: last, count: typeof count === "number" ? count : undefined };
}

const HEIGHT = 180;
const TOP = 24;
const FOOT = 158;
/** Height of the slot of a day without a value. */
const SLOT = 10;
/** Least height of a bar: one event beside a thousand is no zero. */
const LOWEST = 2;
/** Share of a day's width that its bar takes. */
const BAR = 0.74;

const SIGN = { x: 6, y: 1, width: 8, height: 11 };
/** How a day is drawn, and what its sign means. */
const SIGNS = {
  seen: "This flag",
  v: "Compared with",
  pmf: "Other days",
  prov: "Not final yet",
  odd: "Ignored by rules",
  none: "No data",
} as const;

/** The days of a flag's metric, with what their signs mean and the way to all of them. */
export function FlagFigure({ row, figure }: { row: FlagRow; figure: FigureDays }) {
  const { now } = here();
  const { days, judged, cohort, line, finalTo } = figure;
  const [first, last] = [days[0], days.at(-1)];
  if (first === undefined || last === undefined || row.source === null || row.metric === null) return null;
  const most = Math.max(...days.map(({ value }) => value ?? 0), line?.value ?? 0, 1);
  const heightOf = (value: number) =>
    Math.round((value === 0 ? 0 : Math.max(LOWEST, (value / most) * (FOOT - TOP))) * 10) / 10;
  const step = 100 / days.length;
  const kinds = days.map((day) => kindOf(day, figure));
  const place = (day: UtcDay) => daysBetween(first.day, day);
  const lineFrom = Math.max(0, Math.min(...[judged, ...cohort].map(({ from }) => place(from)))) * step;
  const lineTo = (place(judged.to) + 1) * step;
  const lineY = FOOT - heightOf(line?.value ?? 0);
  const seen = days.reduce((sum, { day, value }) => (holds(judged, day) ? sum + (value ?? 0) : sum), 0);
  const when = judged.from === judged.to ? "on" : "in the days to";
  const label = `${countOf(days.length, "day")} to ${dayTextAt(last.day, now)}, at most ${countText(most)} a day; ${countText(seen)} ${when} ${dayTextAt(judged.to, now)}, which was judged`;
  return (
    <figure data-sev={row.severity}>
      <Plot height={HEIGHT} label={label}>
        <Level class="base" y={FOOT} />
        {days.map((day, at) => (
          <DayBar
            day={day}
            kind={kinds[at] ?? "pmf"}
            from={(at + (1 - BAR) / 2) * step}
            width={step * BAR}
            height={heightOf(day.value ?? 0)}
          />
        ))}
        <Words x={0} y={10}>
          {countText(most)}
        </Words>
        {line === undefined ? null : (
          <>
            <Stretch class="expect" from={lineFrom} to={lineTo} y={lineY} />
            <Words class="end strong" x={lineTo} y={Math.max(10, lineY - 5)}>
              {line.words}
            </Words>
          </>
        )}
        <Words x={0} y={FOOT + 16}>
          {formatDay(first.day, now)}
        </Words>
        <Words class="end" x={100} y={FOOT + 16}>
          {formatDay(last.day, now)}
        </Words>
      </Plot>
      <Legend
        signs={Object.entries(SIGNS).map(([kind, words]) =>
          kinds.some((one) => one === kind) ? [<rect class={kind} {...SIGN} />, words] : null,
        )}
      >
        {finalTo === undefined ? null : (
          <li>
            Final to <Day day={finalTo} />
          </li>
        )}
        {judged.count === undefined || judged.count === seen ? null : (
          <li>
            {countText(judged.count)} when judged, {countText(seen)} now
          </li>
        )}
        <li class="push">
          <a href={paths.siteMetric(row.asset, row.source, row.metric)}>Open metric</a>
        </li>
      </Legend>
    </figure>
  );
}

function DayBar(props: {
  readonly day: FigureDay;
  readonly kind: keyof typeof SIGNS;
  readonly from: number;
  readonly width: number;
  readonly height: number;
}) {
  const { now } = here();
  const { day, kind, from, width } = props;
  const height = kind === "none" ? SLOT : props.height;
  if (height === 0) return <Stretch class="zero" from={from} to={from + width} y={FOOT - 1} />;
  const value = day.value === null ? "" : countText(day.value);
  const state = kind === "none" || kind === "prov" || kind === "odd" ? SIGNS[kind].toLowerCase() : "";
  const title = `${dayTextAt(day.day, now)}: ${[value, state].filter((words) => words !== "").join(", ")}`;
  return <Box class={kind} x={from} width={width} y={FOOT - height} height={height} title={title} />;
}

/** What is not final stays so to the eye, judged or not. */
function kindOf({ day, state, value }: FigureDay, { judged, cohort }: FigureDays): keyof typeof SIGNS {
  if (value === null) return "none";
  if (state === "provisional") return "prov";
  if (state === "excluded") return "odd";
  return holds(judged, day) ? "seen" : cohort.some((window) => holds(window, day)) ? "v" : "pmf";
}

function holds({ from, to }: CountedDays, day: UtcDay): boolean {
  return day >= from && day <= to;
}

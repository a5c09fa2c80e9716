/** The chart of a flag: its metric by day around what was judged of it, or its figure of the code by report; and the changes near its day. */

import { countText } from "../../base/text.ts";
import { addDays, DAY_MS, daysBetween, eachDay, parseUtcDay, utcDayOf } from "../../base/time.ts";
import type { FlagRow } from "../../flags/flags.ts";
import { listReports } from "../../reports/codebase.ts";
import { codebaseTracks } from "../../reports/codebase_view.ts";
import { listBetween, type StoredAnnotation } from "../../sites/annotations.ts";
import { ruleOf } from "../../sites/rule_catalogue.ts";
import { findAsset } from "../../sites/sites.ts";
import type { Db } from "../../store/store.ts";
import type { PageGround } from "../ground.ts";
import { Chart, type ChartLane } from "../kit/chart.tsx";
import { type ChartAnnotation, Mark } from "../kit/chart_marks.tsx";
import { Told } from "../kit/links.tsx";
import { Block } from "../kit/list.tsx";
import type { ChartDays } from "../kit/plot.tsx";
import { Moment } from "../kit/proof.tsx";
import { paths } from "../paths.ts";
import { trackLane } from "../site/codebase_parts.tsx";
import { metricHref, WHOLE_SITE } from "../site/lanes.ts";
import { chartLane, lanesOf, readSite } from "../site/site_days.tsx";
import { readJudged } from "../site/verdict.tsx";
import { annotationName } from "../timeline/day.tsx";

const HEIGHT = 180;
/** Days before what was compared, for the eye. */
const DAYS_AROUND = 7;
/** Most days before what was judged. */
const MOST_BEFORE = 70;
/** Days after it. */
const DAYS_AFTER = 14;
/** Days of codebase reports before the one that was judged. */
const CODE_DAYS = 90;
const MOST_REPORTS = 200;

export interface FlagFigure {
  readonly days: ChartDays;
  readonly lane: ChartLane;
  readonly annotations: readonly ChartAnnotation[];
  /** Where all of its days are. */
  readonly href: string;
  /** What the judged days hold now, where that is no longer what was judged. */
  readonly revised: string | undefined;
}

/** What is drawn of a flag, by the days that it is shown on; undefined where it is about nothing that has a chart. */
export function readFigure(deps: PageGround, row: FlagRow, now: number): FlagFigure | undefined {
  const chart = ruleOf(row.rule)?.chart;
  return chart === undefined ? metricFigure(deps, row, now) : codeFigure(deps, row, chart, now);
}

/** Days of a window, both ends included, with what they held when they were judged, where that is known. */
function windowAt(value: unknown) {
  const { from, to, count } = (value ?? {}) as Readonly<Record<"from" | "to" | "count", unknown>>;
  const [first, last] = [parseUtcDay(String(from)), parseUtcDay(String(to))];
  if (first === undefined || last === undefined) return undefined;
  return { from: first, to: last, count: typeof count === "number" ? count : undefined };
}

/** The chart of the metric's page, with the days that were judged in the flag's colour and those they were compared with dark. */
function metricFigure(deps: PageGround, row: FlagRow, now: number): FlagFigure | undefined {
  const { asset, source, metric, severity, rule_inputs: inputs } = row;
  const judged = windowAt(inputs?.["observed"]);
  const site = findAsset(deps.db, asset);
  if (source === null || metric === null || judged === undefined || site === undefined) return undefined;
  const earlier = inputs?.["cohort"] ?? [inputs?.["earlier"]];
  const cohort = Array.isArray(earlier) ? earlier.flatMap((window) => windowAt(window) ?? []) : [];
  const first = [judged, ...cohort].map(({ from }) => from).toSorted()[0] ?? judged.from;
  const before = Math.min(daysBetween(first, judged.from) + DAYS_AROUND, MOST_BEFORE);
  const chosen = { from: addDays(judged.from, -before), to: addDays(judged.to, DAYS_AFTER) };
  const charts = readSite(deps, site, { ...WHOLE_SITE, source, metric, ...chosen }, now).days;
  const [lane] = lanesOf(charts);
  if (lane === undefined) return undefined;
  const ranges = readJudged(deps, lane, charts, now)?.ranges;
  const drawn = chartLane(lane, { height: HEIGHT, ...(ranges !== undefined && { expected: ranges }) });
  const days = eachDay(judged);
  const seen = lane.days.reduce((sum, { day, value }) => (days.includes(day) ? sum + (value ?? 0) : sum), 0);
  return {
    days: charts.days,
    lane: {
      ...drawn,
      flags: [],
      flagged: new Map(days.map((day) => [day, severity] as const)),
      compared: new Set(cohort.flatMap((window) => eachDay(window))),
    },
    annotations: charts.annotations.marks,
    href: metricHref(asset, { source, metric }),
    revised:
      judged.count === undefined || judged.count === seen
        ? undefined
        : `${countText(judged.count)} when judged, ${countText(seen)} now.`,
  };
}

function codeFigure({ db }: PageGround, row: FlagRow, chart: string, now: number): FlagFigure | undefined {
  const { asset, severity, message, rule_inputs: inputs } = row;
  const report = inputs?.["report"] as { readonly date?: unknown } | null | undefined;
  const date = parseUtcDay(String(report?.date));
  if (date === undefined) return undefined;
  const [to = date] = [addDays(date, DAYS_AFTER), utcDayOf(now)].toSorted();
  const days = { from: addDays(date, -CODE_DAYS), to };
  const reports = listReports(db, { asset, ...days, allRevisions: false }, MOST_REPORTS);
  const track = codebaseTracks(reports, days).find(({ id }) => id === chart);
  if (track === undefined) return undefined;
  return {
    days,
    lane: { ...trackLane(track), height: HEIGHT, flags: [{ date, severity, message }] },
    annotations: [],
    href: paths.codebase(asset),
    revised: undefined,
  };
}

export function Figure({ figure }: { readonly figure: FlagFigure }) {
  const { days, lane, annotations, href, revised } = figure;
  return (
    <Chart isAlone days={days} lanes={[lane]} annotations={annotations}>
      <p class="note">
        {revised} <a href={href}>{lane.form === "bars" ? "Open metric" : "All figures of the code"}</a>
      </p>
    </Chart>
  );
}

// The changes near the day since when something is flagged.

/** So long before it, and after it, in milliseconds. */
const [BEFORE_MS, AFTER_MS] = [7 * DAY_MS, DAY_MS];
/** Most changes named. */
const MOST_NEAR = 20;

/** The changes around a moment. */
export const nearOf = (db: Db, asset: string, at: number) =>
  listBetween(db, asset, at - BEFORE_MS, at + AFTER_MS, MOST_NEAR);

export function Near({ near }: { readonly near: readonly StoredAnnotation[] }) {
  return (
    <Block heading="Changes around that date" note="Correlation only">
      {near.length === 0 ? <p>No changes in the week before or the day after</p> : null}
      <ul class="near">
        {near.map((change) => (
          <li>
            <Mark kind={change.kind} />
            <Moment at={change.atMs} />
            <span>
              <Told class="wrap">{annotationName(change)}</Told>
              {change.note === null || change.note === annotationName(change) ? null : (
                <small>
                  <Told class="wrap">{change.note}</Told>
                </small>
              )}
            </span>
          </li>
        ))}
      </ul>
    </Block>
  );
}

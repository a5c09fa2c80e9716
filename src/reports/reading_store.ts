/** The readings of nightly reports, in the series: put in place report by report, in the order of acceptance. */

import * as v from "valibot";
import {
  AssetIdSchema,
  boundedList,
  fields,
  hasControl,
  NO_CONTROL,
  plainObject,
  rule,
  ruleMessage,
  text,
} from "../base/contract.ts";
import { newestDay } from "../base/receive.ts";
import { dayNumber, dayOfNumber, Timestamp, type UtcDay } from "../base/time.ts";
import { SENT } from "../sites/flag_titles.ts";
import type { Db, Tx } from "../store/store.ts";
import { daysOf, unlessDamaged } from "./block.ts";
import type { StoredPulse } from "./pulse.ts";
import type { DayValue } from "./series_contract.ts";
import { addSeries, findFirstBlock, findSeries, listSeries, putDays, readBlocks } from "./series_series.ts";

/** What a nightly report may hold (spec, Nightly report). */

/** Largest body of a nightly report, in bytes. */
export const MAX_PULSE_BYTES = 256 * 1024;

/** Most metrics, flags and pages with negative events of one report: each is judged, shown or raised on its own. */
const METRICS = 200;
const FLAGS = 100;
const PAGES = 1_000;

const NAME = 200;
const PAGE = 512;
const MESSAGE = 2_000;

const count = v.pipe(
  v.unknown(),
  v.check(
    (value) => Number.isSafeInteger(value) && (value as number) >= 0,
    ruleMessage("count", "must be a whole number from 0 to 9007199254740991"),
  ),
  v.transform((value) => (value as number) + 0),
  v.number(),
  v.metadata({ type: "integer", minimum: 0, maximum: Number.MAX_SAFE_INTEGER }),
);

const decimal = v.pipe(
  v.unknown(),
  v.check(
    (value) => typeof value === "number" && Number.isFinite(value),
    ruleMessage("decimal", "must be a number"),
  ),
  v.transform((value) => (value as number) + 0),
  v.number(),
);

/** Something named on one line: not empty, no control characters. */
function line(max: number) {
  return v.pipe(
    text(max),
    rule<string>("not-empty", (value) => value !== "", "must not be empty"),
    rule<string>("control-character", (value) => !hasControl(value), "must not hold a control character"),
    v.metadata({ minLength: 1, ...NO_CONTROL }),
  );
}

const name = line(NAME);
const page = line(PAGE);

const list = <S extends v.GenericSchema>(item: S) => v.array(item, ruleMessage("type", "must be a list"));

const picklist = <const T extends readonly string[]>(values: T) =>
  v.picklist(values, ruleMessage("enum", `must be one of ${values.join(", ")}`));

/** A flag in transit; `msg` is text and nothing else. What a milestone's severity becomes: see `milestonesAsInfo`. */
const Flag = fields({
  severity: picklist(["info", "warn", "error"]),
  kind: picklist(["anomaly", "opportunity", "milestone"]),
  metric: v.exactOptional(name),
  msg: text(MESSAGE),
});

/** One metric's figures. `avg7d` is diagnostic: it is kept and shown, and never reaches a baseline. */
const Metric = fields({
  last24h: v.exactOptional(count),
  avg7d: v.exactOptional(v.pipe(decimal, v.description("Kept and shown; no rule reads it."))),
  total: v.exactOptional(count),
});

export const PulseSchema = fields({
  asset: AssetIdSchema,
  generatedAt: Timestamp,
  capabilities: v.exactOptional(list(name)),
  metrics: v.pipe(
    plainObject,
    // Before any metric, so that a hostile report costs one issue, not thousands.
    v.rawCheck<unknown>(({ dataset, addIssue }) => {
      // What is no object has its issue already, and no keys to count.
      if (dataset.issues !== undefined || Object.keys(dataset.value as object).length <= METRICS) return;
      addIssue({ message: ruleMessage("max-items", `must have at most ${METRICS} metrics`) });
    }),
    v.record(name, Metric, ruleMessage("type", "must be an object")),
    v.metadata({
      maxProperties: METRICS,
      description:
        "By the metric's name. A metric or a figure that is absent was not measured; it is never 0.",
    }),
  ),
  negativeByPage: v.exactOptional(boundedList(fields({ page, count }), PAGES)),
  flags: v.exactOptional(boundedList(Flag, FLAGS)),
});

export type Pulse = v.InferOutput<typeof PulseSchema>;

/** A metric's figures on one day; an absent figure is null. */
interface DailyReading {
  readonly date: UtcDay;
  readonly last24h: number | null;
  readonly total: number | null;
}

/** What a report says of a metric, as a day of its series. The mean of seven days is shown from the report and kept nowhere else. */
export function dayOfFigures({ last24h, total }: Pulse["metrics"][string]): DayValue {
  const said = { value: unsigned(last24h), total: unsigned(total) };
  return last24h === undefined
    ? { state: "missing", basis: null, ...said }
    : { state: "final", basis: "reported", ...said };
}

/** JSON knows a zero with a sign, and a count has none. */
const unsigned = (count: number | undefined): number | null => (count === undefined ? null : count + 0);

/**
 * Puts a report's metrics in place of those of the revision before: a metric that is no longer sent is absent. A first revision has
 * nothing before it. Days that are damaged stay as they are until they are made anew from the reports, and stop no other metric.
 */
export function replaceReadings(
  tx: Tx,
  report: Pick<StoredPulse, "asset" | "date" | "revision">,
  metrics: Pulse["metrics"],
): void {
  const { asset, date, revision } = report;
  const day = dayNumber(date);
  const known = listSeries(tx, asset, SENT);
  const ids = new Map(known.map(({ id, metric }) => [metric, id]));
  for (const [metric, figures] of Object.entries(metrics)) {
    const id = ids.get(metric) ?? addSeries(tx, { asset, source: SENT, metric }, day);
    unlessDamaged(() => putDays(tx, id, [{ day, to: dayOfFigures(figures) }]));
  }
  if (revision === 1) return;
  for (const { id, metric } of known) {
    if (!Object.hasOwn(metrics, metric)) unlessDamaged(() => putDays(tx, id, [{ day, to: undefined }]));
  }
}

/** A metric's daily figures between two days, none of them ahead of `now`, oldest first; an absent figure is null. */
export function listDaily(
  db: Db,
  asset: string,
  metric: string,
  span: { readonly from: UtcDay; readonly to: UtcDay },
  now: number,
): DailyReading[] {
  return readingsBetween(db, asset, metric, {
    from: dayNumber(span.from),
    to: Math.min(dayNumber(span.to), dayNumber(newestDay(now))),
  });
}

/** A metric's daily figures between two days, oldest first; days that are damaged are left out. */
function readingsBetween(
  db: Db,
  asset: string,
  metric: string,
  { from, to }: { readonly from: number; readonly to: number },
): DailyReading[] {
  const id = findSeries(db, { asset, source: SENT, metric });
  const readings: DailyReading[] = [];
  for (const { block, days } of id === undefined ? [] : readBlocks(db, id, from, to)) {
    for (const [day, { value, total }] of unlessDamaged(() => daysOf(days, block)) ?? []) {
      if (day >= from && day <= to) readings.push({ date: dayOfNumber(day), last24h: value, total });
    }
  }
  return readings;
}

/** The first day on which a metric has a reading. */
export function findFirstDay(db: Db, asset: string, metric: string): UtcDay | undefined {
  const id = findSeries(db, { asset, source: SENT, metric });
  const first = id === undefined ? undefined : findFirstBlock(db, id);
  if (first === undefined) return undefined;
  const [day] = unlessDamaged(() => daysOf(first.days, first.block))?.keys() ?? [];
  return day === undefined ? undefined : dayOfNumber(day);
}

/** Everything that is known of one day of a site: each figure with the values it had before, and what happened on it. */
import { listBetween, type StoredAnnotation } from "../../annotations/mod.ts";
import { codebaseTracks, listReports } from "../../codebase/mod.ts";
import type { Db } from "../../db/mod.ts";
import { SERIES_SOURCES, type SeriesSource } from "../../flags/mod.ts";
import { dayNumber } from "../../lib/day_number.ts";
import { addDays, startOfDay, type UtcDay } from "../../lib/utc_day.ts";
import { PROVIDERS } from "../../provider/contract.ts";
import { dayOffsetOf, listRevisions, type PulseRow } from "../../pulse/mod.ts";
import { SENT } from "../../rules/mod.ts";
import { blockOf, type DayValue, daysOf, listAllSeries, readBlock, unlessDamaged } from "../../series/mod.ts";
import { revisionsOfDay } from "../../signals/mod.ts";
import type { FigureState } from "./figures.ts";
import { type DayFlag, flagsBetween, type LaneKey, laneKey } from "./flags.ts";
import { CODE, type FigureUnit, type Half, labelOf, placeIn, unitOf } from "./named.ts";
import { MOST_REVISIONS, type SeenValue, sentRevisions, sentSeen, signalSeen } from "./seen.ts";

/** Most annotations of a day that are listed. */
const MOST_ANNOTATIONS = 100;
/** Most series that are looked through for a day. */
const MOST_SERIES = 1_200;

/** One figure of the day. */
export interface FigureOfDay {
  readonly key: LaneKey;
  readonly half: Half;
  readonly metric: string;
  readonly label: string;
  readonly unit: FigureUnit;
  readonly value: number | null;
  readonly state: FigureState;
  readonly basis: DayValue["basis"];
  /** Every value it had, oldest first; the last one holds. Empty where that is not known. */
  readonly seen: readonly SeenValue[];
}

export interface SiteDay {
  readonly asset: string;
  readonly day: UtcDay;
  readonly figures: readonly FigureOfDay[];
  /** The nightly reports of the day, newest revision first. */
  readonly reports: readonly PulseRow[];
  /** The revision of the day's codebase report; undefined where there is none. */
  readonly code: number | undefined;
  readonly annotations: readonly StoredAnnotation[];
  readonly flags: readonly DayFlag[];
}

/** Reads one day of a site. */
export function readSiteDay(db: Db, asset: string, day: UtcDay, now: number): SiteDay {
  const offset = dayOffsetOf(db, asset);
  const reports = listRevisions(db, asset, addDays(day, -offset), MOST_REVISIONS);
  const sent = sentRevisions(db, reports);
  const series = listAllSeries(db, asset);
  const sources = PROVIDERS.filter((provider) => series.some(({ source }) => source === provider));
  const revisions =
    sources.length === 0 ? undefined : revisionsOfDay(db, { asset, sources, day: dayNumber(day) });
  const told = series.slice(0, MOST_SERIES).flatMap(({ id, source, metric }): FigureOfDay[] => {
    if (!isSource(source)) return [];
    const number = dayNumber(day) - (source === SENT ? offset : 0);
    const block = readBlock(db, id, blockOf(number));
    const said = unlessDamaged(() => daysOf(block, blockOf(number)))?.get(number);
    const seen =
      source === SENT ? sentSeen(sent, metric) : signalSeen(revisions?.get(source)?.get(metric) ?? []);
    if (said === undefined && seen.length === 0) return [];
    return [
      {
        key: laneKey(source, metric),
        half: source,
        metric,
        label: labelOf(source, metric),
        unit: unitOf(source, metric),
        value: said?.value ?? null,
        state: said?.state ?? "missing",
        basis: said?.basis ?? null,
        seen,
      },
    ];
  });
  const code = codeOf(db, asset, day);
  return {
    asset,
    day,
    figures: [...told.toSorted((one, other) => orderOf(one) - orderOf(other)), ...code.figures],
    reports,
    code: code.revision,
    annotations: listBetween(db, asset, startOfDay(day), startOfDay(addDays(day, 1)) - 1, MOST_ANNOTATIONS),
    flags: flagsBetween(db, { asset, offset }, { from: day, to: day }, now),
  };
}

const isSource = (source: string): source is SeriesSource => SERIES_SOURCES.some((known) => known === source);
/** By source, then as its figures are asked for. */
const orderOf = ({ half, metric }: FigureOfDay): number =>
  half === CODE ? SERIES_SOURCES.length : SERIES_SOURCES.indexOf(half) + placeIn(half, metric) / MOST_SERIES;

function codeOf(
  db: Db,
  asset: string,
  day: UtcDay,
): { readonly revision: number | undefined; readonly figures: FigureOfDay[] } {
  const reports = listReports(db, { asset, from: day, to: day, allRevisions: false }, 1);
  const [report] = reports;
  if (report === undefined) return { revision: undefined, figures: [] };
  const figures = codebaseTracks(reports, { from: day, to: day }).flatMap(({ id, label, unit, points }) => {
    const value = points[0]?.value;
    if (value === undefined) return [];
    const seen = [{ value, seenAt: report.receivedAt }];
    const figure: FigureOfDay = {
      key: laneKey(CODE, id),
      half: CODE,
      metric: id,
      label,
      unit,
      value,
      state: "final",
      basis: "reported",
      seen,
    };
    return [figure];
  });
  return { revision: report.revision, figures };
}

/** Everything that is known of one day of a site: each figure with the values it had before, and what happened on it. */

import { countWords as countOf } from "../../base/text.ts";
import { addDays, dayNumber, dayOfNumber, startOfDay, type UtcDay } from "../../base/time.ts";
import { SERIES_SOURCES, type SeriesSource } from "../../flags/flags.ts";
import { isProvider, PROVIDERS } from "../../providers/adapter.ts";
import { listReports } from "../../reports/codebase.ts";
import { codebaseTracks } from "../../reports/codebase_view.ts";
import { findPulseBody, listRevisions, type PulseRow } from "../../reports/pulse.ts";
import type { Pulse } from "../../reports/pulse_contract.ts";
import { listAllSeries, readBlock } from "../../reports/series.ts";
import { blockOf, type DayValue, daysOf, unlessDamaged } from "../../reports/series_days.ts";
import { dayOffsetOf, listRevisedDays } from "../../reports/shown_day.ts";
import { type DayRevision, revisionsBetween, revisionsOfDay } from "../../signals/day_revisions.ts";
import { listBetween, type StoredAnnotation } from "../../sites/annotations.ts";
import { SENT } from "../../sites/rule_catalogue.ts";
import type { Db } from "../../store/store.ts";
import { formatDay } from "../format.ts";
import { Block } from "../kit/block.tsx";
import type { DayState } from "../kit/chart.tsx";
import { here } from "../kit/here.ts";
import { Moment } from "../kit/proof.tsx";
import { readWhole } from "../layout.tsx";
import { paths } from "../paths.ts";
import {
  CODE,
  closeText,
  type DayFlag,
  type FigureUnit,
  figureText,
  flagsBetween,
  type Half,
  type LaneKey,
  labelOf,
  laneKey,
  placeIn,
  unitOf,
} from "./lanes.ts";
import { lanesOf, type SiteDays } from "./site_days.tsx";

/** The values that a day of a figure had, one after another. */

/** Most revisions of a nightly report that are compared, the newest. */
const MOST_REVISIONS = 20;
/** Most revised days that are told of one figure, the newest. */
const MOST_DAYS = 20;

/** A value that a day had for a while, and when it was first told, in milliseconds since the epoch. */
interface SeenValue {
  /** Null where it was told that there is none. */
  readonly value: number | null;
  readonly seenAt: number;
}

/** A day whose value became another. */
export interface RevisedDay {
  readonly day: UtcDay;
  /** Oldest first; the last one holds. */
  readonly seen: readonly SeenValue[];
}

/** What a revision of a nightly report says. */
interface SentRevision {
  readonly receivedAt: number;
  readonly metrics: Pulse["metrics"];
}

/** What each of these revisions says, the oldest first; a body that is damaged says nothing. */
function sentRevisions(db: Db, reports: readonly PulseRow[]): SentRevision[] {
  return reports.toReversed().flatMap((row) => {
    const body = readWhole(() => findPulseBody(db, row));
    return body.ok
      ? [{ receivedAt: row.receivedAt, metrics: (JSON.parse(body.value) as Pulse).metrics }]
      : [];
  });
}

/** The values that the revisions of a day's report gave a metric; one that is no longer sent has none. */
function sentSeen(sent: readonly SentRevision[], metric: string): SeenValue[] {
  return changesOf(
    sent.map(({ receivedAt, metrics }) => ({
      value: (Object.hasOwn(metrics, metric) ? metrics[metric]?.last24h : undefined) ?? null,
      seenAt: receivedAt,
    })),
  );
}

function signalSeen(revisions: readonly Pick<DayRevision, "value" | "firstAt">[]): SeenValue[] {
  return changesOf(revisions.map(({ value, firstAt }) => ({ value, seenAt: firstAt })));
}

/** The values in their order, each once for as long as it held; what is absent before the first value is no value. Pure. */
export function changesOf(values: readonly SeenValue[]): SeenValue[] {
  const changes: SeenValue[] = [];
  for (const seen of values) {
    const last = changes.at(-1);
    if (last === undefined ? seen.value === null : last.value === seen.value) continue;
    changes.push(seen);
  }
  return changes;
}

/** More digits than any value of a series has. */
const MOST_DIGITS = 17;

/** The values in words, each told from the one before: with more digits than elsewhere where they would read alike. Pure. */
export function seenTexts(unit: FigureUnit, seen: readonly SeenValue[]): string[] {
  const inWords = (text: (value: number) => string) =>
    seen.map(({ value }) => (value === null ? "not sent" : text(value)));
  const readAlike = (texts: readonly string[]) =>
    texts.some((text, at) => text === texts[at - 1] && seen[at]?.value !== seen[at - 1]?.value);
  let texts = inWords((value) => figureText(unit, value));
  for (let digits = 3; digits <= MOST_DIGITS && readAlike(texts); digits++) {
    texts = inWords((value) => closeText(unit, value, digits));
  }
  return texts;
}

/** The days of one figure whose value was revised, the newest first. */
export function readRevised(
  db: Db,
  of: { readonly asset: string; readonly source: SeriesSource; readonly metric: string },
  { days, offset }: Pick<SiteDays, "days" | "offset">,
): RevisedDay[] {
  const { asset, source, metric } = of;
  const all = isProvider(source)
    ? [
        ...revisionsBetween(db, {
          asset,
          source,
          metric,
          from: dayNumber(days.from),
          to: dayNumber(days.to),
        }),
      ].map(([day, revisions]) => ({ day: dayOfNumber(day), seen: signalSeen(revisions) }))
    : listRevisedDays(
        db,
        asset,
        { from: addDays(days.from, -offset), to: addDays(days.to, -offset) },
        MOST_DAYS,
      ).map((day) => ({
        day: addDays(day, offset),
        seen: sentSeen(sentRevisions(db, listRevisions(db, asset, day, MOST_REVISIONS)), metric),
      }));
  return all
    .filter(({ seen }) => seen.length > 1)
    .toSorted((one, other) => (one.day < other.day ? 1 : -1))
    .slice(0, MOST_DAYS);
}

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
  readonly state: DayState;
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

/** "17 Nov was 112 when first seen 18 Nov 04:15, 131 now." The day leads to its own page where `href` says so. */

export function Revision(props: {
  readonly unit: FigureUnit;
  readonly revised: RevisedDay;
  readonly href?: string;
}) {
  const { now } = here();
  const { unit, revised, href } = props;
  const { day, seen } = revised;
  const first = seen[0];
  const last = seen.at(-1);
  if (first === undefined || last === undefined) return null;
  const words = formatDay(day, now);
  const texts = seenTexts(unit, [first, last]);
  return (
    <>
      {href === undefined ? words : <a href={href}>{words}</a>} was <b>{texts[0]}</b> when first seen{" "}
      <Moment at={first.seenAt} />, <b>{texts[1]}</b> now.
    </>
  );
}

/** Revised days in sight; the rest is folded away. */
const REVISED_IN_SIGHT = 5;

/** What became of the days of one metric after they were first told. */
export function Revisions(props: { readonly site: SiteDays; readonly revised: readonly RevisedDay[] }) {
  const { site, revised } = props;
  const [lane] = lanesOf(site);
  if (lane === undefined) return null;
  const list = (some: readonly RevisedDay[]) => (
    <ul class="revised">
      {some.map((day) => (
        <li>
          <Revision unit={lane.unit} revised={day} href={paths.siteDay(site.asset, day.day)} />
        </li>
      ))}
    </ul>
  );
  const rest = revised.slice(REVISED_IN_SIGHT);
  return (
    <Block heading="Revised days" note={revised.length === 0 ? undefined : countOf(revised.length, "day")}>
      {revised.length === 0 ? <p>No revisions.</p> : list(revised.slice(0, REVISED_IN_SIGHT))}
      {rest.length === 0 ? null : (
        <details class="items">
          <summary>{countOf(rest.length, "more day")}</summary>
          {list(rest)}
        </details>
      )}
    </Block>
  );
}

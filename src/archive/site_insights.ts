/** Gathers what is kept of a site's reports. Reads only what is shown: the newest report of each family and the one it is held against. */

import { countText, percentText } from "../base/text.ts";
import { dayNumber, type UtcDay, utcDayOf } from "../base/time.ts";
import { PROVIDERS, type Provider } from "../providers/adapter.ts";
import { REPORT_FAMILIES, type ReportFamily } from "../providers/report_families.ts";
import { findSeries, readBlock } from "../reports/series.ts";
import {
  type BlockBytes,
  blockOf,
  type DayValue,
  daysOf,
  type SeriesState,
  unlessDamaged,
} from "../reports/series_days.ts";
import type { Db } from "../store/store.ts";
import { earlierRows } from "./insight_fold.ts";
import { findInsight, type Insight, type InsightBody, type InsightHead, listHeads } from "./insights.ts";
import { latestOfTargets, latestReports, notesOf } from "./manifest.ts";
import {
  type ArchiveNote,
  failingDates,
  findDay,
  isUsable,
  type ManifestRow,
  newestDate,
} from "./manifest_row.ts";
import { DATES, listTargets, type NumberedTarget } from "./plan.ts";
import { findSkip } from "./record_attempt.ts";

// What is kept of each report of a site, how it stands, and what it is held against. Pure.

/** A report that is kept, with the row of the manifest that its figures are from. */
export interface KeptReport {
  readonly insight: Insight;
  /** The latest attempt that came to what it says. */
  readonly manifest: number;
  readonly notes: readonly ArchiveNote[];
}

/** What is told of one report of a site. */
export type InsightReport = ReturnType<typeof siteInsights>[number];

/** Its rows are days: what changed from one to another stands in the rows themselves. */
const listsDays = ({ dimensions }: ReportFamily): boolean =>
  dimensions.length === 1 && dimensions[0] === "date";

/** Days between a report and the one it is held against. */
const APART = 7;
/** A weekly report comes a little before or after its day. */
const LEAST_APART = 6;

/** Weekly reports that are looked through for one of an earlier week. */
const MOST_LOOKED_AT = 3;

/**
 * What is kept of each report of a site, one of every family in their order: of the property that was asked about last. Where another is
 * attached by now, that is what `property` tells. Dates ahead of `now` are of a clock that ran ahead, and are left out.
 */
export function siteInsights(db: Db, asset: string, now: number) {
  const targets = listTargets(db, { asset });
  const attempts = latestOfTargets(db, asset);
  const today = dayNumber(utcDayOf(now));
  const latest = newestAttempts(db, [...attempts.keys()], today);
  const heads = Map.groupBy(listHeads(db, asset, today), ({ provider, family }) => `${provider} ${family}`);
  const properties = new Map(PROVIDERS.map((one) => [one, propertyOf(targets, attempts, one)]));
  const blocks = new Map<string, BlockBytes>();
  return REPORT_FAMILIES.map((family) => {
    const { provider, name } = family;
    const property = properties.get(provider);
    const own = targets.filter(
      (target) => target.provider === provider && target.family === name && target.property === property,
    );
    const ids = new Set(own.map(({ id }) => id));
    const kept = (heads.get(`${provider} ${name}`) ?? []).filter(({ target }) => ids.has(target));
    // A secret that was replaced makes another target of the same property: the latest attempt counts.
    const target = newestOf(own, attempts);
    const attempt = target && latest.get(target.id);
    const skip = own.map(({ id }) => findSkip(db, id)).find((one) => one !== undefined);
    const leftOut = skip && (attempt === undefined || skip.seenAt >= attempt.attemptedAt) ? skip : undefined;
    const { shown, before } = keptReports(db, family, kept);
    return {
      family,
      /** The provider's own id of the property that all of it is of; undefined where nothing was ever tried. */
      property,
      /** The newest report that could be read, whatever came of later attempts; one without rows is a valid zero. */
      shown,
      /** Whether what is shown may still change. */
      isProvisional: shown?.notes.includes("provisional") === true,
      /** The report that it is held against: of seven days before; of weeks, the one before. */
      before,
      /** What that says of each row that is shown, in their order; undefined where there is none, and where rows are days. */
      earlier:
        shown === undefined || before === undefined || listsDays(family)
          ? undefined
          : earlierRows(family, shown.insight, before.insight),
      coverage: shown && coverageOf(family, shown.insight, totalOn(db, family, shown.insight, blocks)),
      /** The attempt at the newest date that was tried; undefined where nothing was. `source_lag` is no failure. */
      latest: attempt,
      /**
       * The attempt that keeps the report from being newer and whole: that at the newest date, or the newest failure behind dates that are
       * not final yet. What is not asked for any more is not failing.
       */
      failed:
        leftOut !== undefined || attempt === undefined || target === undefined
          ? undefined
          : failureOf(db, target.id, attempt, shown?.insight.date),
      /** Why it is left out, where the property is not set up for it. */
      leftOut,
    };
  });
}

/** The latest attempt of each target. */
type Attempts = ReadonlyMap<number, number>;

/** The target that was tried last. */
function newestOf(targets: readonly NumberedTarget[], attempts: Attempts): NumberedTarget | undefined {
  const latestOf = ({ id }: NumberedTarget) => attempts.get(id) ?? 0;
  return targets.reduce<NumberedTarget | undefined>(
    (best, one) => (best === undefined || latestOf(one) > latestOf(best) ? one : best),
    undefined,
  );
}

/** The property of a provider that was asked about last. */
function propertyOf(targets: readonly NumberedTarget[], attempts: Attempts, provider: Provider) {
  return newestOf(
    targets.filter((target) => target.provider === provider),
    attempts,
  )?.property;
}

/** The attempt at the newest date that was tried of each target, up to today. */
function newestAttempts(db: Db, targets: readonly number[], today: number): ReadonlyMap<number, ManifestRow> {
  const byDate = Map.groupBy(targets, (target) => newestDate(db, target, today));
  return new Map(
    [...byDate].flatMap(([date, of]) =>
      date === undefined ? [] : latestReports(db, { targets: of, from: date, to: date }),
    ),
  );
}

function keptReports(db: Db, family: ReportFamily, kept: readonly InsightHead[]) {
  // One that is damaged is passed by.
  const [newest, shown] = firstThat(kept, (head) => keptReport(db, head));
  if (newest === undefined || shown === undefined) return { shown: undefined, before: undefined };
  if (family.everyDays === 1) {
    const head = kept.find(({ date }) => date === newest.date - APART);
    return { shown, before: head === undefined ? undefined : keptReport(db, head) };
  }
  const week = weekOf(family, shown);
  const [, before] = firstThat(
    kept.filter(({ date }) => date <= newest.date - LEAST_APART).slice(0, MOST_LOOKED_AT),
    (head) => {
      const one = keptReport(db, head);
      return one !== undefined && (week === undefined || weekOf(family, one) !== week) ? one : undefined;
    },
  );
  return { shown, before };
}

/** The first head of which something could be read, with that. */
function firstThat<T>(
  heads: readonly InsightHead[],
  read: (head: InsightHead) => T | undefined,
): [InsightHead, T] | [] {
  for (const head of heads) {
    const found = read(head);
    if (found !== undefined) return [head, found];
  }
  return [];
}

/** The week that the rows of a weekly report are of. */
function weekOf({ dimensions }: ReportFamily, report: KeptReport | undefined): string | undefined {
  return report?.insight.top[0]?.keys[dimensions.indexOf("date")];
}

function keptReport(db: Db, { id, target, date, report }: InsightHead): KeptReport | undefined {
  const insight = findInsight(db, id);
  if (insight === undefined) return undefined;
  // A later attempt that came to the same says whether it is final by now.
  const manifest = findDay(db, target, date)?.good ?? report;
  return { insight, manifest, notes: notesOf(db, manifest) ?? insight.notes };
}

/**
 * What keeps a report from being whole: the attempt at its newest date; where that date is not final with its provider, which says
 * nothing of the days before, the newest failure of those that a run asks for.
 */
function failureOf(db: Db, target: number, latest: ManifestRow, shown: string | undefined) {
  const attempt = isUsable(latest.outcome) ? failureBehind(db, target, latest) : latest;
  // A failure of a day before the one that is shown keeps nothing of it away.
  const isBehind = attempt !== undefined && shown !== undefined && attempt.date < dayNumber(shown as UtcDay);
  return isBehind ? undefined : attempt;
}

function failureBehind(db: Db, target: number, latest: ManifestRow): ManifestRow | undefined {
  if (latest.outcome !== "source_lag") return undefined;
  const [date] = failingDates(db, target, latest.date, 1);
  if (date === undefined || date <= latest.date - DATES) return undefined;
  return latestReports(db, { targets: [target], from: date, to: date })[0]?.[1];
}

/** The daily figure of a report's date that its rows are a part of. */
function totalOn(
  db: Db,
  family: ReportFamily,
  { asset, date }: Insight,
  /** Read before: several reports of a date are parts of one figure. */
  blocks: Map<string, BlockBytes>,
): DayValue | undefined {
  const metric = totalOf(family);
  const series = metric && findSeries(db, { asset, source: family.provider, metric });
  if (series === undefined || series === "") return undefined;
  const day = dayNumber(date as UtcDay);
  const block = blockOf(day);
  const key = `${series} ${block}`;
  return unlessDamaged(() => {
    const bytes = blocks.get(key) ?? readBlock(db, series, block);
    blocks.set(key, bytes);
    return daysOf(bytes, block).get(day);
  });
}

// How much of a day the rows of a report are: the sum over all of its rows, held against the total that the provider
// tells of the day itself. Never the other way round: a total is no sum of rows. Pure.

/** The daily figure that the rows of a family are a part of, by provider. What is of another search type has no total of its own. */
const PART_OF: Readonly<Record<Provider, Readonly<Record<string, string>>>> = {
  "search-console": ofAll(
    ["page", "query", "page-query", "country", "device", "page-country", "page-device"],
    "clicks",
  ),
  analytics: {
    ...ofAll(
      ["landing-pages", "traffic-acquisition", "traffic-sources", "landing-page-acquisition"],
      "sessions",
    ),
    ...ofAll(["pages-screens"], "page_views"),
    ...ofAll(["events", "page-events"], "event_count"),
  },
  // Its snapshots are of no single day.
  "webmaster-tools": {},
};

function ofAll(families: readonly string[], metric: string) {
  return Object.fromEntries(families.map((family) => [family, metric]));
}

/** The daily figure that the rows of a family are held against; undefined where there is none. */
const totalOf = ({ provider, name }: { readonly provider: Provider; readonly name: string }) =>
  PART_OF[provider][name];

export interface Coverage {
  /** The figure that all of these are of. */
  readonly metric: string;
  /** The sum over all rows of the report. */
  readonly rows: number;
  /** What the provider tells of the day. More than 0. */
  readonly total: number;
  /** Whether that may still change. */
  readonly isTotalProvisional: boolean;
  /** Its rows are pages of searches: one search may have led to several. */
  readonly isOfSearchPages: boolean;
}

/**
 * What the rows of a report cover. Undefined where the day has no total, where one that is distorted stands in its place, and where it
 * is 0: nothing is a part of nothing.
 */
export function coverageOf(
  family: Pick<ReportFamily, "provider" | "name" | "dimensions">,
  { sums }: Pick<InsightBody, "sums">,
  total: { readonly value: number | null; readonly state: SeriesState } | undefined,
): Coverage | undefined {
  const metric = totalOf(family);
  const rows = metric === undefined ? undefined : sums[metric];
  if (metric === undefined || rows === undefined || total === undefined || total.value === null)
    return undefined;
  if (total.value <= 0 || total.state === "missing" || total.state === "excluded") return undefined;
  return {
    metric,
    rows,
    total: total.value,
    isTotalProvisional: total.state === "provisional",
    isOfSearchPages: family.provider === "search-console" && family.dimensions.includes("page"),
  };
}

/** Shares beyond these are said in words: what is not all never reads as all, and what is not nothing never as nothing. */
const [LEAST, MOST] = [0.1, 99.9];

/**
 * "These rows cover 38% of the clicks (12 of 32)." `words` is what is counted, "clicks". Two pages of one search may count a click each, so
 * that rows hold more than there were: that is all of them, and said. Of any other figure, or one that is provisional, no cause is
 * claimed: rows and total were read at two moments.
 */
export function coverageWords(coverage: Coverage, words: string): string {
  const { rows, total, isTotalProvisional } = coverage;
  const cover = `These rows cover ${shareWords(rows, total)} the ${words}`;
  const told =
    rows > total ? `${cover}${moreWords(coverage)}` : `${cover} (${countText(rows)} of ${countText(total)}).`;
  return isTotalProvisional ? `${told} How many there were is provisional.` : told;
}

function moreWords({ rows, total, isTotalProvisional, isOfSearchPages }: Coverage): string {
  const sum = `they add up to ${countText(rows)}, and`;
  return isOfSearchPages && !isTotalProvisional
    ? `, some in more than one row: ${sum} there were ${countText(total)}.`
    : `: ${sum} the day's own figure is ${countText(total)}.`;
}

function shareWords(rows: number, total: number): string {
  if (rows >= total) return "all of";
  if (rows <= 0) return "none of";
  const percent = (rows / total) * 100;
  if (percent > MOST) return "almost all of";
  return percent < LEAST ? `less than ${LEAST}% of` : `${percentText(percent)}% of`;
}

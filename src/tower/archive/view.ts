/** What the page of the archive reads: all of it in one turn, from counts, never from all attempts. */

import {
  type ArchiveTally,
  type ArchiveTotal,
  isTriedBefore,
  listTally,
  listTallyOf,
  listTotals,
} from "../../archive/archive_tally.ts";
import { listManifest, type ManifestStretch } from "../../archive/manifest_list.ts";
import { ARCHIVE_JOB, listTargets } from "../../archive/plan.ts";
import { listSkips } from "../../archive/record_attempt.ts";
import { countDamage, type Damage, listDamage } from "../../archive/verify_events.ts";
import { dayNumber, utcDayOf } from "../../base/time.ts";
import { listInForce, type Pause } from "../../health/pauses.ts";
import { PROVIDERS, type Provider } from "../../providers/adapter.ts";
import { listAttachments } from "../../providers/attachments.ts";
import { findAsset } from "../../sites/sites.ts";
import { findRun } from "../../store/job_runs.ts";
import type { Db } from "../../store/store.ts";
import { patternOf } from "../../store/timetable.ts";
import { type JobsDeps, type JobView, jobViews } from "../integrations/jobs.tsx";
import { GRID_DAYS, type Grid, gridOf, LOOK_BACK } from "./grid.ts";
import type { ArchiveQuery } from "./grid_table.tsx";

/** Damaged objects that are named; of more their number is said. */
const MOST_NAMED = 5;

export interface ArchiveView {
  readonly job: JobView;
  /** Undefined where nothing is attached and nothing was ever asked. */
  readonly grid: Grid | undefined;
  /** Sites with an attached property. */
  readonly attached: number;
  /** Whether the site that is asked for is one of the portfolio; true of all of them. */
  readonly isKnown: boolean;
  readonly totals: readonly ArchiveTotal[];
  /** The objects that were found damaged last, and how many there are. */
  readonly damage: readonly Damage[];
  readonly damaged: number;
  /** Pauses of archive capabilities, and of all of the site that is shown. */
  readonly pauses: readonly Pause[];
}

export type ArchiveDeps = JobsDeps;

/** The last day that a grid may end at: today in UTC, since a snapshot stands under it. */
export const lastDay = ({ to }: Pick<ArchiveQuery, "to">, now: number): number =>
  Math.min(to === null ? Number.POSITIVE_INFINITY : dayNumber(to), dayNumber(utcDayOf(now)));

/** The job that fills the archive, with its last run. */
export function archiveJob(deps: ArchiveDeps, now: number): JobView {
  const [view] = jobViews(deps, ({ name }) => name === ARCHIVE_JOB, { now, failures: [] });
  if (view === undefined) throw new Error(`the job ${ARCHIVE_JOB} is not known`);
  return view;
}

export function archiveView(deps: ArchiveDeps, query: ArchiveQuery, now: number): ArchiveView {
  const { db } = deps;
  const { asset } = query;
  const job = archiveJob(deps, now);
  const attachments = listAttachments(db).filter((one) => asset === null || one.asset === asset);
  const totals = listTotals(db);
  const providers = providersOf(db, asset, { attachments, totals });
  const to = lastDay(query, now);
  const from = to - GRID_DAYS + 1 - LOOK_BACK;
  const tally = asset === null ? listTally(db, from, to) : listTallyOf(db, asset, from, to);
  // While a run is under way its own day is not over.
  const ranOn = dayNumber(utcDayOf(patternOf(job.at).newest(now))) - (job.running === undefined ? 0 : 1);
  const long = new Set(providers.filter((provider) => isTriedBefore(db, provider, asset, from)));
  const skipped = skippedBy(db, { asset, attachments, tally });
  return {
    job,
    grid: providers.length === 0 ? undefined : gridOf({ to, providers, tally, skipped, ranOn, long }),
    attached: new Set(attachments.map((one) => one.asset)).size,
    isKnown: asset === null || findAsset(db, asset) !== undefined,
    totals,
    damage: listDamage(db, MOST_NAMED),
    damaged: countDamage(db),
    pauses: listInForce(db, now).filter((pause) => concerns(pause, asset)),
  };
}

/** Whether a pause keeps reports from being asked for: of all sites, or of the one that is shown. */
function concerns(pause: Pause, asset: string | null): boolean {
  if (pause.capability === "") return pause.asset === asset;
  return pause.capability.endsWith(".archive") && (asset === null || ["", asset].includes(pause.asset));
}

interface Attached {
  readonly asset: string;
  readonly provider: Provider;
}

/** The providers that are asked, or ever were. */
function providersOf(
  db: Db,
  asset: string | null,
  {
    attachments,
    totals,
  }: { readonly attachments: readonly Attached[]; readonly totals: readonly ArchiveTotal[] },
): Provider[] {
  const asked = asset === null ? totals : listTargets(db, { asset });
  const known = new Set([...attachments, ...asked].map(({ provider }) => provider));
  return PROVIDERS.filter((provider) => known.has(provider));
}

/** Reports that are left out by all who would be asked for them; where an account holds some of these back, by all who were asked. */
function skippedBy(
  db: Db,
  of: {
    readonly asset: string | null;
    readonly attachments: readonly Attached[];
    readonly tally: readonly ArchiveTally[];
  },
): ReadonlySet<string> {
  const sites = Map.groupBy(
    listSkips(db).filter(({ target }) => of.asset === null || target.asset === of.asset),
    ({ target }) => target.family,
  );
  const asked = (provider: Provider) =>
    new Set(of.attachments.filter((one) => one.provider === provider).map(({ asset }) => asset)).size;
  return new Set(
    [...sites].flatMap(([family, skips]) => {
      const [first] = skips;
      const left = new Set(skips.map(({ target }) => target.asset)).size;
      if (first === undefined) return [];
      const isTried = of.tally.some((one) => one.family === family && one.provider === first.target.provider);
      return !isTried || left >= asked(first.target.provider) ? [family] : [];
    }),
  );
}

/** Attempts that a query takes, the newest first. */
export function archiveAttempts(
  db: Db,
  query: ArchiveQuery,
  limit: number,
): ManifestStretch | Promise<ManifestStretch> {
  const { asset, provider, family, outcome, category, date, run, object, before } = query;
  const stored = run === null ? undefined : findRun(db, run);
  if (run !== null && stored === undefined) return { rows: [], next: undefined };
  const day = date === null ? undefined : dayNumber(date);
  return listManifest(db, {
    asset: asset ?? undefined,
    provider: provider ?? undefined,
    family: family ?? undefined,
    outcome: outcome ?? undefined,
    category: category ?? undefined,
    run: stored?.id,
    object: object ?? undefined,
    from: day,
    to: day,
    before: before ?? undefined,
    limit,
  });
}

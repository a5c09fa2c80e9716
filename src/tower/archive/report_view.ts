/** Where a figure comes from: one attempt with all that is known of it. */
import {
  type ArchiveObject,
  type Damage,
  findDamage,
  findReport,
  listManifest,
  type ManifestRow,
  type ManifestStretch,
  reportsOfObject,
} from "../../archive/mod.ts";
import type { Db } from "../../db/mod.ts";
import { listInsights, type StoredInsight } from "../../insights/mod.ts";
import { dayOfNumber } from "../../lib/day_number.ts";

/** Attempts of one report, and attempts of one object, that are named. */
const MOST_ATTEMPTS = 25;
const MOST_OTHERS = 8;

export interface ReportView {
  readonly row: ManifestRow;
  /** Attempts at the same report of the same date, this one among them, newest first. */
  readonly attempts: readonly ManifestRow[];
  readonly hasMoreAttempts: boolean;
  /** Attempts at other reports that came to the same bytes, newest first, and whether there are more. */
  readonly others: readonly ManifestRow[];
  readonly hasMoreOthers: boolean;
  /** What is wrong with the object, where something was found. */
  readonly damage: Damage | undefined;
  /** What is kept of the report, where that was read from these bytes. */
  readonly insight: StoredInsight | undefined;
}

/** Undefined where there is no such attempt. */
export function reportView(db: Db, id: number): ReportView | Promise<ReportView> | undefined {
  const row = findReport(db, id);
  if (row === undefined) return undefined;
  const { asset, provider, family } = row.target;
  const found = listManifest(db, {
    asset,
    provider,
    family,
    from: row.date,
    to: row.date,
    limit: MOST_ATTEMPTS,
  });
  const view = (stretch: ManifestStretch) => viewOf(db, row, stretch);
  return found instanceof Promise ? found.then(view) : view(found);
}

function viewOf(db: Db, row: ManifestRow, { rows: attempts, next }: ManifestStretch): ReportView {
  const { object } = row;
  // Those of the report itself are named already.
  const same = object === null ? [] : reportsOfObject(db, object.sha256, MOST_ATTEMPTS + MOST_OTHERS + 1);
  const others = same.filter((one) => !isOfReport(one, row));
  return {
    row,
    attempts,
    hasMoreAttempts: next !== undefined,
    others: others.slice(0, MOST_OTHERS),
    hasMoreOthers: others.length > MOST_OTHERS,
    damage: object === null ? undefined : findDamage(db, object.sha256),
    insight: object === null ? undefined : insightOf(db, row, object),
  };
}

const isOfReport = (one: ManifestRow, { target, date }: ManifestRow): boolean =>
  one.date === date &&
  one.target.asset === target.asset &&
  one.target.provider === target.provider &&
  one.target.family === target.family;

/** What is kept of the report, where it was read from this object: by this attempt or by an earlier one. */
function insightOf(db: Db, row: ManifestRow, object: ArchiveObject): StoredInsight | undefined {
  const { asset, provider, family } = row.target;
  const date = dayOfNumber(row.date);
  return listInsights(db, { asset, provider, families: [family], from: row.date })
    .filter((one) => one.date === date)
    .find((one) => one.report === row.id || findReport(db, one.report)?.object?.sha256 === object.sha256);
}

/** From a report as it came to its row: read, judged, its object safe in the store, then recorded. Nothing of it stays in the spool. */
import type { Db } from "../db/mod.ts";
import { isStorageFailure } from "../db/mod.ts";
import type { ObjectStore } from "../objects/contract.ts";
import { StoreFault } from "../objects/mod.ts";
import { logOf } from "../platform/log.ts";
import { type Spool, SpoolFault } from "../platform/spool.ts";
import { faultOf } from "../provider/fault.ts";
import type { RawReport } from "../provider/report/contract.ts";
import type { ArchiveObject, ManifestRow } from "./contract.ts";
import { findDay } from "./day_store.ts";
import { isProvisional, judgeReport, knownObject } from "./judge_report.ts";
import { findReport } from "./manifest_store.ts";
import { providerDay } from "./plan.ts";
import type { ReadAnswer } from "./read_raw.ts";
import {
  type Attempted,
  type Came,
  type RecordDeps,
  type Recorded,
  recordAttempted,
  refusedBy,
} from "./record_attempt.ts";
import type { ReportReader } from "./report_reader.ts";
import { findTarget } from "./target_store.ts";

/** What bringing a report in needs. */
export interface BringDeps extends RecordDeps {
  readonly db: Db;
  readonly objects: ObjectStore;
  readonly spool: Spool;
  readonly reader: ReportReader;
  /** Whether an object was found damaged: then it is stored anew. */
  readonly isDamaged: (sha256: string) => boolean;
}

/** What became of a report that came; `early`: its last day is not over in the calendar that it tells, and nothing was written. */
export type Brought = (Recorded | { readonly outcome: "early" }) & {
  /** The time zone that it tells; undefined where it tells none. */
  readonly timeZone: string | undefined;
};

/** Brings in what came. Throws where nothing can be stored. */
export async function bringReport(deps: BringDeps, attempted: Attempted, raw: RawReport): Promise<Brought> {
  const into = deps.spool.file();
  try {
    const { latest, good } = standing(deps.db, attempted);
    const known = knownObject({ latest, good }, raw.cut);
    const isWhole = known !== undefined && !deps.isDamaged(known.sha256);
    const answer = await read(deps, attempted, { raw, into, known: isWhole ? known.content : undefined });
    const timeZone = answer.ok ? answer.read.timeZone : undefined;
    if (isEarly(raw, timeZone)) return { outcome: "early", timeZone };
    const came = await kept(deps, { raw, into, known, answer });
    const recorded = await recordAttempted(deps, attempted, came);
    return { ...recorded, timeZone };
  } finally {
    await deps.spool.remove([into, ...raw.pages.map(({ path }) => path)]);
  }
}

/** Whether the day of a report was not over when it was asked for: by another calendar than it turns out to be of, it was. */
function isEarly({ asked, askedAt }: RawReport, timeZone: string | undefined): boolean {
  const { provider } = asked.family;
  if (provider !== "analytics" || timeZone === undefined) return false;
  return asked.to >= providerDay(provider, askedAt, timeZone);
}

/** How the date of a report stands. */
function standing(
  db: Db,
  { question, report }: Attempted,
): { readonly latest: ManifestRow | undefined; readonly good: ManifestRow | undefined } {
  const { asset, provider, connectionRevision, property } = question;
  const target = findTarget(db, {
    asset,
    provider,
    connectionRevision,
    property,
    family: report.family.name,
  });
  const day = target === undefined ? undefined : findDay(db, target, report.to);
  if (day === undefined) return { latest: undefined, good: undefined };
  return {
    latest: findReport(db, day.latest),
    good: day.good === null ? undefined : findReport(db, day.good),
  };
}

async function read(
  { reader }: BringDeps,
  { question, report }: Attempted,
  asked: Parameters<ReportReader["read"]>[0],
): Promise<ReadAnswer> {
  try {
    return await reader.read(asked);
  } catch (error) {
    if (error instanceof SpoolFault) throw error;
    // By its name alone: its message may hold what a provider wrote.
    const reason = error instanceof Error ? error.name : "unknown";
    const { asset, provider } = question;
    logOf("archive").error("a report could not be read", {
      asset,
      provider,
      family: report.family.name,
      reason,
    });
    return { ok: false, fault: faultOf("not_read") };
  }
}

/** What the report comes to, its object in the store. */
async function kept(
  { objects, isDamaged }: BringDeps,
  of: {
    readonly raw: RawReport;
    readonly into: string;
    readonly known: ArchiveObject | undefined;
    readonly answer: ReadAnswer;
  },
): Promise<Came> {
  const { raw, into, known, answer } = of;
  if (!answer.ok) return refusedBy(answer.fault);
  const { read, packed, insight } = answer;
  const { family, to } = raw.asked;
  const today = providerDay(family.provider, raw.askedAt, read.timeZone ?? raw.asked.timeZone);
  const mayChange = family.provider === "analytics" && isProvisional(to, today);
  const verdict = judgeReport(
    { ok: true, value: read },
    { cut: raw.cut, isKnown: packed === undefined, mayChange },
  );
  const met = raw.cut?.by === "fault" ? raw.cut.fault : verdict.fault;
  if (packed === undefined) return { verdict, met, object: known, insight };
  const anew = isDamaged(packed.sha256);
  await objects.put(packed, into, { anew });
  const { content, rows } = read;
  const secrets = raw.pages.reduce((sum, page) => sum + page.secrets, 0);
  return { verdict, met, object: { ...packed, content, rows, secrets }, insight, isMended: anew };
}

/** Whether it is what stands in the way of every report: storage that takes nothing, the archive's place as much as the database. */
export const endsRun = (error: unknown): boolean =>
  error instanceof SpoolFault || error instanceof StoreFault || isStorageFailure(error);

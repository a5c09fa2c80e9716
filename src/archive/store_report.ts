/** From a report as it came to its row: read, judged, its object safe in the store, then recorded. Nothing of it stays in the spool. */

import { type Spool, SpoolFault } from "../base/files.ts";
import { logOf } from "../base/log.ts";
import { isStorageFailure } from "../base/storage_fault.ts";
import { AnsweringWorker } from "../base/worker.ts";
import { faultOf } from "../providers/faults.ts";
import { faultOfCut, type RawReport, type ReportCut } from "../providers/report_families.ts";
import { type PageAsked, PageFile, type PageSeen, type PageSink } from "../providers/report_pages.ts";
import { verifyObject } from "../store/object_check.ts";
import { type ObjectStore, StoreFault } from "../store/objects.ts";
import type { Db } from "../store/store.ts";
import { type ReadAnswer, type ReadQuestion, readRaw } from "./insight_fold.ts";
import { findReport } from "./manifest.ts";
import { type ArchiveObject, findDay } from "./manifest_row.ts";
import { findObject } from "./objects.ts";
import { findTarget, providerDay } from "./plan.ts";
import type { PageStep, WorkerAnswer } from "./read_worker.ts";
import {
  type Attempted,
  type AttemptResult,
  isProvisional,
  type RecordDeps,
  type Recorded,
  recordAttempted,
  refusedBy,
  targetOf,
} from "./record_attempt.ts";

/**
 * Where reports are taken and read: on workers of their own, since looking at every byte of a large one would stand in the way of whoever
 * sends a report. At once where the database is in memory: nobody else is served then.
 */

type ReadingWorker = AnsweringWorker<ReadQuestion | PageStep, WorkerAnswer>;
type Answer = Exclude<WorkerAnswer, { readonly error: string }>;

/** Bytes that go to the worker at once. */
const BLOCK_BYTES = 1_048_576;

export class ReportReader {
  readonly #isAtOnce: boolean;
  /** Pages have a worker of their own: an answer that comes must not wait until another report is read. */
  readonly #workers = new Map<"pages" | "reports", ReadingWorker>();
  #pages = 0;

  constructor({ path }: { readonly path: string }) {
    this.#isAtOnce = path === ":memory:";
  }

  /** Keeps the workers for as long as the work takes. */
  async during<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } finally {
      for (const worker of this.#workers.values()) worker.end();
      this.#workers.clear();
    }
  }

  /** What a report comes to. Within `during`. Throws `SpoolFault`, and an `Error` where Tower itself cannot read it. */
  async read(question: ReadQuestion): Promise<ReadAnswer> {
    if (this.#isAtOnce) return readRaw(question);
    return (await this.#ask("reports", question)) as ReadAnswer;
  }

  /** Takes a page into its file. Within `during`. */
  page(asked: PageAsked): PageSink {
    if (this.#isAtOnce) return new PageFile(asked);
    const page = this.#pages++;
    const step = async (of: PageStep) =>
      ((await this.#ask("pages", of)) as { readonly seen: PageSeen | undefined }).seen;
    let seen: PageSeen | undefined;
    return {
      get seen() {
        return seen;
      },
      begin: async () => void (await step({ page, begin: asked })),
      write: async (piece) => {
        for (let at = 0; at < piece.byteLength; at += BLOCK_BYTES) {
          await step({ page, write: piece.slice(at, at + BLOCK_BYTES) });
        }
      },
      end: async () => {
        seen = await step({ page, end: true });
      },
    };
  }

  async #ask(name: "pages" | "reports", question: ReadQuestion | PageStep): Promise<Answer> {
    const answer = await this.#started(name).ask(question);
    if (!("error" in answer)) return answer;
    if (answer.isOfSpool) throw new SpoolFault(new Error(answer.error));
    throw new Error(`a report could not be read: ${answer.error}`);
  }

  #started(name: "pages" | "reports"): ReadingWorker {
    let worker = this.#workers.get(name);
    if (worker === undefined || worker.hasEnded) {
      worker = new AnsweringWorker(new URL("./read_worker.ts", import.meta.url));
      this.#workers.set(name, worker);
    }
    return worker;
  }
}

/** What bringing a report in needs. */
export interface ReportStoreDeps extends RecordDeps {
  readonly db: Db;
  readonly objects: ObjectStore;
  readonly spool: Spool;
  readonly reader: ReportReader;
  /** Whether an object was found damaged: then it is stored anew. */
  readonly isDamaged: (sha256: string) => boolean;
}

/** What became of a report that came; `early`: its last day is not over in the calendar that it tells, and nothing was written. */
type StoredOutcome = (Recorded | { readonly outcome: "early" }) & {
  /** The time zone that it tells; undefined where it tells none. */
  readonly timeZone: string | undefined;
};

/** Brings in what came. Throws where nothing can be stored. */
export async function storeReport(
  deps: ReportStoreDeps,
  attempted: Attempted,
  raw: RawReport,
): Promise<StoredOutcome> {
  const into = deps.spool.file();
  try {
    const known = knownObject(deps.db, attempted, raw.cut);
    const isWhole = known !== undefined && !deps.isDamaged(known.sha256);
    const answer = await read(deps, attempted, { raw, into, known: isWhole ? known.content : undefined });
    const timeZone = answer.ok ? answer.read.timeZone : undefined;
    if (isEarly(raw, timeZone)) return { outcome: "early", timeZone };
    const came = answer.ok ? await kept(deps, { raw, into, known, answer }) : refusedBy(answer.fault);
    const recorded = await recordAttempted(deps, attempted, came);
    return { ...recorded, timeZone };
  } finally {
    await deps.spool.remove([into, ...raw.pages.map(({ path }) => path)]);
  }
}

/** Whether the day of a report was not over when it was asked for: by another calendar than it turns out to be of, it was. */
function isEarly({ asked, askedAt }: RawReport, timeZone: string | undefined): boolean {
  return timeZone !== undefined && asked.to >= providerDay(asked.family.provider, askedAt, timeZone);
}

/** What is stored of a date already and may be the same: of a whole report the latest whole one, of one that was cut the latest attempt. */
function knownObject(db: Db, { question, report }: Attempted, cut: ReportCut | undefined) {
  const target = findTarget(db, targetOf(question, report));
  const day = target === undefined ? undefined : findDay(db, target, report.to);
  const id = cut === undefined ? day?.good : day?.latest;
  const known = id === undefined || id === null ? undefined : findReport(db, id);
  return cut === undefined || known?.outcome === "incomplete" ? (known?.object ?? undefined) : undefined;
}

async function read(
  { reader }: ReportStoreDeps,
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
  { db, objects, isDamaged }: ReportStoreDeps,
  of: {
    readonly raw: RawReport;
    readonly into: string;
    readonly known: ArchiveObject | undefined;
    readonly answer: Extract<ReadAnswer, { readonly ok: true }>;
  },
): Promise<AttemptResult> {
  const { raw, into, known, answer } = of;
  const { asked, askedAt, cut } = raw;
  const { read, packed, insight } = answer;
  const { provider } = asked.family;
  const today = providerDay(provider, askedAt, read.timeZone ?? asked.timeZone);
  const mayChange = provider === "analytics" && isProvisional(asked.to, today);
  const whole = read.rows === 0 ? "empty" : packed === undefined ? "unchanged" : "stored";
  const fault = cut && faultOfCut(cut);
  const result = {
    outcome: cut === undefined ? whole : "incomplete",
    complete: cut === undefined,
    notes: mayChange ? ([...read.notes, "provisional"] as const) : read.notes,
    fault,
    met: cut?.by === "fault" ? cut.fault : fault,
    insight,
  } as const;
  if (packed === undefined) return { ...result, object: known };
  const there = findObject(db, packed.sha256);
  // What lies in a pack just as it is to be stored stays there; what is not whole there lies by itself from now on.
  const isPacked = there?.place !== undefined && there.storedSha256 === packed.storedSha256;
  const isMended =
    isDamaged(packed.sha256) || (isPacked && (await verifyObject(objects, there)) !== undefined);
  if (isMended || !isPacked) await objects.put(packed, into, { anew: isMended });
  return { ...result, object: { ...packed, content: read.content, rows: read.rows }, isMended };
}

/** Whether it is what stands in the way of every report: storage that takes nothing, the archive's place as much as the database. */
export const endsRun = (error: unknown): boolean =>
  error instanceof SpoolFault || error instanceof StoreFault || isStorageFailure(error);

/**
 * The archive: reports as their providers answered them, kept as content-addressed objects with one manifest row per attempt. This file
 * is the job `analysis`, which fetches the reports of every attached property.
 *
 * - A run: `plan.ts` (what is due) → `property_run.ts` (asked in turn) → `store_report.ts` (read on a worker, object put in the store)
 *   → `record_attempt.ts` (one transaction: `manifest.ts`, `insights.ts`, health in `report_health.ts`) →
 *   `manifest_copy.ts` beside the objects.
 * - Verification: `scrub.ts` each hour or `archive verify` → `verify_events.ts` on a worker → damage and its monitoring failure.
 * - Reading: `read_routes.ts` (manifest), `object_routes.ts` (bytes), `site_insights.ts` (the Tower's tables), `report_facts.ts`
 *   (health).
 *
 * Begin with `manifest_row.ts`. Tables are in `archive_tables.ts`, their replay from the manifest in `archive_check.ts`.
 */

import type { Clock, Ids } from "../base/base.ts";
import { Slices } from "../base/concurrency.ts";
import type { Config } from "../base/config.ts";
import { Spool } from "../base/files.ts";
import { logOf } from "../base/log.ts";
import { errorWords } from "../base/storage_fault.ts";
import { DAY_MS, dayOfNumber, utcDayOf } from "../base/time.ts";
import { PROVIDERS } from "../providers/adapter.ts";
import {
  type AskGround,
  CircuitBreaker,
  type CredentialQueue,
  laneName,
} from "../providers/queued_request.ts";
import { findKnownProperty } from "../signals/observations.ts";
import { allPulled, attachedQuestions, type Question } from "../signals/pull.ts";
import { matchedQuestions } from "../signals/pull_webmaster.ts";
import type { ConstantsStore } from "../sites/constants_store.ts";
import { firstRunOf, type RunHandle } from "../store/job_runs.ts";
import { unpackedFile } from "../store/object_check.ts";
import { type ObjectStore, StoreFault } from "../store/objects.ts";
import { findServiceState, putServiceState, RESTORED_AT } from "../store/service_state.ts";
import { type Db, statement, type Tx } from "../store/store.ts";
import type { Writer } from "../store/writer.ts";
import { copyManifests, isOwnCopy } from "./manifest_copy.ts";
import { spoolFolder } from "./object_routes.ts";
import { clearPack, dropPlace, findObject, namesObjects, recordPack } from "./objects.ts";
import type { PackEvent } from "./packing.ts";
import { ARCHIVE_JOB, knownFamily, planProperty, providerDay, resumedFrom } from "./plan.ts";
import { DiskNearlyFull, type PlannedProperty, PropertyRun, type RunGround } from "./property_run.ts";
import { askObjects, type ObjectDeps } from "./scrub.ts";
import { endsRun, ReportReader } from "./store_report.ts";
import { isDamaged, type VerifyEvent } from "./verify_events.ts";

/** What the archive is put together from. */
interface ArchiveParts extends Omit<AskGround, "queue"> {
  readonly config: AskGround["config"] & Pick<Config, "workspace" | "dataDir" | "rawSignals" | "s3">;
  readonly store: { readonly db: Db; readonly path: string };
  readonly writer: Pick<Writer, "write">;
  readonly ids: Ids;
  readonly constants: Pick<ConstantsStore, "current">;
  readonly objects: ObjectStore;
  /** Whether the disk of a path is nearly full. */
  readonly machine: { isLow(path: string): Promise<boolean> };
  readonly pulls: { readonly queue: CredentialQueue };
}

/** The row of an object up to which all is packed that can be. */
const PACKED_TO = "archive.packed_to";

/** Properties that wait for their turn in a lane beside those that are asked: what came is read meanwhile. */
const BESIDE = 1;

export class Archive {
  readonly #parts: ArchiveParts;
  readonly #spool: Spool;

  constructor(parts: ArchiveParts) {
    this.#parts = parts;
    this.#spool = new Spool(spoolFolder(parts.config.dataDir));
  }

  /** Whether there may be a property to ask for reports. */
  asks(): boolean {
    return asksAnybody(this.#parts.store.db);
  }

  /** Fetches all that is due. Throws where nothing can be stored, and where there is little room: the next run takes it up. */
  async run(handle: RunHandle): Promise<void> {
    const { clock, store } = this.#parts;
    // Nobody is asked: there is no row of a run that attempts could name.
    if (handle.id === 0) return;
    const startedAt = clock.now();
    if (await this.#isLow()) throw new DiskNearlyFull();
    await this.#refuseAbsent();
    await this.#spool.open();
    // Before anything is stored: what was cut off, and what nobody names.
    await sweepArchive(this.#parts, handle.signal);
    const resumes = resumedFrom(store.db, handle.id, startedAt);
    const properties = await planned(store.db, { now: startedAt, startedAt, resumes });
    for (const { plan } of properties) for (let i = 0; i < plan.resumed; i++) handle.count("resumed");
    const reader = new ReportReader(store);
    await reader.during(() =>
      this.#fetchAll(properties, this.#ground(handle, reader, { properties, resumes, startedAt })),
    );
    if (!handle.signal.aborted) await copyManifests(this.#parts);
    if (!handle.signal.aborted && !(await this.#isLow())) {
      await packArchive(this.#parts, this.#spool.file(), handle.signal);
    }
  }

  #ground(
    handle: RunHandle,
    reader: ReportReader,
    of: {
      readonly properties: readonly PlannedProperty[];
      readonly resumes: number | undefined;
      readonly startedAt: number;
    },
  ): RunGround {
    const { config, constants, ids, objects, pulls, store, writer } = this.#parts;
    const { db } = store;
    let done = 0;
    let total = of.properties.reduce((sum, { plan }) => sum + plan.reports.length, 0);
    handle.progress(done, total, "");
    return {
      ...this.#parts,
      db,
      queue: pulls.queue,
      breaker: new CircuitBreaker(),
      handle,
      storing: {
        db,
        writer,
        objects,
        reader,
        spool: this.#spool,
        workspace: config.workspace,
        newId: () => ids.uuid(),
        isDamaged: (sha256) => isDamaged(db, sha256),
      },
      constants: () => constants.current().constants,
      startedAt: of.startedAt,
      resumes: of.resumes,
      isLow: () => this.#isLow(),
      finished: ({ asset, provider }, { family, to }, outcome) => {
        handle.count(outcome);
        handle.progress(++done, total, `${asset}: ${provider} ${family.name} ${dayOfNumber(to)}`);
      },
      replanned: (more) => {
        total += more;
        handle.progress(done, total, "");
      },
    };
  }

  /** Every lane by itself; in each the properties one after another, as many at once as are asked at once. */
  async #fetchAll(properties: readonly PlannedProperty[], ground: RunGround): Promise<void> {
    const lanes = Map.groupBy(properties, ({ question }) => laneName(question));
    const hands = [...lanes.values()].flatMap((ofLane) => {
      const provider = ofLane[0]?.question.provider;
      if (provider === undefined) return [];
      const waiting = [...ofLane].reverse();
      const atOnce = ground.queue.paceOf(provider).atOnce + BESIDE;
      return Array.from({ length: Math.min(atOnce, waiting.length) }, () => waiting);
    });
    await allPulled(hands, async (waiting) => {
      for (let next = waiting.pop(); next !== undefined; next = waiting.pop())
        await fetchProperty(ground, next);
    });
  }

  /** Where what was stored is not at its place, what came now would be apart from it: hidden once it is mounted again, and missing. */
  async #refuseAbsent(): Promise<void> {
    const { objects, store } = this.#parts;
    if (namesObjects(store.db) && (await objects.isAbsent())) throw new StoreFault("absent", objects.where);
  }

  async #isLow(): Promise<boolean> {
    const { config, machine, objects } = this.#parts;
    if (await machine.isLow(config.dataDir)) return true;
    return objects.kind === "directory" && (await machine.isLow(objects.where));
  }
}

/**
 * Packs what is due, within a run's lease: nobody stores meanwhile. What keeps it from that is logged, and the next run does the rest.
 * `temporary` is what the paths of packs on their way begin with.
 */
export async function packArchive(
  deps: ObjectDeps & Pick<ArchiveParts, "clock" | "writer">,
  temporary: string,
  signal: AbortSignal,
): Promise<void> {
  const now = deps.clock.now();
  const packedTo = Number(findServiceState(deps.store.db, PACKED_TO) ?? 0);
  try {
    for await (const told of askObjects(deps, { packedTo, now, temporary }, signal)) {
      await deps.writer.write((tx) => notePacked(tx, told, now), { lowPriority: true });
      if (signal.aborted) return;
    }
  } catch (error) {
    if (signal.aborted) return;
    if (!(error instanceof StoreFault)) throw error;
    logOf("archive").warn("nothing more is packed", { reason: error.message });
  }
}

function notePacked(tx: Tx, told: VerifyEvent | PackEvent, now: number): void {
  if ("packed" in told) recordPack(tx, told.packed, told.placed, now);
  else if ("packedTo" in told) putServiceState(tx, PACKED_TO, String(told.packedTo), now);
  else if ("cleared" in told) {
    for (const sha256 of told.loose) dropPlace(tx, sha256);
    clearPack(tx, told.cleared);
  }
}

/** What keeps every report from being stored ends the run; anything else that is thrown is one property's, and the others go on. */
async function fetchProperty(ground: RunGround, property: PlannedProperty): Promise<void> {
  try {
    await new PropertyRun(ground, property).go();
  } catch (error) {
    if (endsRun(error) || error instanceof DiskNearlyFull) {
      ground.breaker.halt();
      throw error;
    }
    const { asset, provider } = property.question;
    // By its name and place alone: its message may hold what a provider wrote.
    logOf("archive").error("a property could not be archived", {
      asset,
      provider,
      reason: errorWords(error),
    });
    ground.handle.count("failed");
  }
}

/*
 * What puts that were cut off left in the store. Half of an object is nobody's. A whole object that no row of the manifest names may be
 * one: it became safe, and its process ended before the row was committed. It may as well be the only copy of a report whose row is
 * lost (an older database was restored) or that another Tower wrote into the same place. So it goes only where all of this holds:
 *
 * - It is older than a day by the store's own clock: no run takes that long, so nobody is about to name it.
 * - It came after this database's first run of the archive, and after this database was last restored from a backup: of what came
 *   before, this database cannot know what it was for.
 * - No row names it, looked at again right before it goes, within a run of the archive, whose lease keeps every other run out.
 * - No manifest copy in the store, which each run leaves beside its objects, names it: also not one of another database. Where one of
 *   those cannot be read, nothing goes. What a copy of this database's own names has its row.
 */

/** How long an object is left alone, and how long it is until they are looked for again. */
const LEFT_ALONE_MS = DAY_MS;
const EVERY_MS = 7 * DAY_MS;
/** Orphans that go at once: there are a few, and what there is more of is none of ours. */
const MOST_SWEPT = 10_000;
/** Steps between two turns of the event loop. */
const SLICE = 64;

const SWEPT_AT = "archive.swept_at";

interface SweepDeps {
  readonly store: { readonly db: Db };
  readonly objects: ObjectStore;
  readonly writer: Pick<Writer, "write">;
  readonly clock: Clock;
}

/** What went. */
interface Swept {
  readonly halfWritten: number;
  readonly orphans: number;
}

/**
 * Sweeps as a run of the archive begins, within its lease and before it stores anything: half-written objects each time, orphans once a
 * week. What keeps it from sweeping is logged: nothing is lost by it, and the run finds out for itself whether the store can be used.
 */
export async function sweepArchive(deps: SweepDeps, signal: AbortSignal): Promise<Swept> {
  const swept = { halfWritten: 0, orphans: 0 };
  try {
    swept.halfWritten = await deps.objects.sweep();
    if (isDue(deps)) swept.orphans = await sweepOrphans(deps, signal);
  } catch (error) {
    if (!(error instanceof StoreFault) && !(error instanceof UnreadableCopy)) throw error;
    logOf("archive").warn("nothing more is swept", { reason: error.message });
  }
  return swept;
}

/** A manifest copy that is no whole gzip: what it names is not known. */
class UnreadableCopy extends Error {}

function isDue({ store, clock }: SweepDeps): boolean {
  const last = Number(findServiceState(store.db, SWEPT_AT) ?? 0);
  const now = clock.now();
  return last > now || now - last >= EVERY_MS;
}

async function sweepOrphans(deps: SweepDeps, signal: AbortSignal): Promise<number> {
  const swept = await sweepUnnamed(deps, signal);
  const now = deps.clock.now();
  if (!signal.aborted) await deps.writer.write((tx) => putServiceState(tx, SWEPT_AT, String(now), now));
  return swept;
}

/** Removes the orphans that are safe to remove; says how many. Throws `StoreFault` and `UnreadableCopy`. */
async function sweepUnnamed({ store, objects, clock }: SweepDeps, signal: AbortSignal): Promise<number> {
  const { db } = store;
  const known = knownSince(db);
  if (known === undefined) return 0;
  const before = clock.now() - LEFT_ALONE_MS;
  const unnamed = new Map<string, number>();
  let steps = 0;
  for await (const { sha256, storedAt } of objects.list()) {
    if (signal.aborted || unnamed.size >= MOST_SWEPT) break;
    if (++steps % SLICE === 0) await Bun.sleep(0);
    if (storedAt > known && storedAt < before && findObject(db, sha256) === undefined) {
      unnamed.set(sha256, storedAt);
    }
  }
  if (unnamed.size === 0) return 0;
  for await (const sha256 of namedInCopies(db, objects, Math.min(...unnamed.values()))) {
    unnamed.delete(sha256);
    if (unnamed.size === 0) return 0;
  }
  let swept = 0;
  for (const sha256 of unnamed.keys()) {
    if (signal.aborted) break;
    if (findObject(db, sha256) !== undefined) continue;
    await objects.remove(sha256);
    swept++;
  }
  return swept;
}

/** From when on this database knows of everything that was stored for it; undefined where it never stored anything. */
function knownSince(db: Db): number | undefined {
  const first = firstRunOf(db, ARCHIVE_JOB);
  return first === undefined ? undefined : Math.max(first, Number(findServiceState(db, RESTORED_AT) ?? 0));
}

/** The objects that manifest copies of other databases name, of those written since a moment: the copy of a run is dated by the run's beginning. */
async function* namedInCopies(db: Db, objects: ObjectStore, since: number): AsyncGenerator<string> {
  const from = `manifest/${utcDayOf(since - 2 * DAY_MS)}`;
  for await (const name of objects.listFiles("manifest/")) {
    if (name < from || isOwnCopy(db, name)) continue;
    try {
      yield* namesIn(unpackedFile(objects, name));
    } catch (error) {
      if (error instanceof StoreFault) throw error;
      throw new UnreadableCopy(`${name} cannot be read`);
    }
  }
}

async function* namesIn(text: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = "";
  let steps = 0;
  for await (const piece of text) {
    const lines = `${rest}${decoder.decode(piece, { stream: true })}`.split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) {
      const [, sha256] = /"object":"([0-9a-f]{64})"/.exec(line) ?? [];
      if (sha256 !== undefined) yield sha256;
      if (++steps % SLICE === 0) await Bun.sleep(0);
    }
  }
}

// Which properties are archived, and what is asked of each: gathered from what is stored, a few at a time.

const anybody = statement<{ found: number }, []>(
  `SELECT 1 AS found WHERE EXISTS (SELECT 1 FROM credential WHERE kind = 'webmaster-tools-key')
     OR EXISTS (SELECT 1 FROM attachment a JOIN asset s ON s.id = a.asset WHERE s.lifecycle <> 'retired')`,
);

/** Whether there is anybody to ask, without gathering whom: a site with a property, or an account that may have sites of its own. */
const asksAnybody = (db: Db): boolean => anybody(db).first() !== undefined;

/** When it is planned. */
interface Planning {
  readonly now: number;
  readonly startedAt: number;
  readonly resumes: number | undefined;
}

/** What is asked of each property. */
async function planned(db: Db, { now, startedAt, resumes }: Planning): Promise<PlannedProperty[]> {
  const properties: PlannedProperty[] = [];
  const slices = new Slices();
  // Addresses that an account of webmaster tools was found to have of sites that are attached nowhere, too.
  for (const question of [...attachedQuestions(db, PROVIDERS), ...matchedQuestions(db, now)]) {
    const { provider } = question;
    const timeZone = timeZoneOf(db, question);
    const today = providerDay(provider, now, timeZone);
    const plan = planProperty(provider, { now, startedAt, timeZone }, (family) =>
      knownFamily(db, question, family, { today, resumes }),
    );
    properties.push({ question, timeZone, plan });
    await slices.next();
  }
  return properties;
}

/** The property's calendar as its provider last told it, or as it was discovered. */
function timeZoneOf(db: Db, question: Question): string | undefined {
  return findKnownProperty(db, question).last?.timeZone ?? question.discoveredZone ?? undefined;
}

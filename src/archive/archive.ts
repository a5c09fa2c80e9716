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

import { Slices } from "../base/concurrency.ts";
import { Spool } from "../base/files.ts";
import { logOf } from "../base/log.ts";
import { errorWords } from "../base/storage_fault.ts";
import { dayOfNumber } from "../base/time.ts";
import { isPaused } from "../health/pauses.ts";
import { PROVIDERS, type Provider } from "../providers/adapter.ts";
import {
  type AskGround,
  CircuitBreaker,
  type CredentialQueue,
  laneName,
} from "../providers/queued_request.ts";
import { leastRequests } from "../providers/report_families.ts";
import { allPulled, attachedQuestions, timeZoneOf } from "../signals/pull.ts";
import { matchedQuestions } from "../signals/pull_webmaster.ts";
import type { ConstantsStore } from "../sites/constants_store.ts";
import type { Core } from "../store/core.ts";
import type { RunHandle } from "../store/job_runs.ts";
import { type ObjectStore, StoreFault } from "../store/objects.ts";
import { type Db, findServiceState, putServiceState, statement, type Tx } from "../store/store.ts";
import { copyManifests } from "./manifest_copy.ts";
import { spoolFolder } from "./object_routes.ts";
import { clearPack, dropPlace, namesObjects, recordPack } from "./objects.ts";
import type { PackEvent } from "./packing.ts";
import { knownFamily, planProperty, providerDay, resumedFrom } from "./plan.ts";
import { DiskNearlyFull, type PlannedProperty, PropertyRun, type RunGround } from "./property_run.ts";
import { archiveCapability } from "./report_health.ts";
import { askObjects, type ObjectDeps } from "./scrub.ts";
import { endsRun, ReportReader } from "./store_report.ts";
import { isDamaged, type VerifyEvent } from "./verify_events.ts";

/** What the archive is put together from. */
interface ArchiveParts extends Omit<AskGround, "queue">, Core {
  readonly constants: Pick<ConstantsStore, "current">;
  readonly objects: ObjectStore;
  /** Whether the disk of a path is nearly full. */
  readonly machine: { isLow(path: string): Promise<boolean> };
  readonly pulls: { readonly queue: CredentialQueue };
}

/** The row of an object up to which all is packed that can be. */
const PACKED_TO = "archive.packed_to";

/** What a property is asked beside its reports: which parameters are registered, and which day is the last final one. */
const ASKED_BESIDE: Readonly<Record<Provider, number>> = {
  analytics: 1,
  "search-console": 1,
  "webmaster-tools": 0,
};

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

  /** What a run that began now would ask for, a few properties at a time: of how many sites, and with about how many requests. */
  async estimate(now: number) {
    const { db } = this.#parts.store;
    const resumes = resumedFrom(db, Number.MAX_SAFE_INTEGER, now);
    const properties = await planned(db, { now, startedAt: now, resumes });
    const due = properties.filter(
      ({ question: { asset, provider }, plan }) =>
        plan.reports.length > 0 && !isPaused(db, { capability: archiveCapability(provider), asset }, now),
    );
    const requests = due.flatMap(({ question: { provider }, plan }) => [
      ASKED_BESIDE[provider],
      ...plan.reports.map(({ family }) => leastRequests(family)),
    ]);
    return {
      sites: new Set(due.map(({ question }) => question.asset)).size,
      requests: requests.reduce((sum, one) => sum + one, 0),
    };
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
    await this.#sweep();
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

  /** Removes what puts that were cut off left. What keeps it from that is logged: the run finds out whether the store can be used. */
  async #sweep(): Promise<void> {
    try {
      await this.#parts.objects.sweep();
    } catch (error) {
      if (!(error instanceof StoreFault)) throw error;
      logOf("archive").warn("nothing more is swept", { reason: error.message });
    }
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

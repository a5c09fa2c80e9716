/** The job `sense` and one question of it about one property: asked, decided off the event loop, and recorded in one transaction. */

import { Slices } from "../base/concurrency.ts";
import { logOf } from "../base/log.ts";
import { AnsweringWorker } from "../base/worker.ts";
import { isPaused } from "../health/pauses.ts";
import { PROVIDERS, type Provider } from "../providers/adapter.ts";
import { type Fault, faultOf } from "../providers/faults.ts";
import { listAttachmentsOf } from "../providers/properties.ts";
import { askDaily } from "../providers/providers.ts";
import {
  type AskGround,
  askInTurn,
  CircuitBreaker,
  type Connection,
  type CredentialQueue,
  type Priority,
  type SkipReason,
} from "../providers/queued_request.ts";
import { isRetired } from "../sites/sites.ts";
import type { Core } from "../store/core.ts";
import { isAskedByPerson, type RunHandle } from "../store/job_runs.ts";
import { type Db, type Store, statement } from "../store/store.ts";
import type { Writer } from "../store/writer.ts";
import { type Attempted, recordAnswer, recordFault } from "./answer_record.ts";
import { type Asker, heldUntil, type PullOutcome } from "./attempts.ts";
import { type AnswerQuestion, type Decided, decideAnswer } from "./decide.ts";
import type { WorkerAnswer, WorkerQuestion } from "./decide_worker.ts";
import { findKnownProperty } from "./observations.ts";

/**
 * Where answers are decided: on a worker of its own, since a tick reads some megabytes of reports and compares hundreds of thousands of
 * values, which would stand in the way of whoever sends a report. A database in memory has no second connection: there it is done at once.
 */
export class AnswerDecider {
  readonly #store: Store;
  #worker: AnsweringWorker<WorkerQuestion, WorkerAnswer> | undefined;
  #users = 0;

  constructor(store: Store) {
    this.#store = store;
  }

  /** Keeps the worker for as long as the work takes. */
  async during<T>(work: () => Promise<T>): Promise<T> {
    this.#users++;
    try {
      return await work();
    } finally {
      if (--this.#users === 0) {
        this.#worker?.end();
        this.#worker = undefined;
      }
    }
  }

  /** What an answer comes to. Within `during`. Throws where it cannot be judged. */
  async judge(question: AnswerQuestion): Promise<Decided> {
    const { path, db } = this.#store;
    if (path === ":memory:") return decideAnswer(db, question);
    const judged = await this.#started(path).ask(question);
    if ("error" in judged) throw new Error(`an answer could not be judged: ${judged.error}`);
    return judged;
  }

  #started(path: string): AnsweringWorker<WorkerQuestion, WorkerAnswer> {
    if (this.#worker === undefined || this.#worker.hasEnded) {
      this.#worker = new AnsweringWorker(new URL("./decide_worker.ts", import.meta.url));
      this.#worker.tell({ path });
    }
    return this.#worker;
  }
}

/** What pulling needs. */
export interface PullDeps extends AskGround, Core {
  /** The same for answers, none of which anything waits for. */
  readonly answers: Pick<Writer, "write">;
  readonly queue: CredentialQueue;
  readonly judge: AnswerDecider;
  /** Told when days that the rules look at have changed. */
  readonly onChanged: () => void;
}

/** A property of a site, as it is asked for. */
export interface Question extends Connection {
  readonly asset: string;
  readonly provider: Provider;
  readonly property: string;
  /** The property's time zone as it was discovered, for the first question about it. */
  readonly discoveredZone?: string | null;
  /** Whether it still is what the site's figures come from; looked at inside the transaction that would write them, too. */
  readonly isCurrent: (db: Db) => boolean;
}

/** The property's calendar as its provider last told it, or as it was discovered. */
export const timeZoneOf = (db: Db, question: Question): string | undefined =>
  findKnownProperty(db, question).last?.timeZone ?? question.discoveredZone ?? undefined;

/** What came of a question. */
export type Pulled =
  | { readonly outcome: PullOutcome; readonly fault?: Fault }
  | { readonly outcome: SkipReason };

/** How often an answer is decided again because something else was stored of the site meanwhile. */
const MOST_DECIDED = 3;

/** The answer came, and by then the site's figures came from elsewhere. */
const SUPERSEDED = faultOf("connection_changed");
/** What is stored of the site is damaged, or cannot be read. */
const NOT_COMPARED: Decided = { ok: false, fault: faultOf("not_compared") };

/** Who asks, where a run does. */
export const askerOf = ({ id, askedBy }: RunHandle): Asker => ({
  run: id,
  isPerson: isAskedByPerson(askedBy),
});

/**
 * Asks for a property's days when it is its turn. A fault, which may hold others back, is stored within the turn, an answer after it.
 * Throws where storage takes nothing.
 */
export async function pullOne(
  deps: PullDeps,
  run: RunHandle,
  question: Question,
  { breaker, priority }: { readonly breaker: CircuitBreaker; readonly priority: Priority },
): Promise<Pulled> {
  const { asset, provider, connectionRevision, property } = question;
  let timeZone = "";
  try {
    const turn = await askInTurn(deps, question, {
      priority,
      signal: run.signal,
      breaker,
      hold: (now) => {
        const { db } = deps.store;
        if (isPullPaused(db, question, now)) return "paused";
        if (breaker.isOpen(question)) return "given_up";
        if (heldUntil(db, question, now, askerOf(run)) !== undefined) return "held";
        timeZone = timeZoneOf(db, question) ?? "";
        return undefined;
      },
      ask: async (client, now) => {
        const of = { now, timeZone: timeZone === "" ? undefined : timeZone };
        const { outcome, requests } = await askDaily(client, provider, property, of);
        if (!outcome.ok) return { outcome, requests };
        const raw = outcome.value;
        return {
          requests,
          outcome: { ok: true, value: { raw, judged: await judgeOf(deps, { asset, raw }) } },
        };
      },
      isRecordedLater: ({ ok }) => ok,
      record: ({ outcome, requests, startedAt }) => {
        const target = { asset, provider, connectionRevision, property, timeZone };
        const attempt = { run: run.id, target, startedAt, requests };
        if (!outcome.ok) return recordPulled(deps, run, question, attempt, outcome);
        const { raw, judged } = outcome.value;
        return recordPulled(deps, run, question, attempt, judged, () => judgeOf(deps, { asset, raw }));
      },
    });
    return "skip" in turn ? { outcome: turn.skip } : turn.recorded;
  } catch (error) {
    breaker.halt();
    throw error;
  }
}

/**
 * Pulls for each of some, begun a few at a time: thousands wait for their turn with a provider, and a report that comes meanwhile is not to
 * wait for that. Throws what the first threw that failed, once none is under way any more.
 */
export async function allPulled<Of>(every: readonly Of[], pull: (one: Of) => Promise<void>): Promise<void> {
  const slices = new Slices();
  const failures: unknown[] = [];
  const pulling: Promise<void>[] = [];
  for (const one of every) {
    pulling.push(pull(one).catch((error) => void failures.push(error)));
    await slices.next();
  }
  await Promise.all(pulling);
  if (failures.length > 0) throw failures[0];
}

/** Pulls each of some questions, counts what came of it, and says how far the run is. */
export async function pullAll<Of extends Pick<Question, "asset" | "provider">>(
  run: RunHandle,
  questions: readonly Of[],
  pull: (question: Of) => Promise<Pulled>,
): Promise<void> {
  let done = 0;
  run.progress(done, questions.length, "");
  await allPulled(questions, async (question) => {
    const { outcome } = await pull(question);
    run.count(outcome);
    run.progress(++done, questions.length, `${question.asset}: ${question.provider}`);
  });
}

async function judgeOf(deps: PullDeps, question: AnswerQuestion): Promise<Decided> {
  try {
    return await deps.judge.judge(question);
  } catch (error) {
    // By its name alone: its message may hold what a provider wrote.
    const reason = error instanceof Error ? error.name : "unknown";
    logOf("signals").error("an answer could not be compared with what is stored", {
      asset: question.asset,
      provider: question.raw.provider,
      reason,
    });
    return NOT_COMPARED;
  }
}

type RecordDeps = Pick<PullDeps, "answers" | "clock" | "config" | "writer" | "onChanged">;
type Begun = Omit<Attempted, "finishedAt" | "workspace">;

/** Writes what came of it. It is decided again where something else was stored of the site meanwhile. */
export async function recordPulled(
  deps: RecordDeps,
  run: Pick<RunHandle, "unmonitored">,
  question: Pick<Question, "isCurrent">,
  attempt: Begun,
  first: Decided,
  decideAgain: () => Promise<Decided> = async () => NOT_COMPARED,
): Promise<Pulled> {
  const { workspace } = deps.config;
  for (let [judged, tried] = [first, 1]; ; tried++) {
    const attempted = { ...attempt, workspace, finishedAt: Math.max(deps.clock.now(), attempt.startedAt) };
    const written = await (judged.ok ? deps.answers : deps.writer).write(
      (tx) => {
        if (question.isCurrent(tx)) return recordAnswer(tx, attempted, judged);
        const fault = judged.ok ? SUPERSEDED : judged.fault;
        return { ...recordFault(tx, attempted, fault), isForRules: false };
      },
      { lowPriority: true, isRepeatable: true },
    );
    if (written.outcome !== "stale") {
      if (!written.isMonitored) run.unmonitored();
      if (written.isForRules) deps.onChanged();
      return judged.ok ? { outcome: written.outcome } : { outcome: written.outcome, fault: judged.fault };
    }
    judged = tried < MOST_DECIDED ? await decideAgain() : NOT_COMPARED;
  }
}

/**
 * Whether the daily figures of a site are paused by an operator: they are not asked for, whoever asks. It is looked at before each
 * question and never after it: an answer that is here when a pause begins was asked for, has cost its quota, and is true; without it
 * the site's days would have a hole, and the failure that is here is not undone by not being told.
 */
export function isPullPaused(
  db: Db,
  { asset, provider }: { readonly asset: string; readonly provider: Provider },
  now: number,
): boolean {
  return isPaused(db, { capability: `${provider}.daily`, asset }, now);
}

/** Which job asks for the daily figures of a provider: `sense` every quarter of an hour, or one of its own each night. */
const ASKED_BY: Readonly<Record<Provider, "sense" | "webmaster-tools">> = {
  analytics: "sense",
  "search-console": "sense",
  "webmaster-tools": "webmaster-tools",
};
const SENSED = PROVIDERS.filter((provider) => ASKED_BY[provider] === "sense");

/** Asks for every property that a site which is not retired is attached to: those that are not live yet, too. */
export async function pullSense(deps: PullDeps, run: RunHandle): Promise<void> {
  const breaker = new CircuitBreaker();
  await deps.judge.during(() =>
    pullAll(run, senseQuestions(deps.store.db), (question) =>
      pullOne(deps, run, question, { breaker, priority: "sense" }),
    ),
  );
}

/** What is asked, site by site. */
export const senseQuestions = (db: Db): Question[] => attachedQuestions(db, SENSED);

// One statement: to look up two thousand of them one by one would take the event loop for tens of milliseconds.
const attached = statement<Omit<Question, "isCurrent">, []>(
  `SELECT a.asset, a.provider, a.credential, c.connection_revision AS connectionRevision, a.property, p.time_zone AS discoveredZone
   FROM attachment a JOIN credential c ON c.id = a.credential
     LEFT JOIN property p ON p.credential = a.credential AND p.provider = a.provider AND p.property = a.property
   WHERE NOT EXISTS (SELECT 1 FROM asset s WHERE s.id = a.asset AND s.lifecycle = 'retired') ORDER BY a.asset, a.provider`,
);

/** The properties of providers that sites which are not retired are attached to. */
export function attachedQuestions(db: Db, providers: readonly Provider[]): Question[] {
  return attached(db)
    .all()
    .filter(({ provider }) => providers.includes(provider))
    .map((question) => ({ ...question, isCurrent: (now) => isAttached(now, question) }));
}

/** Whether a site's figures of a provider still come from a property over a connection, and are still wanted. */
export function isAttached(
  db: Db,
  of: Pick<Question, "asset" | "provider" | "connectionRevision" | "property">,
): boolean {
  return (
    !isRetired(db, of.asset) &&
    listAttachmentsOf(db, of.asset).some(
      ({ provider, property, connectionRevision }) =>
        provider === of.provider && property === of.property && connectionRevision === of.connectionRevision,
    )
  );
}

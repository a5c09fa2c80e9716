/** One question about one property: asked, judged off the event loop, and what it came to written at once. */
import type { Db, Writer } from "../db/mod.ts";
import { isAskedByPerson, type RunHandle } from "../jobs/mod.ts";
import type { Config } from "../platform/config.ts";
import { logOf } from "../platform/log.ts";
import { askDaily, type RawDaily } from "../provider/ask.ts";
import { type ClientGround, openClient, type SecretOpener } from "../provider/client.ts";
import type { Fault, Provider } from "../provider/contract.ts";
import { faultOf } from "../provider/fault.ts";
import type { AnswerJudge } from "./answer_judge.ts";
import { type Asker, heldUntil } from "./attempt_store.ts";
import type { PullOutcome, PullTarget } from "./contract.ts";
import type { AnswerQuestion, Judged } from "./judge.ts";
import { findKnownProperty } from "./observation_store.ts";
import { isPullPaused } from "./paused_pull.ts";
import { type CredentialQueue, type LaneKey, laneName, type Priority } from "./queue.ts";
import { type Attempted, recordAnswer, recordFault } from "./record_answer.ts";

/** What pulling needs. */
export interface PullDeps extends ClientGround {
  readonly config: ClientGround["config"] & Pick<Config, "workspace">;
  readonly store: { readonly db: Db };
  readonly writer: Pick<Writer, "write">;
  /** The same for answers, none of which anything waits for. */
  readonly answers: Pick<Writer, "write">;
  readonly credentials: SecretOpener;
  readonly queue: CredentialQueue;
  readonly judge: AnswerJudge;
  /** Told when days that the rules look at have changed. */
  readonly onChanged: () => void;
}

/** A property of a site, as it is asked for. */
export interface Question {
  readonly asset: string;
  readonly provider: Provider;
  readonly credential: string;
  readonly connectionRevision: string;
  readonly property: string;
  /** The property's time zone as it was discovered, for the first question about it. */
  readonly discoveredZone?: string | undefined;
  /** Whether it still is what the site's figures come from; looked at inside the transaction that would write them, too. */
  readonly isCurrent: (db: Db) => boolean;
}

/** What came of a question. `held`: not asked, since it is not to be yet. `paused`: nor that, since an operator paused it. `given_up`: the run ended first, or nothing is reached at all. */
export type Pulled =
  | { readonly outcome: PullOutcome; readonly fault?: Fault }
  | { readonly outcome: "held" | "paused" | "given_up" };

/** How often an answer is judged anew because something else was told of the site meanwhile. */
const MOST_JUDGED = 3;

/** What nobody could be reached for. */
const UNREACHED: ReadonlySet<Fault["category"]> = new Set(["network", "provider_error"]);

/** Faults in a row after which a provider is not asked any more in this run: each costs its time limits. */
const MOST_IN_A_ROW = 20;

/** The answer came, and by then the site's figures came from elsewhere. */
const SUPERSEDED = faultOf("connection_changed");
/** What is stored of the site is damaged, or cannot be read. */
const NOT_COMPARED: Judged = { ok: false, fault: faultOf("not_compared") };

/** How the questions of a run fare, by credential and provider. */
export class Lanes {
  readonly #inARow = new Map<string, number>();
  #isHalted = false;

  /** Nothing can be stored: nothing more is asked. */
  halt(): void {
    this.#isHalted = true;
  }

  /** Whether the rest is left to the next run: nothing can be stored, or nothing was reached for too long. */
  isGivenUp(lane: LaneKey): boolean {
    return this.#isHalted || (this.#inARow.get(laneName(lane)) ?? 0) >= MOST_IN_A_ROW;
  }

  note(lane: LaneKey, fault: Fault | undefined): void {
    const isUnreached = fault !== undefined && UNREACHED.has(fault.category);
    this.#inARow.set(laneName(lane), isUnreached ? (this.#inARow.get(laneName(lane)) ?? 0) + 1 : 0);
  }
}

/** Who asks, where a run does. */
export const askerOf = ({ id, askedBy }: RunHandle): Asker => ({
  run: id,
  isPerson: isAskedByPerson(askedBy),
});

/** An answer with what it came to, which is to be stored. */
interface Answered {
  readonly raw: RawDaily;
  readonly attempt: Begun;
  readonly judged: Judged;
}

/**
 * Asks for a property's days when it is its turn. What holds others back is stored within the turn, an answer after it. Throws where
 * storage takes nothing.
 */
export async function pullOne(
  deps: PullDeps,
  run: RunHandle,
  question: Question,
  { lanes, priority }: { readonly lanes: Lanes; readonly priority: Priority },
): Promise<Pulled> {
  try {
    const asked = await deps.queue.run(
      question,
      { priority, signal: run.signal, hasAsked },
      async (): Promise<Pulled | Answered> => {
        const { db } = deps.store;
        const now = deps.clock.now();
        if (run.signal.aborted) return { outcome: "given_up" };
        if (isPullPaused(db, question, now)) return { outcome: "paused" };
        if (lanes.isGivenUp(question)) return { outcome: "given_up" };
        if (heldUntil(db, question, now, askerOf(run)) !== undefined) return { outcome: "held" };
        const came = await ask(deps, run, question);
        lanes.note(question, "fault" in came ? came.fault : undefined);
        return came;
      },
    );
    return "raw" in asked ? await store(deps, run, question, asked) : asked;
  } catch (error) {
    lanes.halt();
    throw error;
  }
}

/** What is held, paused or given up asks nobody: a thousand of them are gone through at once and not at the pace of answers. */
const hasAsked = (came: Pulled | Answered) =>
  "raw" in came || !["held", "paused", "given_up"].includes(came.outcome);

/** Stores what an answer came to; it is judged again where something else was told of the site meanwhile. */
async function store(
  deps: PullDeps,
  run: RunHandle,
  question: Question,
  { raw, attempt, judged }: Answered,
): Promise<Pulled> {
  for (let [tried, answer] = [1, judged]; ; tried++) {
    const pulled = await recordPulled(deps, run, question, attempt, answer);
    if (pulled !== undefined) return pulled;
    answer = tried < MOST_JUDGED ? await judgeOf(deps, { asset: question.asset, raw }) : NOT_COMPARED;
  }
}

/** Waits for all of them. Throws what the first of them threw, once none is under way any more. */
export async function allPulled(pulling: readonly Promise<void>[]): Promise<void> {
  const settled = await Promise.allSettled(pulling);
  const failed = settled.find((one) => one.status === "rejected");
  if (failed !== undefined) throw failed.reason;
}

async function ask(deps: PullDeps, run: RunHandle, question: Question): Promise<Pulled | Answered> {
  const { asset, provider, connectionRevision, property } = question;
  const startedAt = deps.clock.now();
  const timeZone = findKnownProperty(deps.store.db, question).last?.timeZone ?? question.discoveredZone ?? "";
  const target: PullTarget = { asset, provider, connectionRevision, property, timeZone };
  const attempt = { run: run.id, target, startedAt };
  const client = openClient(deps, question, run.signal);
  if (!client.ok) return recordPulled(deps, run, question, { ...attempt, requests: 0 }, client);
  const known = timeZone === "" ? undefined : timeZone;
  const asked = await askDaily(client.value, provider, property, { now: startedAt, timeZone: known });
  const { requests, outcome } = asked;
  // What we gave up ourselves is nobody's failure, and no attempt.
  if (!outcome.ok && outcome.fault.code === "stopped") return { outcome: "given_up" };
  if (!outcome.ok) return recordPulled(deps, run, question, { ...attempt, requests }, outcome);
  const raw = outcome.value;
  return { raw, attempt: { ...attempt, requests }, judged: await judgeOf(deps, { asset, raw }) };
}

async function judgeOf(deps: PullDeps, question: AnswerQuestion): Promise<Judged> {
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

export async function recordPulled(
  deps: RecordDeps,
  run: Pick<RunHandle, "unmonitored">,
  question: Pick<Question, "isCurrent">,
  attempt: Begun,
  judged: Extract<Judged, { ok: false }>,
): Promise<Pulled>;
export async function recordPulled(
  deps: RecordDeps,
  run: Pick<RunHandle, "unmonitored">,
  question: Pick<Question, "isCurrent">,
  attempt: Begun,
  judged: Judged,
): Promise<Pulled | undefined>;
/** Writes what came of it; undefined where it has to be judged again. */
export async function recordPulled(
  deps: RecordDeps,
  run: Pick<RunHandle, "unmonitored">,
  question: Pick<Question, "isCurrent">,
  attempt: Begun,
  judged: Judged,
): Promise<Pulled | undefined> {
  const { workspace } = deps.config;
  const attempted = { ...attempt, workspace, finishedAt: Math.max(deps.clock.now(), attempt.startedAt) };
  const written = await (judged.ok ? deps.answers : deps.writer).write(
    (tx) => {
      if (question.isCurrent(tx)) return recordAnswer(tx, attempted, judged);
      const fault = judged.ok ? SUPERSEDED : judged.fault;
      return { ...recordFault(tx, attempted, fault), isForRules: false };
    },
    { behind: true, isRepeatable: true },
  );
  if (written.outcome === "stale") return undefined;
  if (!written.isMonitored) run.unmonitored();
  if (written.isForRules) deps.onChanged();
  return judged.ok ? { outcome: written.outcome } : { outcome: written.outcome, fault: judged.fault };
}

/** One question of the archive in its turn: asked where nothing holds it back. */
import { isPaused } from "../health/mod.ts";
import { openClient, type ProviderClient } from "../provider/client.ts";
import type { Asked } from "../provider/question.ts";
import { askerOf, findConnectionHold, limitedUntil, type Question } from "../signals/mod.ts";
import { archiveLimitedUntil } from "./plan_store.ts";
import { archiveCapability } from "./report_health.ts";
import { DiskNearlyFull, type RunGround } from "./run_ground.ts";

/**
 * Why a property is left for this run: it is to wait, an operator paused it, or the run ended, or nothing is reached; `skipped`: the site
 * was taken off it, or retired, since the run began.
 */
export type Left = "held" | "paused" | "given_up" | "skipped";

/** What was answered in a turn. Times are milliseconds since the epoch. */
export interface Answered<T> {
  readonly asked: Asked<T>;
  readonly startedAt: number;
  readonly finishedAt: number;
}

/** What came of a turn. */
export type Turn<T, S> = { readonly left: Left } | { readonly settled: S } | Answered<T>;

/** What was asked, and what is to be stored before anything else of the account is: it may hold the others back. */
export interface InTurn<T, S> {
  readonly ask: (client: ProviderClient) => Promise<Asked<T>>;
  /** Undefined where it may be stored after the turn. */
  readonly settle: (answered: Answered<T>) => Promise<S> | undefined;
}

/** Asks when it is the property's turn. What it throws is what asking and storing throw, and `DiskNearlyFull`. */
export async function inTurn<T, S>(
  ground: RunGround,
  question: Question,
  { ask, settle }: InTurn<T, S>,
): Promise<Turn<T, S>> {
  const { clock, handle, lanes, queue } = ground;
  return queue.run(
    question,
    { priority: "archive", signal: handle.signal, hasAsked: (turn: Turn<T, S>) => !("left" in turn) },
    async (): Promise<Turn<T, S>> => {
      const left = whyLeft(ground, question);
      if (left !== undefined) return { left };
      if (await ground.isLow()) throw new DiskNearlyFull();
      const startedAt = clock.now();
      const client = openClient(ground, question, handle.signal);
      const asked = client.ok ? await ask(client.value) : { outcome: client, requests: 0 };
      const { outcome } = asked;
      // What we gave up ourselves is nobody's failure, and no attempt.
      if (!outcome.ok && outcome.fault.code === "stopped") return { left: "given_up" };
      lanes.note(question, outcome.ok ? undefined : outcome.fault);
      const answered = { asked, startedAt, finishedAt: Math.max(clock.now(), startedAt) };
      const settled = settle(answered);
      return settled === undefined ? answered : { settled: await settled };
    },
  );
}

function whyLeft({ clock, db, handle, lanes }: RunGround, question: Question): Left | undefined {
  const now = clock.now();
  if (handle.signal.aborted) return "given_up";
  if (!question.isCurrent(db)) return "skipped";
  const { asset, provider } = question;
  if (isPaused(db, { capability: archiveCapability(provider), asset }, now)) return "paused";
  if (lanes.isGivenUp(question)) return "given_up";
  const isHeld =
    findConnectionHold(db, question, now, askerOf(handle)) !== undefined ||
    limitedUntil(db, question, now) !== undefined ||
    archiveLimitedUntil(db, question, now) !== undefined;
  return isHeld ? "held" : undefined;
}

/**
 * The one way to ask a provider over a stored credential. A question waits in the lane of its credential and provider; when its turn
 * comes it is asked unless something holds it; its credential is opened for it alone; and its outcome is written once, as the record of
 * the attempt, its result and its health. What somebody waits for goes first, and charts go before the archive.
 */

import type { AccountProvider } from "./adapter.ts";
import { type Asked, type ClientGround, type ProviderClient, providerClient } from "./client.ts";
import type { Fault, Outcome } from "./faults.ts";
import type { Secret } from "./sealing.ts";

/** How fast a provider is asked over one credential. */
interface Pace {
  /** Questions under way at once. */
  readonly atOnce: number;
  /** What is waited between an answer and the next question, in milliseconds. */
  readonly gapMs: number;
}

export interface Paces extends Readonly<Record<AccountProvider, Pace>> {
  /** How long answers are gathered before they are stored together, in milliseconds. */
  readonly gatherMs: number;
}

/**
 * Analytics takes ten questions at once for a property. Search console cuts off short bursts well below its published quotas, and
 * webmaster tools name no limit: both are asked one question at a time.
 */
export const PACES: Paces = {
  analytics: { atOnce: 4, gapMs: 0 },
  "search-console": { atOnce: 1, gapMs: 250 },
  "webmaster-tools": { atOnce: 1, gapMs: 500 },
  // A live answer takes 6 to 11 seconds, and the provider asks for a steady rate.
  serp: { atOnce: 2, gapMs: 250 },
  gatherMs: 250,
};

/** What goes first, by place: what somebody waits for, what is asked for charts, what is asked for the archive. */
export const PRIORITIES = ["person", "sense", "archive"] as const;
export type Priority = (typeof PRIORITIES)[number];

/** Whose quota a question is asked on. */
export interface LaneKey {
  readonly credential: string;
  readonly provider: AccountProvider;
}

export const laneName = ({ credential, provider }: LaneKey): string => JSON.stringify([credential, provider]);

interface Lane {
  readonly pace: Pace;
  readonly waiting: Readonly<Record<Priority, (() => void)[]>>;
  running: number;
}

/** Waits, at most until the signal aborts. */
type Sleep = (ms: number, signal: AbortSignal | undefined) => Promise<void>;

/** How work waits for its place in a lane. */
interface Place<T> {
  readonly priority: Priority;
  readonly signal: AbortSignal;
  /** Whether the work asked anybody. */
  readonly hasAsked: (result: T) => boolean;
}

const nextTurn = () => new Promise<void>((resolve) => setImmediate(resolve));

export class CredentialQueue {
  readonly #paces: Readonly<Record<AccountProvider, Pace>>;
  readonly #sleep: Sleep;
  readonly #lanes = new Map<string, Lane>();

  constructor({ paces, sleep }: { paces: Readonly<Record<AccountProvider, Pace>>; sleep: Sleep }) {
    this.#paces = paces;
    this.#sleep = sleep;
  }

  /**
   * Does the work when it is its turn; what waits is done in its order, and after an abort it still is, at once. Work that turns out to
   * ask nobody (`hasAsked` of what it came to) keeps the next one waiting for a turn of the event loop, and for no gap.
   */
  async run<T>(key: LaneKey, { priority, signal, hasAsked }: Place<T>, work: () => Promise<T>): Promise<T> {
    const name = laneName(key);
    const lane = this.#lanes.get(name) ?? this.#open(name, this.#paces[key.provider]);
    if (lane.running < lane.pace.atOnce) lane.running++;
    else await new Promise<void>((resolve) => lane.waiting[priority].push(resolve));
    let asked = true;
    try {
      const result = await work();
      asked = hasAsked(result);
      return result;
    } finally {
      void (asked ? this.#pause(lane, signal) : nextTurn()).then(() => this.#next(name, lane));
    }
  }

  /** How fast a provider is asked over one credential. */
  paceOf(provider: AccountProvider): Pace {
    return this.#paces[provider];
  }

  #open(name: string, pace: Pace): Lane {
    const lane: Lane = { pace, waiting: { person: [], sense: [], archive: [] }, running: 0 };
    this.#lanes.set(name, lane);
    return lane;
  }

  async #pause({ pace }: Lane, signal: AbortSignal): Promise<void> {
    if (pace.gapMs > 0 && !signal.aborted) await this.#sleep(pace.gapMs, signal);
    // Answers that come at once would lead from one question to the next, and nobody else would get a turn.
    else await nextTurn();
  }

  /** The place goes on to whoever waits. */
  #next(name: string, lane: Lane): void {
    for (const priority of PRIORITIES) {
      const next = lane.waiting[priority].shift();
      if (next === undefined) continue;
      next();
      return;
    }
    lane.running--;
    if (lane.running === 0) this.#lanes.delete(name);
  }
}

/** Failures in a row after which a provider is not asked any more in this run: each costs its time limits. */
const MOST_IN_A_ROW = 20;

/** Categories that count towards them: nobody was reached. */
const UNREACHED: ReadonlySet<Fault["category"]> = new Set(["network", "provider_error"]);

/** Leaves the rest of a run to the next one: of a lane where nobody is reached for too long, of all where nothing can be stored. */
export class CircuitBreaker {
  readonly #inARow = new Map<string, number>();
  #isHalted = false;

  /** Nothing can be stored: nothing more is asked. */
  halt(): void {
    this.#isHalted = true;
  }

  isOpen(lane: LaneKey): boolean {
    return this.#isHalted || (this.#inARow.get(laneName(lane)) ?? 0) >= MOST_IN_A_ROW;
  }

  note(lane: LaneKey, fault: Fault | undefined): void {
    const isUnreached = fault !== undefined && UNREACHED.has(fault.category);
    this.#inARow.set(laneName(lane), isUnreached ? (this.#inARow.get(laneName(lane)) ?? 0) + 1 : 0);
  }
}

/**
 * Why a question is not asked now. `held`: it is to wait. `paused`: an operator paused it. `given_up`: the run ended first, or the
 * breaker is open. `skipped`: nobody wants it any more.
 */
export type SkipReason = "held" | "paused" | "given_up" | "skipped";
export type Skipped = { readonly skip: SkipReason };

/** What is asked over a stored credential. */
export interface AskGround extends ClientGround {
  /** What opens a credential by its id, for the use at hand. */
  readonly credentials: { open(credential: string): Outcome<Secret> };
  readonly queue: Pick<CredentialQueue, "run">;
}

/** The connection that a question is asked over. */
export interface Connection extends LaneKey {
  readonly connectionRevision: string;
}

/** An answer, or why there is none. Times are milliseconds since the epoch. */
export interface Answered<T> extends Asked<T> {
  readonly startedAt: number;
  readonly finishedAt: number;
}

export interface InTurn<T, R> {
  readonly priority: Priority;
  readonly signal: AbortSignal;
  readonly breaker?: CircuitBreaker;
  /** The question is charged: one that Tower gave up may have been, and is recorded. */
  readonly isPaid?: true;
  /** Why it is not asked: looked at when its turn comes. Undefined where nothing holds it. */
  readonly hold: (now: number) => SkipReason | undefined | Promise<SkipReason | undefined>;
  readonly ask: (client: ProviderClient, startedAt: number) => Promise<Asked<T> | Skipped>;
  /** Writes the attempt, its result and its health. */
  readonly record: (answered: Answered<T>) => Promise<R>;
  /** Outcomes that hold nothing else back: they are recorded after the turn. None where it is absent. */
  readonly isRecordedLater?: (outcome: Outcome<T>) => boolean;
}

/** Asks when it is the question's turn. Throws what `hold` and `record` throw. */
export async function askInTurn<T, R>(
  ground: AskGround,
  question: Connection,
  turn: InTurn<T, R>,
): Promise<Skipped | { readonly recorded: R }> {
  const { priority, signal } = turn;
  // Of what is skipped nobody was asked: a thousand of them are gone through at once and not at the pace of answers.
  const hasAsked = (result: object) => !("skip" in result);
  const result = await ground.queue.run(question, { priority, signal, hasAsked }, () =>
    askNow(ground, question, turn),
  );
  return "answered" in result ? { recorded: await turn.record(result.answered) } : result;
}

async function askNow<T, R>(ground: AskGround, question: Connection, turn: InTurn<T, R>) {
  const { clock } = ground;
  const { signal, breaker, isPaid, hold, ask, record, isRecordedLater } = turn;
  if (signal.aborted) return { skip: "given_up" } as const;
  const skip = await hold(clock.now());
  if (skip !== undefined) return { skip };
  const startedAt = clock.now();
  const asked = await askOpened(ground, question, signal, (client) => ask(client, startedAt));
  if ("skip" in asked) return asked;
  const { outcome, requests } = asked;
  // A question that Tower itself gave up is nobody's failure, and no attempt.
  if (!outcome.ok && outcome.fault.code === "stopped" && isPaid !== true)
    return { skip: "given_up" } as const;
  breaker?.note(question, outcome.ok ? undefined : outcome.fault);
  const answered = { outcome, requests, startedAt, finishedAt: Math.max(clock.now(), startedAt) };
  return isRecordedLater?.(outcome) === true ? { answered } : { recorded: await record(answered) };
}

/** Asks over a credential that is opened for this one question; its own fault where it cannot be opened. */
export async function askOpened<A>(
  ground: Omit<AskGround, "queue">,
  { credential, connectionRevision }: Pick<Connection, "credential" | "connectionRevision">,
  signal: AbortSignal,
  ask: (client: ProviderClient) => Promise<A>,
): Promise<A | Asked<never>> {
  const opened = ground.credentials.open(credential);
  if (!opened.ok) return { outcome: opened, requests: 0 };
  return ask(providerClient(ground, { secret: opened.value, connectionRevision, signal }));
}

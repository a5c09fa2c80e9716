/**
 * The order in which providers are asked: a lane for each credential and provider, so that one account's quotas are spent in one place.
 * What somebody waits for goes first, and what is asked for charts before what is asked for the archive.
 */
import type { AccountProvider } from "../provider/contract.ts";

/** How fast a provider is asked over one credential. */
export interface Pace {
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
export type Sleep = (ms: number, signal: AbortSignal | undefined) => Promise<void>;

/** How a question waits for its turn. */
export interface Turn<T> {
  readonly priority: Priority;
  readonly signal: AbortSignal;
  /** Whether anybody was asked, by what the work came to; always where it is absent. */
  readonly hasAsked?: (came: T) => boolean;
}

const nextTurn = () => new Promise<void>((resolve) => setImmediate(resolve));

export class CredentialQueue {
  readonly #paces: Readonly<Record<AccountProvider, Pace>>;
  readonly #sleep: Sleep;
  readonly #lanes = new Map<string, Lane>();

  constructor({
    paces,
    sleep,
  }: { readonly paces: Readonly<Record<AccountProvider, Pace>>; readonly sleep: Sleep }) {
    this.#paces = paces;
    this.#sleep = sleep;
  }

  /**
   * Does the work when it is its turn; what waits is done in its order, and after an abort it still is, at once. Work that turns out to
   * ask nobody (`hasAsked` of what it came to) keeps the next one waiting for a turn of the event loop, and for no gap.
   */
  async run<T>(
    key: LaneKey,
    { priority, signal, hasAsked = () => true }: Turn<T>,
    work: () => Promise<T>,
  ): Promise<T> {
    const name = laneName(key);
    const lane = this.#lanes.get(name) ?? this.#open(name, this.#paces[key.provider]);
    if (lane.running < lane.pace.atOnce) lane.running++;
    else await new Promise<void>((resolve) => lane.waiting[priority].push(resolve));
    let asked = true;
    try {
      const came = await work();
      asked = hasAsked(came);
      return came;
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

import type { Db, Writer } from "../db/mod.ts";
import { feedScope, isPaused, recordResult, resultOf } from "../health/mod.ts";
import type { Clock } from "../platform/clock.ts";
import type { Config } from "../platform/config.ts";
import type { Ids } from "../platform/ids.ts";
import { logOf } from "../platform/log.ts";
import { type Fault, isLimit, needsPerson, type Outcome } from "../provider/contract.ts";
import { COOLDOWN_MS, refused } from "../provider/fault.ts";
import type { LiveFeed, LiveKind } from "./contract.ts";
import { endLease, findLease, isHeld, type Lease, type Question, takeLease } from "./lease_store.ts";

export interface FeedDeps {
  readonly store: { readonly db: Db };
  readonly writer: Pick<Writer, "write" | "aside">;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly config: Pick<Config, "workspace">;
}

/** Asks the provider once. Never throws for anything that it does. */
type Asker<Value> = (signal: AbortSignal) => Promise<Outcome<Value>>;

/** What is known beside whether it is paused, which is looked at with each look. */
type Known<Value> = Omit<LiveFeed<Value>, "isPaused">;

/** A question is given up after this long, in milliseconds: whoever died with one keeps nobody else waiting for longer. */
const LONGEST_QUESTION_MS = 60_000;

/** The answers to one question about one site's traffic: the last of them is kept here, and when it may be asked again in the database. */
export class Feed<Value> {
  readonly #deps: FeedDeps;
  readonly #question: Question;
  readonly #ask: Asker<Value>;
  readonly #stopping: AbortSignal;
  #known: Known<Value>;
  /** When what is known was last heard of. */
  #changedAt: number;

  constructor(deps: FeedDeps, question: Question, ask: Asker<Value>, stopping: AbortSignal) {
    this.#deps = deps;
    this.#question = question;
    this.#ask = ask;
    this.#stopping = stopping;
    this.#changedAt = deps.clock.now();
    this.#known = {
      value: null,
      asking: false,
      isMonitored: true,
      ...standing(findLease(deps.store.db, question), this.#changedAt),
    };
  }

  /** What is known; a question that is due is begun and not waited for. Nothing is asked while it is paused. */
  look(): LiveFeed<Value> {
    const isHalted = this.#isPaused(this.#deps.store.db);
    if (!isHalted && this.#isDue()) {
      this.#put({ asking: true });
      this.#deps.writer.aside(this.#askOnce(), (cause) => this.#unrecorded(cause));
    }
    return { ...this.#known, isPaused: isHalted };
  }

  #isPaused(db: Db): boolean {
    const { asset, kind } = this.#question;
    return isPaused(db, { capability: `analytics.${kind}`, asset }, this.#deps.clock.now());
  }

  #isDue(): boolean {
    const { asking, nextAt } = this.#known;
    const now = this.#deps.clock.now();
    // A clock that was set back would keep it waiting: the lease decides then.
    return !asking && !this.#stopping.aborted && (nextAt === null || now >= nextAt || now < this.#changedAt);
  }

  async #askOnce(): Promise<void> {
    const { clock, config, ids, writer } = this.#deps;
    const { kind } = this.#question;
    const holder = ids.uuid();
    const now = clock.now();
    const by = { holder, now, until: now + LONGEST_QUESTION_MS };
    const stands = await writer.write(
      (tx) => (this.#isPaused(tx) ? "paused" : takeLease(tx, this.#question, by)),
      { behind: true },
    );
    if (stands === "paused") return this.#put({ asking: false });
    if (stands !== undefined) return this.#put({ asking: false, ...standing(stands, clock.now()) });
    const limit = AbortSignal.timeout(LONGEST_QUESTION_MS);
    const answer = await this.#ask(AbortSignal.any([this.#stopping, limit]));
    const outcome = limit.aborted && !answer.ok ? refused("timed_out") : answer;
    // Given up by us, it says nothing about the provider.
    if (this.#stopping.aborted) return;
    const at = clock.now();
    const fault = outcome.ok ? undefined : outcome.fault;
    const nextAt = nextQuestionAt(kind, fault, at);
    this.#put(
      outcome.ok
        ? { asking: false, nextAt, value: outcome.value, seenAt: at, failure: null }
        : {
            asking: false,
            nextAt,
            failure: { at, category: outcome.fault.category, code: outcome.fault.code },
          },
    );
    const { seenAt, failure } = this.#known;
    const ended = { holder, heldUntil: nextAt, seenAt, failure };
    const scope = feedScope(config.workspace, this.#question);
    const isMonitored = await writer.write(
      (tx) => {
        endLease(tx, this.#question, ended);
        const attempt = { attempt: `live:${holder}`, startedAt: now, observedAt: at };
        return recordResult(tx, scope, attempt, resultOf(fault, { nextRetryAt: nextAt }));
      },
      { behind: true },
    );
    this.#put({ isMonitored });
  }

  /** What was answered counts all the same; nobody asks again for as long as an answer would be shared. */
  #unrecorded(cause: unknown): void {
    const { asset, kind } = this.#question;
    const nextAt = nextQuestionAt(kind, undefined, this.#deps.clock.now());
    this.#put({ asking: false, nextAt: Math.max(nextAt, this.#known.nextAt ?? 0) });
    logOf("live").warn("a question about traffic could not be noted", { asset, kind, reason: String(cause) });
  }

  #put(change: Partial<Known<Value>>): void {
    this.#known = { ...this.#known, ...change };
    this.#changedAt = this.#deps.clock.now();
  }
}

/** What a lease says of a question whose answers are gone. */
function standing(
  lease: Lease | undefined,
  now: number,
): Pick<LiveFeed<never>, "seenAt" | "failure" | "nextAt"> {
  return {
    seenAt: lease?.seenAt ?? null,
    failure: lease?.failure ?? null,
    nextAt: lease !== undefined && isHeld(lease, now) ? lease.heldUntil : null,
  };
}

/** When the provider may be asked next. Pure. */

const MINUTE = 60_000;

/** How long an answer of a kind is shared, in milliseconds (spec, Limits). */
const SHARED_MS: Readonly<Record<LiveKind, number>> = { realtime: 30_000, hourly: 15 * MINUTE };

/**
 * How long a refusal holds that only an operator can end. Shorter than for what is pulled by schedule: somebody looks at the page,
 * most likely to see whether what they mended works; and long enough that refused questions never use up what a property allows of
 * them, which is what the provider counts by the quarter of an hour.
 */
const REFUSED_MS = 15 * MINUTE;

/** The earliest moment of the next question of a kind after this one was answered, or failed with a fault. */
function nextQuestionAt(kind: LiveKind, fault: Fault | undefined, now: number): number {
  return now + Math.max(SHARED_MS[kind], fault === undefined ? 0 : holdOf(fault));
}

function holdOf({ category, retryAfterMs }: Fault): number {
  if (retryAfterMs !== undefined) return retryAfterMs;
  if (isLimit(category)) return COOLDOWN_MS;
  return needsPerson(category) ? REFUSED_MS : 0;
}

/** The traffic of a site now: asked while somebody looks, each answer shared, and nothing asked again before its time. */

import { logOf } from "../base/log.ts";
import { MINUTE_MS } from "../base/time.ts";
import { feedScope } from "../health/health.ts";
import { isPaused } from "../health/pauses.ts";
import { recordResult, resultOf } from "../health/record.ts";
import type { HourlyReport, Realtime } from "../providers/adapter.ts";
import { askHours, askRealtime } from "../providers/analytics.ts";
import type { Attachment } from "../providers/credentials.ts";
import { COOLDOWN_MS, type Fault, isLimit, needsPerson, type Outcome, refused } from "../providers/faults.ts";
import { findProperty, listAttachmentsOf } from "../providers/properties.ts";
import { type AskGround, askOpened } from "../providers/queued_request.ts";
import { isRetired, type Lifecycle } from "../sites/sites.ts";
import type { Core } from "../store/core.ts";
import { columnsOf, replacing } from "../store/rows.ts";
import { type Db, statement, type Tx } from "../store/store.ts";
import { liveLease } from "./tables.ts";

// The leases of the questions about traffic. Plain statements: a watched page runs them twice a minute.

/** Realtime counts and the core report by the hour: each has a quota, a cooldown and failures of its own. */
export const LIVE_KINDS = ["realtime", "hourly"] as const;
type LiveKind = (typeof LIVE_KINDS)[number];

/** What each kind tells. */
interface LiveValues {
  readonly realtime: Realtime;
  readonly hourly: HourlyReport;
}

/** The property a site's traffic is asked of, under which connection. */
export interface LiveSource {
  readonly credential: string;
  readonly connectionRevision: string;
  /** The provider's own id. */
  readonly property: string;
}

/** One part of the panel. A failure never takes a value away. */
export interface LiveFeed<Value> {
  readonly value: Value | null;
  /** When the value was seen; kept when the value itself was lost with a restart. Null where nothing was ever seen. */
  readonly seenAt: number | null;
  /** Why and when the last question came to nothing; null where it came off or none was asked. */
  readonly failure: (Pick<Fault, "category" | "code"> & { readonly at: number }) | null;
  /** The provider is not asked before this moment; null where nothing keeps it from being asked. */
  readonly nextAt: number | null;
  /** A question is under way. */
  readonly asking: boolean;
  /** An operator paused it: nobody is asked, however long somebody looks. */
  readonly isPaused: boolean;
  /** False where the last question ended, and what came of it could not be recorded as health. */
  readonly isMonitored: boolean;
}

/** What the panel of a site shows. */
export type LiveView =
  | { readonly state: "not-connected" | "retired" }
  | {
      readonly state: "watched";
      readonly realtime: LiveFeed<Realtime>;
      readonly hourly: LiveFeed<HourlyReport>;
    };

/** What is asked, of whom. */
export interface Question {
  readonly asset: string;
  readonly kind: LiveKind;
  readonly source: LiveSource;
}

/** A lease as it stands. */
type Lease = Readonly<typeof liveLease.$inferSelect>;

const leaseOf = statement<Lease, [string, string, string, string]>(
  `SELECT ${columnsOf(liveLease)} FROM live_lease
   WHERE asset = ? AND kind = ? AND connection_revision = ? AND property = ?`,
);

const putLease = replacing(liveLease);

/** The lease of a question; undefined where it was never asked of this property under this connection. */
const findLease = (db: Db, { asset, kind, source }: Question): Lease | undefined =>
  leaseOf(db).first(asset, kind, source.connectionRevision, source.property);

/** A question that was asked, by whatever connection. */
export interface AskedQuestion extends Pick<Lease, "asset" | "kind" | "property"> {
  readonly connectionRevision: string;
  /** When it was last asked, in milliseconds since the epoch. */
  readonly takenAt: number;
}

const everyLease = statement<AskedQuestion, []>(
  "SELECT asset, kind, connection_revision AS connectionRevision, property, taken_at AS takenAt FROM live_lease ORDER BY asset, kind",
);

/** Every question that was ever asked of a site's traffic, the last of each kind. */
export const listAskedQuestions = (db: Db): AskedQuestion[] => everyLease(db).all();

/** Whether a lease keeps everybody from asking. One that was taken in the future is of a clock that was set back, and holds nothing. */
const isHeld = (lease: Lease, now: number): boolean => lease.taken_at <= now && now < lease.held_until;

/** Takes the lease of a question up to a moment. Answers the one that stands where it is held. */
export function takeLease(
  tx: Tx,
  question: Question,
  by: { readonly holder: string; readonly now: number; readonly until: number },
): Lease | undefined {
  const stands = findLease(tx, question);
  if (stands !== undefined && isHeld(stands, by.now)) return stands;
  const { asset, kind, source } = question;
  const { seen_at = null, failed_at = null, category = null, code = null } = stands ?? {};
  putLease(tx, {
    ...{ asset, kind, connection_revision: source.connectionRevision, property: source.property },
    ...{ holder: by.holder, taken_at: by.now, held_until: by.until },
    ...{ seen_at, failed_at, category, code },
  });
  return undefined;
}

/** Asks the provider once. Never throws for anything that it does. */
type Asker<Value> = (signal: AbortSignal) => Promise<Outcome<Value>>;

/** What is known beside whether it is paused, which is looked at with each look. */
type Known<Value> = Omit<LiveFeed<Value>, "isPaused">;

/** A question is given up after this long, in milliseconds: whoever died with one keeps nobody else waiting for longer. */
const LONGEST_QUESTION_MS = 60_000;

/**
 * The answers to one question about one site's traffic: the last of them is kept here, and when it may be asked again in the database.
 * Looking says what is known; a question that is due is begun and not waited for. Nothing is asked while it is paused.
 */
function feedOf<Value>(
  deps: Core,
  question: Question,
  ask: Asker<Value>,
  stopping: AbortSignal,
): () => LiveFeed<Value> {
  const { store, clock, config, ids, writer } = deps;
  const { asset, kind } = question;
  /** When what is known was last heard of. */
  let changedAt = clock.now();
  let known: Known<Value> = {
    value: null,
    asking: false,
    isMonitored: true,
    ...standing(findLease(store.db, question), changedAt),
  };
  const put = (change: Partial<Known<Value>>): void => {
    known = { ...known, ...change };
    changedAt = clock.now();
  };
  const isHalted = (db: Db) => isPaused(db, { capability: `analytics.${kind}`, asset }, clock.now());
  const isDue = () => {
    const { asking, nextAt } = known;
    const now = clock.now();
    // A clock that was set back would keep it waiting: the lease decides then.
    return !asking && !stopping.aborted && (nextAt === null || now >= nextAt || now < changedAt);
  };

  async function askOnce(): Promise<void> {
    const holder = ids.uuid();
    const now = clock.now();
    const by = { holder, now, until: now + LONGEST_QUESTION_MS };
    const stands = await writer.write((tx) => (isHalted(tx) ? "paused" : takeLease(tx, question, by)), {
      lowPriority: true,
    });
    if (stands === "paused") return put({ asking: false });
    if (stands !== undefined) return put({ asking: false, ...standing(stands, clock.now()) });
    const limit = AbortSignal.timeout(LONGEST_QUESTION_MS);
    const answer = await ask(AbortSignal.any([stopping, limit]));
    const outcome = limit.aborted && !answer.ok ? refused("timed_out") : answer;
    // Given up by us, it says nothing about the provider.
    if (stopping.aborted) return;
    const at = clock.now();
    const fault = outcome.ok ? undefined : outcome.fault;
    const nextAt = nextQuestionAt(kind, fault, at);
    const told = outcome.ok
      ? { value: outcome.value, seenAt: at, failure: null }
      : { failure: { at, category: outcome.fault.category, code: outcome.fault.code } };
    put({ asking: false, nextAt, ...told });
    const { seenAt, failure } = known;
    const isMonitored = await writer.write(
      (tx) => {
        const taken = findLease(tx, question);
        // Where one of another connection has taken the lease since, this one's end is none of it.
        if (taken !== undefined) {
          const { at: failed_at = null, category = null, code = null } = failure ?? {};
          putLease(tx, { ...taken, held_until: nextAt, seen_at: seenAt, failed_at, category, code });
        }
        const attempt = { attempt: `live:${holder}`, startedAt: now, observedAt: at };
        const scope = feedScope(config.workspace, question);
        return recordResult(tx, scope, attempt, resultOf(fault, { nextRetryAt: nextAt }));
      },
      { lowPriority: true },
    );
    put({ isMonitored });
  }

  /** What was answered counts all the same; nobody asks again for as long as an answer would be shared. */
  function unrecorded(cause: unknown): void {
    const nextAt = nextQuestionAt(kind, undefined, clock.now());
    put({ asking: false, nextAt: Math.max(nextAt, known.nextAt ?? 0) });
    logOf("live").warn("a question about traffic could not be noted", { asset, kind, reason: String(cause) });
  }

  return () => {
    const isPausedNow = isHalted(store.db);
    if (!isPausedNow && isDue()) {
      put({ asking: true });
      writer.background(askOnce(), unrecorded);
    }
    return { ...known, isPaused: isPausedNow };
  };
}

/** What a lease says of a question whose answers are gone. */
function standing(
  lease: Lease | undefined,
  now: number,
): Pick<LiveFeed<never>, "seenAt" | "failure" | "nextAt"> {
  const { failed_at: at = null, category = null, code = null } = lease ?? {};
  return {
    seenAt: lease?.seen_at ?? null,
    failure: at === null || category === null || code === null ? null : { at, category, code },
    nextAt: lease !== undefined && isHeld(lease, now) ? lease.held_until : null,
  };
}

/** How long an answer of a kind is shared, in milliseconds (spec, Limits). */
const SHARED_MS: Readonly<Record<LiveKind, number>> = { realtime: 30_000, hourly: 15 * MINUTE_MS };

/**
 * How long a refusal holds that only an operator can end. Shorter than for what is pulled by schedule: somebody looks at the page,
 * most likely to see whether what they mended works; and long enough that refused questions never use up what a property allows of
 * them, which is what the provider counts by the quarter of an hour.
 */
const REFUSED_MS = 15 * MINUTE_MS;

/** The earliest moment of the next question of a kind after this one was answered, or failed with a fault. */
function nextQuestionAt(kind: LiveKind, fault: Fault | undefined, now: number): number {
  return now + Math.max(SHARED_MS[kind], fault === undefined ? 0 : holdOf(fault));
}

function holdOf({ category, retryAfterMs }: Fault): number {
  if (retryAfterMs !== undefined) return retryAfterMs;
  if (isLimit(category)) return COOLDOWN_MS;
  return needsPerson(category) ? REFUSED_MS : 0;
}

type LiveAskers = {
  readonly [Kind in LiveKind]: (
    source: LiveSource,
    signal: AbortSignal,
  ) => Promise<Outcome<LiveValues[Kind]>>;
};

interface LiveDeps extends Core {
  /** Where a site's traffic is asked for; `retired` for a site that nobody watches, null where no property is attached. */
  readonly sourceOf: (asset: string) => LiveSource | "retired" | null;
  readonly ask: LiveAskers;
}

/** Most sites whose answers are kept; those looked at longest ago go first. */
const MOST_SITES = 200;

interface Watched {
  readonly source: LiveSource;
  readonly realtime: () => LiveFeed<Realtime>;
  readonly hourly: () => LiveFeed<HourlyReport>;
}

/**
 * The traffic of sites as it is now. Looking answers at once, with what is known; what is due is asked behind the answer, and shown to
 * whoever looks next. Nothing is asked unless somebody looks.
 */
export class LiveTraffic {
  readonly #deps: LiveDeps;
  readonly #sites = new Map<string, Watched>();
  readonly #stopping = new AbortController();

  constructor(deps: LiveDeps) {
    this.#deps = deps;
  }

  /** What is known of a site's traffic. Begins the questions that are due. `source` is what `sourceOf` says, where it is known already. */
  look(asset: string, source = this.#deps.sourceOf(asset)): LiveView {
    if (source === null || source === "retired") {
      this.#sites.delete(asset);
      return { state: source ?? "not-connected" };
    }
    const { realtime, hourly } = this.#watched(asset, source);
    return { state: "watched", realtime: realtime(), hourly: hourly() };
  }

  /** Begins no further question and gives up those under way. */
  stop(): void {
    this.#stopping.abort();
  }

  /** What is kept of a site; another property, or another connection, begins anew. */
  #watched(asset: string, source: LiveSource): Watched {
    const kept = this.#sites.get(asset);
    const site = kept !== undefined && isSame(kept.source, source) ? kept : this.#begun(asset, source);
    // Taken out and put in, it is the last: the first is the one looked at longest ago.
    this.#sites.delete(asset);
    this.#sites.set(asset, site);
    const [oldest] = this.#sites.keys();
    if (this.#sites.size > MOST_SITES && oldest !== undefined) this.#sites.delete(oldest);
    return site;
  }

  #begun(asset: string, source: LiveSource): Watched {
    const { ask } = this.#deps;
    const feed = <Kind extends LiveKind>(kind: Kind) =>
      feedOf<LiveValues[Kind]>(
        this.#deps,
        { asset, kind, source },
        (signal) => ask[kind](source, signal),
        this.#stopping.signal,
      );
    return { source, realtime: feed("realtime"), hourly: feed("hourly") };
  }
}

function isSame(one: LiveSource, other: LiveSource): boolean {
  return one.connectionRevision === other.connectionRevision && one.property === other.property;
}

/** The analytics property that a site's traffic is asked of; `retired` for a site that nobody watches, null where none is attached. */
export const trafficSource = (db: Db, asset: string) =>
  sourceAmong(isRetired(db, asset) ? "retired" : "live", listAttachmentsOf(db, asset));

/** The same, for whoever has read the site and its attachments. */
export function sourceAmong(
  lifecycle: Lifecycle,
  attachments: readonly Attachment[],
): LiveSource | "retired" | null {
  if (lifecycle === "retired") return "retired";
  return attachments.find(({ provider }) => provider === "analytics") ?? null;
}

/** Asks the analytics provider with the site's credential, opened for the one question. */
export const liveAskers = (
  deps: Omit<AskGround, "queue"> & { readonly store: { readonly db: Db } },
): LiveAskers => ({
  realtime: async (source, signal) =>
    (await askOpened(deps, source, signal, (client) => askRealtime(client, source.property))).outcome,
  hourly: async (source, signal) => {
    const of = { now: deps.clock.now(), timeZone: timeZoneOf(deps.store.db, source) };
    return (await askOpened(deps, source, signal, (client) => askHours(client, source.property, of))).outcome;
  },
});

/** The property's time zone as the last discovery told it; the answer says its own. */
function timeZoneOf(db: Db, { credential, property }: LiveSource): string | undefined {
  return findProperty(db, { credential, provider: "analytics", property })?.timeZone ?? undefined;
}

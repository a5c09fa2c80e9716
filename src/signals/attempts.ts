/** Attempts as they are stored, loose, and what the latest say of a site's pulls. Older ones lie in packs (`attempt_packs.ts`); the latest of a target never does. */

import type { Attempt as HealthAttempt } from "../health/record.ts";
import type { Provider } from "../providers/adapter.ts";
import { FAILURE_CATEGORIES, type FailureCategory, needsPerson } from "../providers/faults.ts";
import { appending, numberedRows } from "../store/rows.ts";
import { type Db, statement, type Tx } from "../store/store.ts";
import { pullAttempt, pullTarget } from "./tables.ts";

// An attempt, its target and its outcome, as they are stored: outcome and category by their places in
// `PULL_OUTCOMES` and `FAILURE_CATEGORIES`.

export const PULL_OUTCOMES = ["changed", "unchanged", "empty", "source_lag", "incomplete", "failed"] as const;
export type PullOutcome = (typeof PULL_OUTCOMES)[number];

/** What was asked of whom, and in which calendar. */
export type AskedTarget = Readonly<Omit<typeof pullTarget.$inferSelect, "id">>;

/** A target whose daily figures are pulled. */
export type PullTarget = AskedTarget & { readonly provider: Provider };

/** One attempt as it is recorded. Times are milliseconds since the epoch. */
export interface Attempt {
  readonly target: AskedTarget;
  readonly startedAt: number;
  readonly tookMs: number;
  readonly outcome: PullOutcome;
  readonly category: FailureCategory | null;
  readonly nextRetryAt: number | null;
  /** Requests sent, those for a token and repeated ones too. */
  readonly requests: number;
  /** Values that are other than before. */
  readonly changed: number;
}

export type AttemptRow = Readonly<typeof pullAttempt.$inferSelect>;

/** What an attempt without a whole answer came to. */
export const failedOutcome = (category: FailureCategory): "incomplete" | "failed" =>
  category === "incomplete_report" ? "incomplete" : "failed";

/** An outcome by its place; one that is not known here is no success. */
export const outcomeAt = (place: number): PullOutcome => PULL_OUTCOMES[place] ?? "failed";

/** A category by its place; null of an attempt that did not fail, and where it is not known here. */
export const categoryAt = (place: number | null): FailureCategory | null =>
  FAILURE_CATEGORIES[place ?? -1] ?? null;

/** When an attempt began and how it ended. */
export type AttemptEnd = Pick<Attempt, "startedAt" | "outcome" | "category" | "nextRetryAt">;

/** When the attempt of a row began and how it ended. */
export function endOfAttempt(
  row: Pick<AttemptRow, "started_at" | "outcome" | "category" | "next_retry_at">,
): AttemptEnd {
  return {
    startedAt: row.started_at,
    outcome: outcomeAt(row.outcome),
    category: categoryAt(row.category),
    nextRetryAt: row.next_retry_at,
  };
}

/** Targets: whatever is asked of a provider, by number. */
const targets = numberedRows(pullTarget);

/** The number of a target, given to it when it is first asked; undefined where it was never asked. */
export const { idOf: targetId, find: findTarget } = targets;

/** Every target by its number. */
export const targetsById = (db: Db): ReadonlyMap<number, AskedTarget> => targets.all(db).byId;

const append = appending(pullAttempt);

/** Notes an attempt of a run (its row in `job_run`). Returns the attempt's id. */
export function recordAttempt(tx: Tx, run: number, attempt: Attempt): number {
  const outcome = PULL_OUTCOMES.indexOf(attempt.outcome);
  const category = attempt.category === null ? null : FAILURE_CATEGORIES.indexOf(attempt.category);
  if (outcome < 0 || (category !== null && category < 0))
    throw new RangeError("an attempt has an unknown outcome");
  return append(tx, {
    run,
    target: targetId(tx, attempt.target),
    started_at: attempt.startedAt,
    took_ms: Math.max(0, Math.round(attempt.tookMs)),
    outcome,
    category,
    next_retry_at: attempt.nextRetryAt === null ? null : Math.round(attempt.nextRetryAt),
    requests: attempt.requests,
    changed: attempt.changed,
  });
}

/** An attempt as it went, before what it came to. Times are milliseconds since the epoch. */
export interface Went {
  /** The run's row in `job_run`. */
  readonly run: number;
  readonly target: AskedTarget;
  readonly startedAt: number;
  readonly finishedAt: number;
  readonly requests: number;
}

/** Notes what an attempt came to; as health tells attempts apart, with its row. */
export function noteAttempt(
  tx: Tx,
  { run, target, startedAt, finishedAt, requests }: Went,
  ended: Pick<Attempt, "outcome"> & Partial<Pick<Attempt, "category" | "nextRetryAt" | "changed">>,
): HealthAttempt & { readonly id: number } {
  const tookMs = finishedAt - startedAt;
  const noted = { category: null, nextRetryAt: null, changed: 0, ...ended };
  const id = recordAttempt(tx, run, { target, startedAt, tookMs, requests, ...noted });
  return { id, attempt: `pull:${id}`, startedAt, observedAt: finishedAt };
}

const latestOf = statement<AttemptRow, [number]>(
  "SELECT started_at, outcome, category, next_retry_at FROM pull_attempt WHERE target = ? ORDER BY id DESC LIMIT 1",
);

/** The latest attempt of a target by its number; undefined where it was never asked. */
export function latestAttempt(db: Db, target: number): AttemptEnd | undefined {
  const row = latestOf(db).first(target);
  return row === undefined ? undefined : endOfAttempt(row);
}

/** What may be held: a property of a site, by whichever calendar it was asked. */
type Held = Omit<AskedTarget, "timeZone">;

/** Who wants to ask. */
export interface Asker {
  /** The run's row in `job_run`. */
  readonly run: number;
  readonly isPerson: boolean;
}

/** As much of an attempt as holds its target. */
type Hold = Pick<AttemptRow, "run" | "started_at" | "took_ms" | "category" | "next_retry_at">;
const HOLD = "a.run, a.started_at, a.took_ms, a.next_retry_at";

/**
 * The time that a hold lasts to, 0 where there is none. What lies ahead of the clock is of a clock that was, and holds nothing. A person
 * who asks may just have put right what only a person can: that is asked at once, though not twice in one run.
 */
function endOf(hold: Hold | undefined, now: number, asker: Asker | undefined): number {
  if (hold === undefined || hold.started_at > now + CLOCK_SLACK_MS) return 0;
  const isBroken =
    asker?.isPerson === true && asker.run !== hold.run && needsPerson(categoryAt(hold.category));
  return isBroken ? 0 : (hold.next_retry_at ?? 0);
}

/** How far a clock is set back in ordinary service, in milliseconds. */
const CLOCK_SLACK_MS = 60 * 60_000;

// The latest attempt of each row of a target, over all calendars that it was asked by; the latest of these is the target's.
const nextRetryOf = statement<
  Hold,
  [asset: string, provider: string, connectionRevision: string, property: string]
>(
  `SELECT ${HOLD}, a.category FROM pull_target t JOIN pull_attempt a
     ON a.id = (SELECT id FROM pull_attempt WHERE target = t.id ORDER BY id DESC LIMIT 1)
   WHERE t.asset = ? AND t.provider = ? AND t.connection_revision = ? AND t.property = ? ORDER BY a.id DESC LIMIT 1`,
);

// A later attempt that failed otherwise lets a hold stand as it was: its category is that of the attempt which set it.
const nextRetryOfAll = statement<Hold, [provider: string, connectionRevision: string]>(
  `SELECT ${HOLD}, (SELECT first.category FROM pull_attempt first
     WHERE first.target = a.target AND first.next_retry_at = a.next_retry_at ORDER BY first.id LIMIT 1) AS category FROM pull_target t JOIN pull_attempt a
     ON a.id = (SELECT id FROM pull_attempt WHERE target = t.id ORDER BY id DESC LIMIT 1)
   WHERE t.asset = '' AND t.provider = ? AND t.connection_revision = ? ORDER BY a.id DESC LIMIT 1`,
);

/**
 * Until when a target is not to be asked (milliseconds since the epoch), from its latest attempt, and from the latest attempt about
 * everything that is asked of the provider over the same connection (asset ''), whichever is later. Undefined where it may be asked.
 * Nobody at the provider asked for a slow probe: it does not hold a person.
 */
export function heldUntil(db: Db, target: Held, now: number, asker?: Asker): number | undefined {
  const { asset, provider, connectionRevision, property } = target;
  const own = endOf(nextRetryOf(db).first(asset, provider, connectionRevision, property), now, asker);
  const until = Math.max(own, findConnectionHold(db, target, now, asker)?.until ?? 0);
  return until > now ? until : undefined;
}

/**
 * Until when a limit that was met, or a pause that the provider takes, holds a property itself. What only a person can put right does
 * not: nobody at the provider asked to be left alone for it.
 */
export function limitedUntil(db: Db, target: Held, now: number): number | undefined {
  const { asset, provider, connectionRevision, property } = target;
  const hold = nextRetryOf(db).first(asset, provider, connectionRevision, property);
  if (hold === undefined || needsPerson(categoryAt(hold.category))) return undefined;
  const until = endOf(hold, now, undefined);
  return until > now ? until : undefined;
}

/**
 * What holds a whole connection: until when nothing is to be asked of a provider over it, why, and since when, which is when the attempt
 * ended that holds it; undefined where it may be asked.
 */
export function findConnectionHold(
  db: Db,
  { provider, connectionRevision }: Pick<Held, "provider" | "connectionRevision">,
  now: number,
  asker?: Asker,
) {
  const hold = nextRetryOfAll(db).first(provider, connectionRevision);
  const until = endOf(hold, now, asker);
  if (hold === undefined || until <= now) return undefined;
  return { until, category: categoryAt(hold.category), since: hold.started_at + hold.took_ms };
}

const outcomesOfRun = statement<{ outcome: number; attempts: number }, [number]>(
  "SELECT outcome, count(*) AS attempts FROM pull_attempt WHERE run = ? GROUP BY outcome ORDER BY outcome",
);

/** What came of the attempts of a run that has not been packed, by outcome. */
export function attemptsOfRun(db: Db, run: number): Readonly<Record<string, number>> {
  return Object.fromEntries(
    outcomesOfRun(db)
      .all(run)
      .map(({ outcome, attempts }) => [outcomeAt(outcome), attempts]),
  );
}

// The state of the pulls of a site's figures: the latest attempt, the last that came to a report, and since when they fail.

/** What is asked of a provider for a site over one connection; for an account, without site and property (''). */
type Pulled = Pick<AskedTarget, "asset" | "provider" | "connectionRevision" | "property">;

/** Times are milliseconds since the epoch. */
export interface PullStanding {
  /** Undefined where it was never asked for. */
  readonly latest: AttemptEnd | undefined;
  /** When the last attempt began that came to a report; undefined where none of those that are kept loose did. */
  readonly reportedAt: number | undefined;
  /** When the first attempt began of those that failed since; undefined where the latest did not fail. */
  readonly failingSince: number | undefined;
}

const REPORTED = PULL_OUTCOMES.indexOf("source_lag");

type Key = readonly [asset: string, provider: string, connectionRevision: string, property: string];

const OF =
  "pull_target t WHERE t.asset = ? AND t.provider = ? AND t.connection_revision = ? AND t.property = ?";

const latestOfAll = statement<AttemptRow, Key>(
  `SELECT a.id, a.started_at, a.outcome, a.category, a.next_retry_at FROM pull_attempt a
   WHERE a.id = (SELECT max((SELECT id FROM pull_attempt WHERE target = t.id ORDER BY id DESC LIMIT 1)) FROM ${OF})`,
);

const reportedOf = statement<AttemptRow, Key>(
  `SELECT a.id, a.started_at, a.outcome, a.category, a.next_retry_at FROM pull_attempt a
   WHERE a.id = (SELECT max((SELECT id FROM pull_attempt WHERE target = t.id AND outcome <= ${REPORTED} ORDER BY id DESC LIMIT 1))
     FROM ${OF})`,
);

const firstFailure = statement<{ started_at: number | null }, readonly [number, ...Key]>(
  `SELECT min((SELECT started_at FROM pull_attempt WHERE target = t.id AND id > ? AND outcome > ${REPORTED} ORDER BY id LIMIT 1))
     AS started_at FROM ${OF}`,
);

/** How the pulls of a site's figures from a property go, over the connection that is named: what another property told is none of them. */
export function pullStanding(db: Db, pulled: Pulled): PullStanding {
  const { asset, provider, connectionRevision, property } = pulled;
  const own: Key = [asset, provider, connectionRevision, property];
  const account: Key = ["", provider, connectionRevision, ""];
  const ofSite = latestOfAll(db).first(...own);
  const ofAccount = asset === "" ? undefined : latestOfAll(db).first(...account);
  // What fails for a whole account is noted once, with no site, and stands for each of its sites. That the account is let in, as a
  // test of it says, collects nothing of theirs.
  const isHeld = ofAccount !== undefined && ofAccount.outcome > REPORTED && ofAccount.id > (ofSite?.id ?? 0);
  const latest = isHeld ? ofAccount : ofSite;
  if (latest === undefined) return { latest: undefined, reportedAt: undefined, failingSince: undefined };
  const reported = ofSite === undefined || ofSite.outcome <= REPORTED ? ofSite : reportedOf(db).first(...own);
  const since =
    latest === reported
      ? []
      : [own, account].flatMap((key) => firstFailure(db).first(reported?.id ?? 0, ...key)?.started_at ?? []);
  return {
    latest: endOfAttempt(latest),
    reportedAt: reported?.started_at,
    failingSince: since.length === 0 ? undefined : Math.min(...since),
  };
}

const timeZoneOf = statement<{ time_zone: string }, [string, string, string]>(
  `SELECT time_zone FROM pull_target t
   WHERE t.asset = ? AND t.provider = ? AND t.connection_revision = ? AND t.time_zone <> ''
   ORDER BY (SELECT max(id) FROM pull_attempt WHERE target = t.id) DESC LIMIT 1`,
);

/** The calendar in which a provider last told the days of a site, whichever property they came from; undefined where it does not say. */
export function lastTimeZone(
  db: Db,
  { asset, provider, connectionRevision }: Omit<Pulled, "property">,
): string | undefined {
  return timeZoneOf(db).first(asset, provider, connectionRevision)?.time_zone;
}

/** When something was last asked, in milliseconds since the epoch. */
export interface SourceAttempt extends Pulled {
  readonly startedAt: number;
}

// The latest attempt is never packed.
const LATEST = `SELECT t.asset, t.provider, t.connection_revision AS connectionRevision, t.property, a.started_at AS startedAt
   FROM pull_target t JOIN pull_attempt a
     ON a.id = (SELECT id FROM pull_attempt WHERE target = t.id ORDER BY id DESC LIMIT 1)`;
const latestOfEach = statement<SourceAttempt, []>(`${LATEST} WHERE t.asset <> ''`);
const latestOfSite = statement<SourceAttempt, [string]>(`${LATEST} WHERE t.asset = ? AND t.asset <> ''`);

/**
 * The latest attempt of each site, or of the one named, provider, connection, property and calendar: what was asked by two calendars stands
 * there twice.
 */
export function listSourceAttempts(db: Db, asset?: string): SourceAttempt[] {
  return asset === undefined ? latestOfEach(db).all() : latestOfSite(db).all(asset);
}

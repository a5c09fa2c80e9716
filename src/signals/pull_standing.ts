/**
 * The state of the pulls of a site's figures: the latest attempt, the last that came to a report, and since when they fail.
 */

import { type Db, statement } from "../store/store.ts";
import {
  type AskedTarget,
  type AttemptEnd,
  type AttemptRow,
  endOfAttempt,
  PULL_OUTCOMES,
} from "./attempts.ts";

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

const latestOf = statement<AttemptRow, Key>(
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
  const ofSite = latestOf(db).first(...own);
  const ofAccount = asset === "" ? undefined : latestOf(db).first(...account);
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

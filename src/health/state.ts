/** The state of a target: a pure function of what is set up, what is known, what is due, and now. */
import { isMoment } from "../lib/instant.ts";
import { parseUtcDay } from "../lib/utc_day.ts";
import { FAILURE_CATEGORIES } from "../provider/contract.ts";
import type { Evidence, HealthState } from "./contract.ts";
import { type Due, dueOf, NO_DUE, type Obligation } from "./due.ts";

/** What an operator and the code have set up for a target. */
export interface Configuration {
  /** False where the site was detached, or the credential removed. */
  readonly isConnected: boolean;
  /** The operator disabled it. */
  readonly isPaused: boolean;
  /** False where nothing observes it reliably. */
  readonly isObserved: boolean;
}

export interface Asked {
  /** `unreadable` where the inventory could not be read. */
  readonly configuration: Configuration | "unreadable";
  /** Undefined where no attempt was ever recorded; `unreadable` where what is stored of it cannot be read. */
  readonly evidence: Evidence | "unreadable" | undefined;
  /** When the latest attempt began that the source itself has a record of; undefined where it has none, or keeps none. */
  readonly sourceAttemptAt: number | undefined;
  readonly obligation: Obligation;
  /** Milliseconds since the epoch, like every other moment. */
  readonly now: number;
}

/** How far a moment may lie ahead of the clock before it is of a clock that was wrong, in milliseconds. */
export const AHEAD_MS = 5 * 60_000;

/** Why nothing can be said of a target. */
export type UnknownCause = "inventory" | "evidence" | "ahead" | "unmatched" | "obligation";

/** How a target stands. */
export interface Standing {
  readonly state: HealthState;
  /** Of an unknown one why it is; undefined otherwise. */
  readonly cause: UnknownCause | undefined;
  /** What its obligation makes of the last usable result, whatever the state. */
  readonly due: Due;
}

/** What the table looks at. */
interface Facts {
  readonly configuration: Configuration | "unreadable";
  /** Of the latest attempt: none, one that cannot be read, one of a moment to come, a failure, a usable result. */
  readonly latest: "none" | "unreadable" | "ahead" | "failure" | "success";
  /** The source has an attempt that began later than any that is known here. */
  readonly isUnmatched: boolean;
  /** Undefined where the obligation cannot be read. */
  readonly due: Due | undefined;
  readonly now: number;
}

interface Row {
  readonly state: HealthState;
  readonly cause?: UnknownCause;
  readonly when: (facts: Facts) => boolean;
}

/**
 * The nine states by precedence: the first row that holds. Nothing is remembered between two looks, so that this is also every move
 * into a state and out of it:
 *
 * - **Unknown** is entered with an inventory that cannot be read, evidence that cannot be believed (malformed, or of a moment ahead of
 *   the clock), or an attempt of the source that nothing was recorded of; and left as soon as it is none of these. It hides no failure
 *   that is known: only the latest attempt can.
 * - **Disconnected** is entered from any state when the site is detached or the credential removed. Attached again under the same
 *   connection revision, what was seen before counts again; under another, nothing of it does: Never run.
 * - **Paused** is entered from any state but Disconnected when an operator disables the capability. It is left when it is resumed or its
 *   time is over, to what is then known: a failure of before still fails, and the time of the pause counts towards being Stale.
 * - **Unmonitored** is what is enabled and cannot be observed: evidence of another kind says nothing for it.
 * - **Failing** is entered by a failure and left by a later success alone, never by age.
 * - **Never run** is left by the first attempt and entered again with another connection revision.
 * - **Stale** is entered when the last usable result misses its obligation, and left by the next usable one.
 * - **Idle** is entered after a usable result once nothing is due any more (a check that passed, a feed nobody asks for, a report that
 *   comes with a push), and left by the next attempt, or when something is due.
 */
const PRECEDENCE: readonly Row[] = [
  { state: "unknown", cause: "inventory", when: ({ configuration }) => configuration === "unreadable" },
  {
    state: "disconnected",
    when: ({ configuration }) => configuration !== "unreadable" && !configuration.isConnected,
  },
  { state: "paused", when: ({ configuration }) => configuration !== "unreadable" && configuration.isPaused },
  {
    state: "unmonitored",
    when: ({ configuration }) => configuration !== "unreadable" && !configuration.isObserved,
  },
  { state: "unknown", cause: "evidence", when: ({ latest }) => latest === "unreadable" },
  { state: "unknown", cause: "ahead", when: ({ latest }) => latest === "ahead" },
  { state: "failing", when: ({ latest }) => latest === "failure" },
  { state: "unknown", cause: "unmatched", when: ({ isUnmatched }) => isUnmatched },
  { state: "never_run", when: ({ latest, due }) => latest === "none" && due?.idleAt !== 0 },
  { state: "unknown", cause: "obligation", when: ({ due }) => due === undefined },
  { state: "stale", when: ({ due, now }) => isReached(due?.staleAt, now) },
  { state: "idle", when: ({ due, now }) => isReached(due?.idleAt, now) },
];

/** What is left: a usable result that meets what is due. */
const LAST: Row = { state: "working", when: () => true };

const isReached = (moment: number | null | undefined, now: number) =>
  moment !== null && moment !== undefined && now >= moment;

/** How a target stands now. */
export function standingOf(asked: Asked): Standing {
  const { configuration, evidence, sourceAttemptAt, obligation, now } = asked;
  const known = evidence === "unreadable" ? undefined : evidence;
  const due = soundDue(obligation, known?.success?.startedAt, now);
  const facts: Facts = {
    configuration,
    latest: evidence === "unreadable" ? "unreadable" : latestOf(known, now),
    // A moment that is none is matched by nothing.
    isUnmatched: sourceAttemptAt !== undefined && !(known && sourceAttemptAt <= known.latest.startedAt),
    due,
    now,
  };
  const row = PRECEDENCE.find(({ when }) => when(facts)) ?? LAST;
  return { state: row.state, cause: row.cause, due: due ?? NO_DUE };
}

function latestOf(evidence: Evidence | undefined, now: number): Facts["latest"] {
  if (evidence === undefined) return "none";
  const { latest, success } = evidence;
  if (!isMoment(latest.startedAt) || latest.attempt === "") return "unreadable";
  if (latest.startedAt > now + AHEAD_MS) return "ahead";
  if (latest.category !== null)
    return FAILURE_CATEGORIES.includes(latest.category) ? "failure" : "unreadable";
  // A usable result that is the latest is the latest usable one, too.
  if (success?.startedAt !== latest.startedAt) return "unreadable";
  return success.coveredDate === null || isCoveredDay(success.coveredDate, now) ? "success" : "unreadable";
}

function soundDue(obligation: Obligation, succeededAt: number | undefined, now: number): Due | undefined {
  try {
    const due = dueOf(obligation, succeededAt, now);
    return [due.dueAt, due.staleAt, due.idleAt].some(Number.isNaN) ? undefined : due;
  } catch {
    return undefined;
  }
}

/** No calendar of the earth is more than a day ahead of UTC. */
const DAY_MS = 86_400_000;

function isCoveredDay(text: string, now: number): boolean {
  const day = parseUtcDay(text);
  return day !== undefined && Date.parse(day) <= now + DAY_MS;
}

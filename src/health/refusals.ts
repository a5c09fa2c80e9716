/** Kinds that wait to be written down at most: beyond it a refusal is counted among those of its code. */

import type { BrokenRule } from "../base/contract.ts";
import { PROBLEMS, Problem, type ProblemCode } from "../base/problem.ts";
import { isStorageFailure } from "../base/storage_fault.ts";
import { shortText } from "../base/text.ts";

/** The routes that take reports from sites, by kind of report. */

export const REPORT_ROUTES = { nightly: "/api/pulse", codebase: "/api/codebase-report" } as const;

/** What is sent where: the reports of a site on one route. */
export interface Sending {
  readonly asset: string;
  readonly route: string;
}

/** Why a report was refused. */
interface RefusalKind {
  readonly status: number;
  /** The problem's code, such as `broken-contract`. */
  readonly code: string;
  /** The first broken rules, as the sender was told them. */
  readonly faults: readonly BrokenRule[];
  /** Broken rules beyond those. */
  readonly more: number;
}

/** A refused report. `at` is in milliseconds since the epoch. */
export interface Refusal extends Sending, RefusalKind {
  readonly at: number;
}

/** Refusals of one kind, told as one. */
export interface RefusedReport extends Sending, RefusalKind {
  readonly firstAt: number;
  readonly lastAt: number;
  readonly count: number;
}

/** Refusals in a row since the last good report. */
export interface Streak extends Sending, Omit<RefusalKind, "more"> {
  readonly count: number;
  readonly lastAt: number;
}

/** A good report that ended refusals in a row. `at` is in milliseconds since the epoch. */
interface EndedStreak extends Sending {
  readonly at: number;
}

/** A report that belongs to no site, or not to the one that it names: whose token it came with, and why it was refused. */
export interface Stray {
  readonly code: string;
  /** The site whose token was used; null where no site has it. */
  readonly tokenOf: string | null;
  readonly at: number;
}

/** Reports that came with no site's token: how many, why the latest was refused, and when. */
export interface UnknownSenders {
  readonly count: number;
  readonly code: string;
  readonly at: number;
}

/** What a refusal was answered with, on one line: "422 /metrics/signups/last24h", "413 body-too-large". */
export function answerWords({
  status,
  code,
  faults,
}: Pick<RefusalKind, "status" | "code" | "faults">): string {
  return `${status} ${faults[0]?.pointer || code}`;
}

const MOST_WAITING = 2_000;

const LOGGED_EVERY_MS = 60_000;

/** What is to be written down. */
interface Batch {
  readonly kinds: readonly RefusedReport[];
  readonly streaks: readonly Streak[];
  /** A good report ended the refusals in a row. */
  readonly ended: readonly EndedStreak[];
}

/**
 * Refused reports since they were last written down: noting one costs the answer no write, and a flood of them one row a kind. A
 * crash loses what waits here, seconds' worth.
 */
export class RefusedReports {
  #kinds = new Map<string, RefusedReport>();
  #streaks = new Map<string, Streak>();
  #ended = new Map<string, EndedStreak>();
  /** Where refusals in a row stand, written down or not, with when the latest came. */
  readonly #standing: Map<string, number>;
  #stray: Stray | undefined;
  #unknown: UnknownSenders | undefined;
  /** How many of them were logged, and when the latest of those came. */
  #logged = { count: 0, at: Number.NEGATIVE_INFINITY };
  readonly #counts = new Map<string, number>();

  constructor(standing: readonly Pick<Streak, "asset" | "route" | "lastAt">[] = []) {
    this.#standing = new Map(standing.map((streak) => [sendingKey(streak), streak.lastAt]));
  }

  /** How many were refused since the start, by their code. */
  get counts(): ReadonlyMap<string, number> {
    return this.#counts;
  }

  /** Notes a refusal for the site whose token was used. */
  note(refusal: Refusal): void {
    const { asset, route, status, code, faults, at } = refusal;
    this.#count(code);
    this.#add(this.#roomFor({ ...refusal, firstAt: at, lastAt: at, count: 1 }));
    this.#addStreak({ asset, route, status, code, faults, lastAt: at, count: 1 });
  }

  /** Notes a report of which nobody can tell what site it was meant for. */
  noteStray(stray: Stray): void {
    this.#stray = stray;
    if (stray.tokenOf !== null) return;
    this.#count(stray.code);
    this.#unknown = { count: (this.#unknown?.count ?? 0) + 1, code: stray.code, at: stray.at };
  }

  /** Reports since the start that came with no site's token. Nothing of them is stored: a stranger must not fill the disk. */
  unknownSenders(): UnknownSenders | undefined {
    return this.#unknown;
  }

  /** What is to be logged of them: at most once a minute, the rest with the next. */
  takeUnknown(): Omit<UnknownSenders, "at"> | undefined {
    const { count, code, at } = this.#unknown ?? { count: 0, code: "", at: 0 };
    if (count === this.#logged.count || at - this.#logged.at < LOGGED_EVERY_MS) return undefined;
    const since = count - this.#logged.count;
    this.#logged = { count, at };
    return { count: since, code };
  }

  /** The latest such report since the start. */
  lastStray(): Stray | undefined {
    return this.#stray;
  }

  /**
   * A good report that came at a moment in milliseconds since the epoch: what was refused before it is no longer what happens now. A
   * refusal that came after it stands, unless it lies ahead of `now`: then the clock was set back.
   */
  accepted(sending: Sending, at: number, now = at): void {
    const key = sendingKey(sending);
    const refusedAt = this.#standing.get(key);
    if (refusedAt === undefined || (refusedAt > at && refusedAt <= now)) return;
    this.#standing.delete(key);
    this.#streaks.delete(key);
    this.#ended.set(key, { ...sending, at });
  }

  /** The latest refusal of a site that waits to be written down. */
  findLatest(asset: string): RefusedReport | undefined {
    return [...this.#kinds.values()]
      .filter((kind) => kind.asset === asset)
      .reduce<RefusedReport | undefined>(
        (last, kind) => (last === undefined || kind.lastAt >= last.lastAt ? kind : last),
        undefined,
      );
  }

  /** Takes what waits, at most so many kinds; undefined when nothing does. */
  take(most: number): Batch | undefined {
    if (this.#kinds.size + this.#ended.size === 0) return undefined;
    const kinds = [...this.#kinds].slice(0, most);
    for (const [key] of kinds) this.#kinds.delete(key);
    const batch = {
      kinds: kinds.map(([, kind]) => kind),
      streaks: [...this.#streaks.values()],
      ended: [...this.#ended.values()],
    };
    this.#streaks = new Map();
    this.#ended = new Map();
    return batch;
  }

  /** Puts back what could not be written down. What happened since stands. */
  giveBack({ kinds, streaks, ended }: Batch): void {
    for (const kind of kinds) this.#add(this.#roomFor(kind));
    for (const streak of ended) {
      const key = sendingKey(streak);
      if (!this.#ended.has(key)) this.#ended.set(key, streak);
    }
    for (const streak of streaks) {
      if (this.#standing.has(sendingKey(streak))) this.#addStreak(streak);
    }
  }

  #count(code: string): void {
    this.#counts.set(code, (this.#counts.get(code) ?? 0) + 1);
  }

  #add(kind: RefusedReport): void {
    const key = kindKey(kind);
    const known = this.#kinds.get(key);
    if (known === undefined) this.#kinds.set(key, kind);
    else {
      const firstAt = Math.min(known.firstAt, kind.firstAt);
      const lastAt = Math.max(known.lastAt, kind.lastAt);
      this.#kinds.set(key, { ...known, firstAt, lastAt, count: known.count + kind.count });
    }
  }

  #addStreak(streak: Streak): void {
    const key = sendingKey(streak);
    const known = this.#streaks.get(key);
    const latest = known === undefined || streak.lastAt >= known.lastAt ? streak : known;
    this.#streaks.set(key, { ...latest, count: (known?.count ?? 0) + streak.count });
    this.#standing.set(key, latest.lastAt);
  }

  #roomFor(kind: RefusedReport): RefusedReport {
    if (this.#kinds.size < MOST_WAITING || this.#kinds.has(kindKey(kind))) return kind;
    return { ...kind, faults: [], more: 0 };
  }
}

function sendingKey({ asset, route }: Sending): string {
  return `${asset}\u0000${route}`;
}

function kindKey({ asset, route, code, faults }: RefusedReport): string {
  return [asset, route, code, JSON.stringify(faults)].join("\u0000");
}

/** Broken rules kept of one refusal. */

const MOST_FAULTS = 3;
/** Longest pointer or message kept, in characters: a sender may name a field as it likes. */
const LONGEST = 200;

/** Why a report was refused; undefined for an error that is no refusal. */
export function refusalOf(error: unknown): RefusalKind | undefined {
  if (error instanceof Problem) return ofProblem(error);
  return isStorageFailure(error) ? plain("storage-unavailable") : undefined;
}

function ofProblem(problem: Problem): RefusalKind {
  const { code, status, errors, detail, more } = problem;
  // How long to wait differs from one to the next, and they are still the same.
  if (code === "too-many-requests") return plain(code);
  const broken = errors ?? [{ pointer: "", rule: code, message: detail }];
  const faults = broken.slice(0, MOST_FAULTS).map(shortened);
  return { status, code, faults, more: more + broken.length - faults.length };
}

function plain(code: ProblemCode): RefusalKind {
  const { status, title } = PROBLEMS[code];
  return { status, code, faults: [{ pointer: "", rule: code, message: title }], more: 0 };
}

function shortened({ pointer, rule, message }: BrokenRule): BrokenRule {
  return { pointer: shortText(pointer, LONGEST), rule, message: shortText(message, LONGEST) };
}

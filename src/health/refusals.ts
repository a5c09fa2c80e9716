/** Refused reports: counted in memory as they come, written down once for many, and told to the health of the site that sends them. */

import type { Logger } from "@logtape/logtape";
import { and, asc, desc, eq } from "drizzle-orm";
import { index, integer, primaryKey, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import type { BrokenRule } from "../base/contract.ts";
import { logOf } from "../base/log.ts";
import { PROBLEMS, Problem, type ProblemCode } from "../base/problem.ts";
import { isStorageFailure } from "../base/storage_fault.ts";
import { shortText } from "../base/text.ts";
import type { FailureCategory } from "../providers/faults.ts";
import { type Db, statement, type Tx } from "../store/store.ts";
import type { Writer } from "../store/writer.ts";
import { ingestScope } from "./health.ts";
import { recordBeside, resultOf } from "./record.ts";

/** The routes that take reports from sites, by kind of report. */

export const REPORT_ROUTES = { nightly: "/api/pulse", codebase: "/api/codebase-report" } as const;

/** Refusals in a row since the last good report. */
export type Streak = Readonly<typeof refusedStreak.$inferSelect>;

/** What is sent where: the reports of a site on one route. */
export type Sending = Pick<Streak, "asset" | "route">;

/** Refusals of one kind, told as one. */
export type RefusedReport = Readonly<Omit<typeof refusedReport.$inferSelect, "id">>;

/** Why a report was refused. */
type RefusalKind = Pick<RefusedReport, "status" | "code" | "faults" | "more">;

/** A refused report. `at` is in milliseconds since the epoch. */
export type Refusal = Sending & RefusalKind & { readonly at: number };

/** A good report that ended refusals in a row. `at` is in milliseconds since the epoch. */
type EndedStreak = Sending & { readonly at: number };

/** Reports that came with no site's token: how many, why the latest was refused, and when. */
interface UnknownSenders {
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

/** Kinds that wait to be written down at most: beyond it a refusal is counted among those of its code. */
const MOST_WAITING = 2_000;

const LOGGED_EVERY_MS = 60_000;

/** What is to be written down. */
type Batch = NonNullable<ReturnType<RefusedReports["take"]>>;

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
  noteUnknown(refused: Omit<UnknownSenders, "count">): void {
    this.#count(refused.code);
    this.#unknown = { ...refused, count: (this.#unknown?.count ?? 0) + 1 };
  }

  /** Reports since the start that came with no site's token. Nothing of them is stored: a stranger must not fill the disk. */
  unknownSenders(): UnknownSenders | undefined {
    return this.#unknown;
  }

  /** What is to be logged of them: at most once a minute, the rest with the next. */
  takeUnknown(): Omit<UnknownSenders, "at"> | undefined {
    if (this.#unknown === undefined) return undefined;
    const { count, code, at } = this.#unknown;
    if (count === this.#logged.count || at - this.#logged.at < LOGGED_EVERY_MS) return undefined;
    const since = count - this.#logged.count;
    this.#logged = { count, at };
    return { count: since, code };
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
  take(most: number) {
    if (this.#kinds.size + this.#ended.size === 0) return undefined;
    const kinds = [...this.#kinds].slice(0, most);
    for (const [key] of kinds) this.#kinds.delete(key);
    const batch = {
      kinds: kinds.map(([, kind]) => kind),
      streaks: [...this.#streaks.values()],
      /** A good report ended the refusals in a row. */
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

/** What a refusal says of the sending, in the categories by which the health of every integration is told. */

const CATEGORIES: Partial<Record<ProblemCode, FailureCategory>> = {
  // The sender is known, and what it asks for is not its own.
  unauthenticated: "access",
  "insufficient-scope": "access",
  "asset-mismatch": "access",
  "too-many-requests": "rate_limit",
  // How it is sent, not what: the report itself was never looked at.
  "unsupported-media-type": "configuration",
  "unsupported-encoding": "configuration",
  // The report did not arrive whole: nothing can be said of what stands in it.
  "request-timeout": "network",
  "incomplete-body": "incomplete_report",
  // Nothing is wrong with the report: the service could not keep it.
  "internal-error": "monitoring_failure",
  "storage-unavailable": "monitoring_failure",
};

/** The category of a refusal by its code; whatever is not named here is something about the report that the sender can put right. */
export function refusalCategory(code: string): FailureCategory {
  return CATEGORIES[code as ProblemCode] ?? "invalid_report";
}

/**
 * Refused reports of known senders: one row for each kind of refusal of a site and route, the newest few kinds of each. What was
 * refused is no report, so none of it is kept for ever.
 */

export const refusedReport = sqliteTable(
  "refused_report",
  {
    id: integer("id").primaryKey(),
    asset: text("asset").notNull(),
    route: text("route").notNull(),
    status: integer("status").notNull(),
    /** The problem's code, such as `broken-contract`. */
    code: text("code").notNull(),
    /** The first broken rules, as the sender was told them. */
    faults: text("faults", { mode: "json" }).$type<readonly BrokenRule[]>().notNull(),
    /** Broken rules beyond those. */
    more: integer("more").notNull(),
    firstAt: integer("first_at").notNull(),
    lastAt: integer("last_at").notNull(),
    count: integer("count").notNull(),
  },
  (t) => [
    uniqueIndex("refused_report_kind").on(t.asset, t.route, t.code, t.faults),
    index("refused_report_newest").on(t.asset, t.route, t.lastAt),
  ],
);

/** Refusals in a row: how many of a site and route since the last good report, and what the latest was. */
export const refusedStreak = sqliteTable(
  "refused_streak",
  {
    asset: text("asset").notNull(),
    route: text("route").notNull(),
    count: integer("count").notNull(),
    lastAt: integer("last_at").notNull(),
    status: integer("status").notNull(),
    code: text("code").notNull(),
    faults: text("faults", { mode: "json" }).$type<readonly BrokenRule[]>().notNull(),
  },
  (t) => [primaryKey({ columns: [t.asset, t.route] })],
);

/** Kinds of refusal kept of a site and route: the newest ones. */

export const MOST_KEPT = 50;

const putKind = statement<never, [string, string, number, string, string, number, number, number, number]>(
  `INSERT INTO refused_report (asset, route, status, code, faults, more, first_at, last_at, count)
   VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
   ON CONFLICT (asset, route, code, faults) DO UPDATE
   SET last_at = excluded.last_at, more = excluded.more, count = count + excluded.count`,
);

const dropOldest = statement<never, [string, string, string, string, number]>(
  `DELETE FROM refused_report WHERE asset = ? AND route = ? AND id NOT IN (
     SELECT id FROM refused_report WHERE asset = ? AND route = ? ORDER BY last_at DESC, id DESC LIMIT ?)`,
);

const putStreak = statement<never, [string, string, number, number, number, string, string]>(
  `INSERT INTO refused_streak (asset, route, count, last_at, status, code, faults) VALUES (?, ?, ?, ?, ?, ?, ?)
   ON CONFLICT (asset, route) DO UPDATE SET count = count + excluded.count, last_at = excluded.last_at,
     status = excluded.status, code = excluded.code, faults = excluded.faults`,
);

const dropStreak = statement<never, [string, string]>(
  "DELETE FROM refused_streak WHERE asset = ? AND route = ?",
);

const dropKinds = statement<never, [string]>("DELETE FROM refused_report WHERE asset = ?");
const dropStreaks = statement<never, [string]>("DELETE FROM refused_streak WHERE asset = ?");

/** Forgets what was refused of a site that is taken out. */
export function forgetRefusals(tx: Tx, asset: string): void {
  dropKinds(tx).run(asset);
  dropStreaks(tx).run(asset);
}

/** What was refused of a site, the latest first; at most `MOST_KEPT` for each route. */
export function listRefused(db: Db, asset: string, route?: string): RefusedReport[] {
  return db
    .select()
    .from(refusedReport)
    .where(
      and(eq(refusedReport.asset, asset), route === undefined ? undefined : eq(refusedReport.route, route)),
    )
    .orderBy(desc(refusedReport.lastAt), desc(refusedReport.id))
    .all();
}

/** The latest of the refusals in a row of a site and route. */
export type StreakEnd = Pick<Streak, "asset" | "route" | "code" | "lastAt" | "count">;

const STREAK_ENDS = "SELECT asset, route, code, last_at AS lastAt, count FROM refused_streak";
const streakEnds = statement<StreakEnd, []>(`${STREAK_ENDS} ORDER BY asset, route`);
const streakEndsOf = statement<StreakEnd, [string]>(`${STREAK_ENDS} WHERE asset = ? ORDER BY route`);

/** Where refusals in a row stand, of one site or of all, without what the reports were refused for. */
export const listStreakEnds = (db: Db, asset?: string): StreakEnd[] =>
  asset === undefined ? streakEnds(db).all() : streakEndsOf(db).all(asset);

/** Where refusals in a row stand: of one site or of all. */
export function listStreaks(db: Db, asset?: string): Streak[] {
  return db
    .select()
    .from(refusedStreak)
    .where(asset === undefined ? undefined : eq(refusedStreak.asset, asset))
    .orderBy(asc(refusedStreak.asset), asc(refusedStreak.route))
    .all();
}

/** Kinds in one transaction: writing them must not hold up a report. */
const SLICE = 100;

/** The book of refused reports, as it stands after what was written down before. */
export function loadRefusals(db: Db): RefusedReports {
  return new RefusedReports(listStreaks(db));
}

/**
 * Writes down, and logs, what was refused since the last call; what cannot be written down waits for the next one. Health gets one outcome for
 * each site and route, however many refusals there were. A good report costs its answer nothing: that it came is read from what is stored of
 * it, and only one that ends refusals in a row is recorded here.
 */
export async function flushRefusals(
  writer: Pick<Writer, "write">,
  book: RefusedReports,
  workspace: string,
  log: Logger = logOf("ingest"),
): Promise<void> {
  const unknown = book.takeUnknown();
  if (unknown !== undefined) log.warn("reports without a known site token were refused", { ...unknown });
  for (let batch = book.take(SLICE); batch !== undefined; batch = book.take(SLICE)) {
    const { kinds, streaks, ended } = batch;
    try {
      await writer.write((tx) => {
        for (const streak of ended) {
          dropStreak(tx).run(streak.asset, streak.route);
          record(tx, workspace, streak, `accepted:${streak.at}`, streak.at);
        }
        for (const streak of streaks) {
          const { asset, route, count, lastAt, status, code, faults } = streak;
          putStreak(tx).run(asset, route, count, lastAt, status, code, JSON.stringify(faults));
          record(tx, workspace, streak, `refused:${lastAt}:${code}`, lastAt, refusalCategory(code));
        }
        for (const { asset, route, status, code, faults, more, firstAt, lastAt, count } of kinds) {
          putKind(tx).run(asset, route, status, code, JSON.stringify(faults), more, firstAt, lastAt, count);
        }
        const sendings = new Map(kinds.map((kind) => [`${kind.asset} ${kind.route}`, kind]));
        for (const { asset, route } of sendings.values())
          dropOldest(tx).run(asset, route, asset, route, MOST_KEPT);
      });
    } catch (error) {
      book.giveBack(batch);
      throw error;
    }
    for (const { asset, route, status, code, faults, more, count } of kinds) {
      log.warn("reports were refused", { asset, route, status, code, faults, more, count });
    }
  }
}

const REPORTS = Object.entries(REPORT_ROUTES) as [keyof typeof REPORT_ROUTES, string][];

function record(
  tx: Tx,
  workspace: string,
  { asset, route }: Sending,
  attempt: string,
  at: number,
  category?: FailureCategory,
): void {
  const report = REPORTS.find(([, known]) => known === route)?.[0];
  if (report === undefined) return;
  const result = resultOf(category === undefined ? undefined : { category, code: null });
  recordBeside(tx, ingestScope(workspace, asset, report), { attempt, startedAt: at, observedAt: at, result });
}

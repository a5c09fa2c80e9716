/** Writes flags, each with its record, and reads what the writing needs to know and the history that the records are. */

import { and, asc, desc, eq, getTableColumns, gt, inArray, type SQL, sql } from "drizzle-orm";
import { formatInstant } from "../base/time.ts";
import { type ReadModel, tableModel } from "../store/read_model.ts";
import { type Db, type Parameter, statement, type Tx } from "../store/store.ts";
import {
  type FlagRow,
  type FlagState,
  findRunningSnooze,
  flag,
  flagRecord,
  flagSnooze,
  lineOf,
  type NewFlag,
  type RuleInputs,
  type Severity,
  type Snooze,
} from "./flags.ts";

const COLUMNS = Object.entries(getTableColumns(flag));

/** A row as the file holds it. */
export type StoredFlag = Readonly<Record<string, Parameter>>;

export function fromStored(stored: StoredFlag): FlagState {
  const row: Record<string, unknown> = {};
  for (const [name, column] of COLUMNS) {
    const value = stored[name];
    row[name] = value === null ? null : column.mapFromDriverValue(value);
  }
  return row as FlagState;
}

function asStored(row: FlagState): StoredFlag {
  const stored: Record<string, Parameter> = {};
  for (const [name, column] of COLUMNS) {
    const value = row[name as keyof FlagState];
    // An absent source is '' in the file; every other absent value is null.
    const isAbsent = value === null && name !== "source";
    stored[name] = isAbsent ? null : (column.mapToDriverValue(value) as Parameter);
  }
  return stored;
}

const insertFlag = statement<never, Parameter[]>(
  `INSERT INTO flag (${COLUMNS.map(([name]) => name).join(", ")}) VALUES (${COLUMNS.map(() => "?").join(", ")})`,
);

const setRenewed = statement<never, [string, string]>("UPDATE flag SET renewed_by = ? WHERE id = ?");

const markResolved = statement<never, [number, string, string | null, string]>(
  "UPDATE flag SET status = 'resolved', resolved_at = ?, resolution = ?, renewed_by = ? WHERE id = ? AND status = 'open'",
);

// 'open' is written out: as a parameter it would not be seen to fit the partial index, and all of an asset's past would be read.
const openByRule = statement<StoredFlag, [string]>(
  "SELECT * FROM flag WHERE asset = ? AND status = 'open' AND rule IS NOT NULL",
);

const openRules = statement<{ rule: string }, [string]>(
  "SELECT DISTINCT rule FROM flag WHERE asset = ? AND status = 'open' AND rule IS NOT NULL",
);

const openOfCondition = statement<
  Pick<FlagRow, "id" | "message"> & { readonly rule_inputs: string | null },
  [string, string, string, string]
>(
  `SELECT id, message, rule_inputs FROM flag
   WHERE rule = ? AND asset = ? AND source = ? AND subject = ? AND status = 'open' AND rule IS NOT NULL`,
);

export type OpenSiteFlag = Pick<FlagRow, "id" | "severity" | "kind" | "metric" | "message" | "rule_inputs">;

// Not ordered: for that SQLite would read all that the site ever had, in the order of raising.
const openOfSite = statement<
  OpenSiteFlag & { readonly rule_inputs: string | null; raised_at: number },
  [string]
>(
  `SELECT id, severity, kind, metric, message, rule_inputs, raised_at FROM flag
   WHERE asset = ? AND status = 'open' AND origin = 'site'`,
);

/** The open rule flags of an asset, whole: where one is renewed, the next carries on what it says. */
export function listOpenRuleFlags(tx: Tx, asset: string): FlagState[] {
  return openByRule(tx).all(asset).map(fromStored);
}

/** The rules of which an asset has an open flag. */
export function listOpenRules(tx: Tx, asset: string): string[] {
  return openRules(tx)
    .all(asset)
    .map(({ rule }) => rule);
}

/** What a flag carries from the one that it renews. */
export type Renewal = Pick<
  FlagState,
  "chain" | "since" | "reports" | "snoozed_until" | "acked_at" | "acked_by" | "incident" | "hypothesis"
> & {
  readonly renews: string;
  /** Only where an operator reopened it: else it is a note about the row it was tuned for. */
  readonly tuned_at?: string | null;
};

/** What the record of a raising holds. */
interface RaisedData extends NewFlag {
  /** The end of a running snooze. */
  readonly snoozed_until?: string | null;
  /** What it carries from the flag it renews. */
  readonly set?: Partial<FlagState>;
}

/** The row that a flag begins with. */
function raisedState(id: string, at: string, data: RaisedData): FlagState {
  const { snoozed_until = null, set, ...raised } = data;
  return {
    id,
    ...raised,
    status: "open",
    raised_at: at,
    resolved_at: null,
    resolution: null,
    acked_at: null,
    acked_by: null,
    snoozed_until,
    tuned_at: null,
    incident: null,
    hypothesis: null,
    renews: null,
    renewed_by: null,
    chain: id,
    since: at,
    reports: 1,
    ...set,
  };
}

/**
 * Inserts an open flag and its "raised" record. A snooze that runs for its (rule, asset, source, subject) is carried on: the
 * flag is snoozed from the start. One that renews another carries what that one was given.
 */
export function insertOpenFlag(
  tx: Tx,
  id: string,
  raised: NewFlag,
  now: number,
  actor: string,
  renewal?: Renewal,
): void {
  const running = findRunningSnooze(tx, raised, now);
  const snoozed_until = running === undefined ? (renewal?.snoozed_until ?? null) : formatInstant(running);
  const carried = snoozed_until === null ? {} : { snoozed_until };
  const data: RaisedData =
    renewal === undefined ? { ...raised, ...carried } : { ...raised, set: { ...renewal, snoozed_until } };
  insertFlag(tx).run(...Object.values(asStored(raisedState(id, formatInstant(now), data))));
  appendRecord(tx, { flag: id, at: now, type: "raised", actor, data });
}

/** The columns that an act or a site's next report may set. */
export type FlagChange = Partial<Omit<FlagState, "id" | "chain" | "since" | "reports">>;

/** Sets columns of a flag; the caller appends the record that says why. */
export function changeFlag(tx: Tx, id: string, set: FlagChange): void {
  tx.update(flag).set(set).where(eq(flag.id, id)).run();
}

/**
 * Resolves an open flag; `resolution` says why. Where one is about to renew it, that is set and recorded at once: a flag that nothing
 * renews stands in three indexes of its own.
 */
export function resolveFlag(
  tx: Tx,
  id: string,
  resolution: string,
  now: number,
  actor: string,
  renewedBy: string | null = null,
): void {
  markResolved(tx).run(now, resolution, renewedBy, id);
  const renewal = renewedBy === null ? {} : { set: { renewed_by: renewedBy } };
  appendRecord(tx, { flag: id, at: now, type: "resolved", actor, data: { resolution, ...renewal } });
}

/** Raises a flag that says something and is over: a milestone asks for nothing. */
export function raiseResolved(
  tx: Tx,
  raised: NewFlag,
  by: { readonly id: string; readonly now: number; readonly actor: string; readonly resolution: string },
): void {
  insertOpenFlag(tx, by.id, raised, by.now, by.actor);
  resolveFlag(tx, by.id, by.resolution, by.now, by.actor);
}

/** Notes on a flag that was over which one renews it. */
export function markRenewed(tx: Tx, id: string, by: string, now: number, actor: string): void {
  setRenewed(tx).run(by, id);
  appendRecord(tx, { flag: id, at: now, type: "renewed", actor, data: { set: { renewed_by: by } } });
}

/** The open flag of a condition, with its inputs as they are stored. */
export function findHeldFlag(
  tx: Tx,
  held: { readonly rule: string } & Pick<FlagRow, "asset" | "source" | "subject">,
) {
  return openOfCondition(tx).first(held.rule, held.asset, held.source ?? "", held.subject);
}

/** The open flags that an asset sent itself, oldest first. */
export function listOpenSiteFlags(tx: Tx, asset: string): OpenSiteFlag[] {
  return openOfSite(tx)
    .all(asset)
    .sort((a, b) => a.raised_at - b.raised_at || (a.id < b.id ? -1 : 1))
    .map(({ raised_at: _, ...row }) => ({
      ...row,
      rule_inputs: row.rule_inputs === null ? null : (JSON.parse(row.rule_inputs) as RuleInputs),
    }));
}

// The append-only record of flags: what is written, a flag's history, and what happened since a record.

const RECORD = { at: flagRecord.at, type: flagRecord.type, actor: flagRecord.actor, data: flagRecord.data };

/** One entry of a flag's history. */
export type FlagRecordRow = Readonly<Pick<typeof flagRecord.$inferSelect, keyof typeof RECORD>>;

/** Spelt as the partial indexes spell them, so that they are used. */
const NO_EVIDENCE = sql`${flagRecord.type} <> 'evidence'`;
const EVIDENCE = sql`${flagRecord.type} = 'evidence'`;

const insertRecord = statement<never, [string, number, string, string, string]>(
  "INSERT INTO flag_record (flag, at, type, actor, data) VALUES (?, ?, ?, ?, ?)",
);

const newestRecord = statement<{ id: number }, []>("SELECT id FROM flag_record ORDER BY id DESC LIMIT 1");

/** Appends one entry to a flag's history; `at` in milliseconds since the epoch. */
export function appendRecord(
  tx: Tx,
  entry: { flag: string; at: number; type: FlagRecordRow["type"]; actor: string; data: unknown },
): void {
  insertRecord(tx).run(entry.flag, entry.at, entry.type, entry.actor, JSON.stringify(entry.data));
}

/** Id of the newest record of any flag; 0 when there is none. */
export function lastRecordId(db: Db): number {
  return newestRecord(db).first()?.id ?? 0;
}

const newest = (db: Db, where: SQL | undefined, limit: number) =>
  db
    .select({ id: flagRecord.id, ...RECORD })
    .from(flagRecord)
    .where(where)
    .orderBy(desc(flagRecord.id))
    .limit(limit)
    .all();

const withoutId = ({ id: _, ...record }: { readonly id: number } & FlagRecordRow): FlagRecordRow => record;

/** Who last acted on a flag, resolved or raised it. */
export function findLastActor(db: Db, id: string): string | undefined {
  return newest(db, and(eq(flagRecord.flag, id), NO_EVIDENCE), 1)[0]?.actor;
}

/** The acts on several flags, their raising and resolving, newest first, at most `limit`. */
export function listActs(db: Db, ids: readonly string[], limit: number): FlagRecordRow[] {
  return newest(db, and(inArray(flagRecord.flag, [...ids]), NO_EVIDENCE), limit).map(withoutId);
}

/** A flag's history, in parts that are each bounded. */
export type FlagHistory = ReturnType<typeof readHistory>;

/** The newest `limit` acts and the newest `limit` runs of a flag: each part has an index of its own. */
export function readHistory(db: Db, id: string, limit: number) {
  const ofFlag = eq(flagRecord.flag, id);
  const count = (condition: SQL) =>
    db.select({ count: sql<number>`count(*)` }).from(flagRecord).where(and(ofFlag, condition)).get()?.count ??
    0;
  const acts = newest(db, and(ofFlag, NO_EVIDENCE), limit);
  const evidence = newest(db, and(ofFlag, EVIDENCE), limit);
  const runs = count(EVIDENCE);
  return {
    /** Raising, acts and resolving, newest first. */
    acts: acts.map(withoutId),
    /** Each run's own reading, newest first. */
    evidence: evidence.map(withoutId),
    /** Both, oldest first. */
    record: [...acts, ...evidence].sort((a, b) => a.id - b.id).map(withoutId),
    /** Entries left out of both parts, the older ones. */
    more: count(NO_EVIDENCE) + runs - acts.length - evidence.length,
    /** Evidence entries in all. */
    runs,
  };
}

/** A flag that was raised, raised again by a later reading, or resolved. */
export type FlagEvent = ReturnType<typeof listFlagEvents>[number];

/**
 * What happened to flags after a record, oldest first, at most `limit`. A renewal of a lasting thing is one event: that its earlier
 * row was resolved for it is none of its own.
 */
export function listFlagEvents(db: Db, after: number, limit: number) {
  const { type } = flagRecord;
  return db
    .select({
      type: sql<
        "raised" | "renewed" | "resolved"
      >`CASE WHEN ${type} = 'raised' AND ${flag.renews} IS NOT NULL THEN 'renewed' ELSE ${type} END`,
      asset: flag.asset,
      rule: flag.rule,
      severity: flag.severity,
      message: flag.message,
    })
    .from(flagRecord)
    .innerJoin(flag, eq(flag.id, flagRecord.flag))
    .where(
      and(
        gt(flagRecord.id, after),
        sql`(${type} = 'raised' OR ${type} = 'resolved' AND ${flag.resolution} <> 'renewed')`,
      ),
    )
    .orderBy(asc(flagRecord.id))
    .limit(limit)
    .all();
}

/** A flag that was raised or resolved, by the number of that record. */
export interface FlagStep {
  readonly record: number;
  readonly type: "raised" | "resolved";
  readonly flag: string;
  /** The severity of the flag that it renews; null where it renews none. */
  readonly severityBefore: Severity | null;
  /** When what it says began, in milliseconds since the epoch: of one that fires again after it had ended, as it was raised. */
  readonly since: number;
}

// In the order of the primary key: the records between two numbers are walked, whatever they are.
const steps = statement<FlagStep, [number, number]>(`
  SELECT r.id AS record, r.type, r.flag, b.severity AS severityBefore,
    iif(b.resolved_at = f.raised_at, f.since, f.raised_at) AS since FROM flag_record AS r
  JOIN flag AS f ON f.id = r.flag LEFT JOIN flag AS b ON b.id = f.renews
  WHERE r.id > ? AND r.id <= ? AND r.type IN ('raised', 'resolved') ORDER BY r.id`);

/** The flags that were raised or resolved after one record and up to another, in order. */
export function listFlagSteps(db: Db, after: number, to: number): FlagStep[] {
  return steps(db).all(after, to);
}

/**
 * What of a rule's inputs changed, by name, within objects too: a list of 50 URLs that lasts for a year is written once. Undefined
 * where a name went or its order changed, and they have to be written whole.
 */
export function inputChange(before: string | null, after: string): RuleInputs | undefined {
  if (before === null) return undefined;
  const known = JSON.parse(before) as RuleInputs;
  const change = differenceOf(known, JSON.parse(after) as RuleInputs);
  return JSON.stringify(changedInputs(known, change)) === after ? change : undefined;
}

/** The inputs with a change made. */
function changedInputs(before: RuleInputs, change: RuleInputs): RuleInputs {
  const changed = Object.entries(change).map(([name, value]): [string, unknown] => {
    const was = before[name];
    return [name, isInputs(value) && isInputs(was) ? changedInputs(was, value) : value];
  });
  return { ...before, ...Object.fromEntries(changed) };
}

function differenceOf(before: RuleInputs, after: RuleInputs): RuleInputs {
  const changed = Object.entries(after).flatMap(([name, value]): [string, unknown][] => {
    const was = before[name];
    if (JSON.stringify(value) === JSON.stringify(was)) return [];
    return [[name, isInputs(value) && isInputs(was) ? differenceOf(was, value) : value]];
  });
  return Object.fromEntries(changed);
}

const isInputs = (value: unknown): value is RuleInputs =>
  typeof value === "object" && value !== null && !Array.isArray(value);

// Flags and snoozes made of their records: what the read models must hold.

/** A record as far as a flag is made of it. */
interface StoredRecord {
  readonly at: number;
  readonly type: (typeof flagRecord.$inferSelect)["type"];
  readonly data: string;
}

/** What records hold beside who and when. */
interface RecordData extends RaisedData {
  readonly changed?: RuleInputs;
  readonly resolution: string;
}

/** The row a flag's records lead to, oldest first; undefined when they do not begin with "raised". */
function rebuildFlag(id: string, records: readonly StoredRecord[]): FlagState | undefined {
  let state: FlagState | undefined;
  for (const { type, data: text, at: ms } of records) {
    const data = JSON.parse(text) as RecordData;
    const at = formatInstant(ms);
    if ((type === "raised") !== (state === undefined)) return undefined;
    if (state === undefined) state = raisedState(id, at, data);
    else if (type === "resolved")
      state = { ...state, status: "resolved", resolved_at: at, resolution: data.resolution, ...data.set };
    else {
      state = { ...state, ...data.set };
      if (data.changed !== undefined)
        state = { ...state, rule_inputs: changedInputs(state.rule_inputs ?? {}, data.changed) };
    }
  }
  return state;
}

// Evidence and all else have an index each.
const recordsOf = statement<StoredRecord, [string, string]>(
  `SELECT id, at, type, data FROM flag_record WHERE flag = ? AND type <> 'evidence'
   UNION ALL SELECT id, at, type, data FROM flag_record WHERE flag = ? AND type = 'evidence' ORDER BY id`,
);

export const FLAG_MODEL: ReadModel<StoredFlag, string> = tableModel({
  name: "flags",
  what: "flags against their records",
  source: "its records",
  table: flag,
  by: {
    column: "id",
    next: [
      "SELECT min(flag) FROM flag_record WHERE flag > ?1 AND type <> 'evidence'",
      "SELECT min(flag) FROM flag_record WHERE flag > ?1 AND type = 'evidence'",
    ],
  },
  named: ({ id }) => `flag ${id}`,
  replay: (db, id) => {
    const records = recordsOf(db).all(id, id);
    if (records.length === 0) return [];
    const row = rebuildFlag(id, records);
    return row === undefined ? `flag ${id} has records that do not begin with its raising` : [asStored(row)];
  },
});

/** A snooze is the last one of its (rule, asset, source, subject), unless that one was woken. */
export const SNOOZE_MODEL: ReadModel<Snooze, number> = tableModel({
  name: "snoozes",
  what: "snoozes against their acts",
  source: "its acts",
  table: flagSnooze,
  named: (row) => `the snooze of ${snoozeKey(row)}`,
  replay: replaySnoozes,
});

const snoozeKey = ({ rule, asset, source, subject }: Pick<Snooze, "rule" | "asset" | "source" | "subject">) =>
  JSON.stringify([rule, asset, source, subject]);

/** Acts are an operator's own, so that there are few. */
function replaySnoozes(db: Db): Snooze[] {
  const acts = db
    .select({
      rule: flag.rule,
      asset: flag.asset,
      source: flag.source,
      subject: flag.subject,
      at: flagRecord.at,
      actor: flagRecord.actor,
      data: flagRecord.data,
    })
    .from(flagRecord)
    .innerJoin(flag, eq(flag.id, flagRecord.flag))
    .where(eq(flagRecord.type, "act"))
    .orderBy(asc(flagRecord.id))
    .all();
  const snoozes = new Map<string, Snooze>();
  for (const { at, actor, data, ...of } of acts) {
    const { act, set } = data as { readonly act: string; readonly set: Partial<FlagState> };
    if (act !== "wake" && act !== "snooze") continue;
    const key = { ...of, rule: of.rule ?? "", source: of.source ?? "" } as const;
    for (const rule of lineOf(key.rule).rules) snoozes.delete(snoozeKey({ ...key, rule }));
    if (act === "snooze" && typeof set.snoozed_until === "string") {
      const [until, set_at] = [Date.parse(set.snoozed_until), Date.parse(at)];
      snoozes.set(snoozeKey(key), { ...key, until, set_at, set_by: actor });
    }
  }
  return [...snoozes.values()];
}

/**
 * Takes acts back for a while after they were made. An undo is an act of its own: it is appended to the record, and nothing that
 * stands there goes. It gives a flag back what the act changed, as the record before the act has it, unless something newer
 * changed the same: then the flag stays as it is, and the answer says why.
 *
 * Decided here: only who made an act undoes it, once, and an undo is not undone. A resolved flag is never reopened: taking that
 * back raises it again, as a flag that renews the resolved one and carries what it was given, unless a report came or a rule spoke
 * meanwhile.
 */
import { isRetired } from "../assets/mod.ts";
import { appendAudit } from "../audit/mod.ts";
import type { Db, Tx } from "../db/mod.ts";
import { parseInstant } from "../lib/instant.ts";
import type { ActName, ActRequest } from "./act.ts";
import { findPredecessor } from "./chain_store.ts";
import type { ChainedFlag } from "./contract.ts";
import { isTold } from "./lookup_store.ts";
import { rebuildFlag } from "./rebuild.ts";
import { appendRecord, listActsOf, listOwnRecords, type StoredRecord } from "./record_store.ts";
import { renewalOf } from "./renewal.ts";
import { followActs } from "./snooze_check_store.ts";
import { changeFlag, findChainedFlag, insertOpenFlag, markRenewed } from "./store.ts";
import type { FlagChange } from "./transitions.ts";

/** How long after an act it can be undone. The pages offer it for a minute; the rest is for the way of an answer. */
const UNDO_MS = 75_000;
/** Most acts of one undo: as many as one form makes. */
const MOST_ACTS = 200;

/** The acts of one form: the first and the last of their ids in the record, which stand there together. */
export interface Acts {
  readonly first: number;
  readonly last: number;
}

/** Why an act was not undone. */
export type NotUndone = "changed" | "resolved" | "raised" | "reported" | "retired" | "late" | "edited";

/** What came of an undo. */
export interface Undone {
  /** What was undone; undefined where nothing was found to undo. */
  readonly act: ActName | undefined;
  /** The flags that are as they were before, as they stand now. */
  readonly flags: readonly ChainedFlag[];
  /** What was not undone, and why. */
  readonly kept: readonly NotUndone[];
}

/** An act as the record keeps it. */
interface ActData {
  readonly act: ActName | "undo";
  readonly set: FlagChange;
  readonly undoes?: number;
  readonly constants_version?: number;
}

const dataOf = (record: StoredRecord) => JSON.parse(record.data) as ActData;

/**
 * The acts of an operator that a form made; those that are undone already are among them. A form makes one kind of act in one
 * moment: what else stands between two ids that somebody wrote by hand has a way back of its own.
 */
function madeBy(db: Db, { first, last }: Acts, actor: string): StoredRecord[] {
  if (last < first || last - first >= MOST_ACTS) return [];
  const acts = listActsOf(db, actor, first, last).filter((record) => dataOf(record).act !== "undo");
  return acts.filter(
    (record, _, [head]) => record.at === head?.at && dataOf(record).act === dataOf(head).act,
  );
}

function isLate({ at }: StoredRecord, now: number): boolean {
  return now - at > UNDO_MS;
}

function isUndone({ id }: StoredRecord, entries: readonly StoredRecord[]): boolean {
  return entries.some((entry) => dataOf(entry).undoes === id);
}

/** Acts that can still be undone. */
export interface Undoable {
  readonly act: ActName;
  /** The flags they were made on. */
  readonly flags: readonly string[];
  /** Of a tune, the version of the constants document that it made. */
  readonly version: number | undefined;
}

/** Finds acts of an operator that can still be undone. */
export function findUndoable(db: Db, acts: Acts, actor: string, now: number): Undoable | undefined {
  const made = madeBy(db, acts, actor);
  const [record] = made;
  if (record === undefined || isLate(record, now) || isUndone(record, listOwnRecords(db, record.flag)))
    return undefined;
  const { act, constants_version: version } = dataOf(record);
  return act === "undo" ? undefined : { act, flags: made.map(({ flag }) => flag), version };
}

/** Undoes the acts of a form in the caller's transaction; one that stays takes no other with it. */
export function undoActs(
  tx: Tx,
  asked: Pick<ActRequest, "by" | "now"> & {
    readonly acts: Acts;
    readonly newId: () => string;
    /** Whether a site reported since an instant: then what it resolved would be judged anew. */
    readonly hasReported: (asset: string, since: number) => boolean;
  },
): Undone {
  const { acts, by, now } = asked;
  const flags: ChainedFlag[] = [];
  const kept: NotUndone[] = [];
  const made = madeBy(tx, acts, by.id);
  for (const record of made) {
    const { act, set } = dataOf(record);
    const later = listOwnRecords(tx, record.flag).filter(({ id }) => id > record.id);
    // A form sent twice.
    if (isUndone(record, later)) continue;
    const flag = findChainedFlag(tx, record.flag);
    if (flag === undefined) continue;
    const reason = isLate(record, now) ? "late" : reasonToStay(tx, asked, flag, record, later);
    if (reason !== undefined) {
      kept.push(reason);
      continue;
    }
    const stands =
      act === "resolve" ? raiseAgain(tx, asked, flag, record) : giveBack(tx, asked, flag, record, set);
    appendAudit(tx, {
      at: now,
      actor: by.id,
      act: "flag.undo",
      target: `flag:${flag.id}`,
      detail: { asset: flag.asset, undone: act, ...(stands.id !== flag.id && { raised: stands.id }) },
    });
    flags.push(stands);
  }
  const [first] = made;
  return { act: first === undefined ? undefined : (dataOf(first).act as ActName), flags, kept };
}

const OF_OPEN_FLAGS: ReadonlySet<string> = new Set<ActName>([
  "acknowledge",
  "unacknowledge",
  "snooze",
  "wake",
]);

/** What stands in the way of an undo; undefined when nothing does. */
function reasonToStay(
  tx: Tx,
  { hasReported }: Pick<Parameters<typeof undoActs>[1], "hasReported">,
  flag: ChainedFlag,
  record: StoredRecord,
  later: readonly StoredRecord[],
): NotUndone | undefined {
  const { act, set } = dataOf(record);
  if (flag.chain.renewed_by !== null && act !== "tune") return "raised";
  if (act === "resolve") {
    if (isRetired(tx, flag.asset)) return "retired";
    if (flag.rule !== null && isTold(tx, { ...flag, rule: flag.rule })) return "raised";
    return hasReported(flag.asset, record.at) ? "reported" : undefined;
  }
  const columns = Object.keys(set);
  const isTouched = later.some(
    (entry) =>
      entry.type === "act" && Object.keys(dataOf(entry).set).some((column) => columns.includes(column)),
  );
  if (isTouched) return "changed";
  return flag.status === "resolved" && OF_OPEN_FLAGS.has(act) ? "resolved" : undefined;
}

/** Gives a flag back what an act changed. */
function giveBack(
  tx: Tx,
  { by, now }: Pick<ActRequest, "by" | "now">,
  flag: ChainedFlag,
  record: StoredRecord,
  changed: FlagChange,
): ChainedFlag {
  const records = listOwnRecords(tx, flag.id).filter(({ id }) => id < record.id);
  const before = rebuildFlag(flag.id, records);
  if (before === undefined) throw new Error(`flag ${flag.id} has records that do not begin with its raising`);
  const columns = Object.keys(changed) as (keyof FlagChange)[];
  const set = Object.fromEntries(columns.map((column) => [column, before[column]])) as FlagChange;
  changeFlag(tx, flag.id, set);
  recordUndo(tx, { by, now }, record, set);
  if ("snoozed_until" in set) followActs(tx, { ...flag, rule: flag.rule ?? "", source: flag.source ?? "" });
  return findChainedFlag(tx, flag.id) ?? flag;
}

/** Raises again what was resolved: it is one lasting thing, over as many reports as before. */
function raiseAgain(
  tx: Tx,
  { by, now, newId }: Pick<Parameters<typeof undoActs>[1], "by" | "now" | "newId">,
  flag: ChainedFlag,
  record: StoredRecord,
): ChainedFlag {
  const before = findPredecessor(tx, flag.id);
  if (before === undefined) return flag;
  const id = newId();
  const renewal = renewalOf(before, flag.severity, now);
  const tuned_at = flag.tuned_at === null ? null : (parseInstant(flag.tuned_at) ?? null);
  recordUndo(tx, { by, now }, record, {});
  const { asset, rule, source, subject, origin, severity, kind, metric, message, rule_inputs } = flag;
  const raised = { asset, rule, source, subject, origin, severity, kind, metric, message, rule_inputs };
  insertOpenFlag(tx, id, raised, now, by.id, { ...renewal, reports: before.reports, tuned_at });
  markRenewed(tx, flag.id, id, now, by.id);
  return findChainedFlag(tx, id) ?? flag;
}

function recordUndo(
  tx: Tx,
  { by, now }: Pick<ActRequest, "by" | "now">,
  record: StoredRecord,
  set: FlagChange,
): void {
  const undo = { act: "undo", undone: dataOf(record).act, undoes: record.id, set };
  appendRecord(tx, { flag: record.flag, at: now, type: "act", actor: by.id, data: undo });
}

/** Writes flags, each with its record, and asks what the writing needs to know: the statements that run for every report. */

import { eq, getTableColumns } from "drizzle-orm";
import { formatInstant } from "../base/time.ts";
import { type Parameter, statement, type Tx } from "../store/store.ts";
import {
  type FlagRow,
  type FlagState,
  flag,
  type NewFlag,
  type RuleInputs,
  type SeriesSource,
} from "./flags.ts";
import { appendRecord } from "./records.ts";
import { findRunningSnooze } from "./snoozes.ts";

const COLUMNS = Object.entries(getTableColumns(flag));

/** A row as the file holds it. */
export type StoredFlag = Readonly<Record<string, Parameter>>;

export function fromStored(stored: StoredFlag): FlagState {
  const row: Record<string, unknown> = {};
  for (const [name, column] of COLUMNS) {
    const value = stored[name] ?? null;
    row[name] = value === null ? null : column.mapFromDriverValue(value);
  }
  return row as FlagState;
}

export function asStored(row: FlagState): StoredFlag {
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
const openByRule = statement<{ id: string; rule: string; source: string; subject: string }, [string]>(
  "SELECT id, rule, source, subject FROM flag WHERE asset = ? AND status = 'open' AND rule IS NOT NULL",
);

const openOfCondition = statement<
  Pick<FlagRow, "id" | "message"> & { readonly rule_inputs: string | null },
  [string, string, string, string]
>(
  `SELECT id, message, rule_inputs FROM flag
   WHERE rule = ? AND asset = ? AND source = ? AND subject = ? AND status = 'open' AND rule IS NOT NULL`,
);

type OpenSiteFlag = Pick<FlagRow, "id" | "severity" | "kind" | "metric" | "message" | "rule_inputs">;

// Not ordered: for that SQLite would read all that the site ever had, in the order of raising.
const openOfSite = statement<
  OpenSiteFlag & { readonly rule_inputs: string | null; raised_at: number },
  [string]
>(
  `SELECT id, severity, kind, metric, message, rule_inputs, raised_at FROM flag
   WHERE asset = ? AND status = 'open' AND origin = 'site'`,
);

/** An open flag of a rule, for reconciling. */
export interface OpenRuleFlag extends Pick<FlagRow, "id" | "source" | "subject"> {
  readonly rule: string;
}

/** The open rule flags of an asset. */
export function listOpenRuleFlags(tx: Tx, asset: string): OpenRuleFlag[] {
  return openByRule(tx)
    .all(asset)
    .map((row) => ({ ...row, source: row.source === "" ? null : (row.source as SeriesSource) }));
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
export interface RaisedData extends NewFlag {
  /** The end of a running snooze. */
  readonly snoozed_until?: string | null;
  /** What it carries from the flag it renews. */
  readonly set?: Partial<FlagState>;
}

/** The row that a flag begins with. */
export function raisedState(id: string, at: string, data: RaisedData): FlagState {
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
export type FlagChange = Partial<
  Pick<
    FlagState,
    | "status"
    | "resolved_at"
    | "resolution"
    | "acked_at"
    | "acked_by"
    | "snoozed_until"
    | "tuned_at"
    | "incident"
    | "hypothesis"
    | "message"
    | "rule_inputs"
  >
>;

/** Sets columns of a flag; the caller appends the record that says why. */
export function changeFlag(tx: Tx, id: string, set: FlagChange): void {
  tx.update(flag).set(set).where(eq(flag.id, id)).run();
}

/**
 * Resolves an open flag; `resolution` says why. Where one is about to renew it, that is set at once, since a flag that nothing renews
 * stands in three indexes of its own: the caller appends the record of it (`recordRenewed`) when the new one is there.
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
  appendRecord(tx, { flag: id, at: now, type: "resolved", actor, data: { resolution } });
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
  recordRenewed(tx, id, by, now, actor);
}

/** Appends the record of which flag renews it. */
export function recordRenewed(tx: Tx, id: string, by: string, now: number, actor: string): void {
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

/** Flags and snoozes made of their records: what the read models must hold. */

import { asc, eq } from "drizzle-orm";
import { formatInstant } from "../base/time.ts";
import { type ReadModel, tableModel } from "../store/read_model.ts";
import { type Db, statement } from "../store/store.ts";
import { type FlagState, flag, flagRecord, flagSnooze, type RuleInputs } from "./flags.ts";
import { lineOf, type Snooze } from "./snoozes.ts";
import { asStored, changedInputs, type RaisedData, raisedState, type StoredFlag } from "./store.ts";

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
      state = { ...state, status: "resolved", resolved_at: at, resolution: data.resolution };
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

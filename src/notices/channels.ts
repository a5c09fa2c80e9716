/** Channels and the acts on them: added, changed, paused, resumed, removed; each is in the audit, without an address or a secret. */

import { sql } from "drizzle-orm";
import { integer, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import type { By } from "../access/access.ts";
import { appendAudit } from "../access/audit.ts";
import { shown } from "../base/command_line.ts";
import type { InstallationKeys } from "../base/keys.ts";
import { sealText } from "../providers/sealing.ts";
import { hasAsset, listGroups } from "../sites/sites.ts";
import type { Core } from "../store/core.ts";
import type { Db, Tx } from "../store/store.ts";
import {
  CHANNEL_KINDS,
  type ChannelRules,
  type ChannelSettings,
  type FieldFault,
} from "./channel_settings.ts";

/**
 * Channels that notices go to. Address and secrets are sealed with the installation's key, bound to the row and its edit revision. A removed
 * one keeps its row without them, so that what was sent to it has a name.
 */

export const channel = sqliteTable(
  "channel",
  {
    id: text("id").primaryKey(),
    name: text("name").notNull(),
    kind: text("kind", { enum: CHANNEL_KINDS }).notNull(),
    edit_revision: integer("edit_revision").notNull(),
    connection_revision: text("connection_revision").notNull(),
    /** The installation key that it is sealed with. */
    key_id: text("key_id").notNull(),
    sealed: text("sealed").notNull(),
    rules: text("rules", { mode: "json" }).$type<ChannelRules>().notNull(),
    added_at: integer("added_at").notNull(),
    changed_at: integer("changed_at").notNull(),
    paused_at: integer("paused_at"),
    removed_at: integer("removed_at"),
  },
  (t) => [uniqueIndex("channel_name").on(t.name).where(sql`${t.removed_at} IS NULL`)],
);

/** A row with what is sealed. Times are milliseconds since the epoch. */

export type ChannelRow = typeof channel.$inferSelect;

/** A channel as far as it is told what happens: another address or secret is another `connection_revision`, whose health begins anew. */
export type Channel = Pick<
  ChannelRow,
  "id" | "name" | "kind" | "edit_revision" | "connection_revision" | "rules" | "paused_at"
>;

/** Every channel, in the order in which they were added; removed ones too. */
export function listChannelRows(db: Db): ChannelRow[] {
  return db.select().from(channel).orderBy(channel.added_at, channel.id).all();
}

/** The channels that stand, in the order in which they were added. */
export const listChannels = (db: Db): ChannelRow[] =>
  listChannelRows(db).filter(({ removed_at }) => removed_at === null);

/** A channel that stands, by its id. */
export const findChannelRow = (db: Db, id: string): ChannelRow | undefined =>
  listChannels(db).find((one) => one.id === id);

/** Puts a row in the place of the one with its id, or beside the others. */
export function putChannelRow(tx: Tx, { id, ...row }: ChannelRow): void {
  tx.insert(channel)
    .values({ id, ...row })
    .onConflictDoUpdate({ target: channel.id, set: row })
    .run();
}

export interface ChannelDeps extends Core {
  readonly keys: InstallationKeys;
}

/** What is asked of a channel: all of it is judged already but what only the database knows. */
interface AskedChannel {
  readonly name: string;
  readonly rules: ChannelRules;
  /** Left out where address and secrets stay as they are. */
  readonly settings?: ChannelSettings;
}

/**
 * Adds a channel, or changes the one with an id: other settings begin another connection, another name or rule only another edit. Answers
 * its faults where it was removed, its name is another's, or it names a site or a group that is not there.
 */
export function saveChannel(
  deps: ChannelDeps,
  id: string | undefined,
  { name, rules, settings }: AskedChannel,
  by: By,
) {
  return deps.writer.write((tx) => {
    const known = id === undefined ? undefined : findChannelRow(tx, id);
    const key = { id: known?.id ?? deps.ids.uuid(), connection_revision: deps.ids.uuid() };
    const connection = settings && {
      ...{ ...key, kind: settings.kind },
      ...sealText(deps, "channel", key, JSON.stringify(settings)),
    };
    const first = { edit_revision: 0, added_at: by.now, paused_at: null, removed_at: null };
    const before = known ?? (id === undefined && connection ? { ...first, ...connection } : undefined);
    if (before === undefined) {
      const removed: FieldFault = { field: "name", message: "is that of a channel that was removed" };
      return { ok: false, faults: [removed] } as const;
    }
    const faults = faultsOf(tx, { name, rules }, before.id);
    if (faults.length > 0) return { ok: false, faults } as const;
    const edit_revision = before.edit_revision + 1;
    const row = { ...before, ...connection, edit_revision, name, rules, changed_at: by.now };
    const act = id === undefined ? "add" : connection === undefined ? "change" : "replace";
    return { ok: true, channel: stored(tx, row, act, by) } as const;
  });
}

/**
 * Pauses a channel, resumes it, or removes it with its address and secrets; undefined where there is none. What was sent to a removed one stays
 * listed.
 */
export function actOnChannel(
  { writer }: Pick<ChannelDeps, "writer">,
  id: string,
  act: "pause" | "resume" | "remove",
  by: By,
): Promise<Channel | undefined> {
  const { now } = by;
  const changes = {
    pause: { paused_at: now },
    resume: { paused_at: null },
    remove: { sealed: "", key_id: "", removed_at: now },
  };
  return writer.write((tx) => {
    const known = findChannelRow(tx, id);
    if (known === undefined || (known.paused_at === null ? "resume" : "pause") === act) return known;
    return stored(tx, { ...known, ...changes[act], changed_at: now }, act, by);
  });
}

function stored(tx: Tx, row: ChannelRow, act: string, { actor, now: at }: By): Channel {
  putChannelRow(tx, row);
  const { name, kind, edit_revision, connection_revision, rules } = row;
  const { quiet, digest: daily_at, ...plain } = rules;
  const held = quiet === null ? null : `${quiet.from}-${quiet.to}`;
  const detail = { kind, name, edit_revision, connection_revision, ...plain, quiet: held, daily_at };
  appendAudit(tx, { at, actor, act: `channel.${act}`, target: `channel:${row.id}`, detail });
  return row;
}

/** What is wrong with a name and rules that only the database knows. */
function faultsOf(tx: Tx, { name, rules }: AskedChannel, own: string): FieldFault[] {
  const other = listChannels(tx).find((one) => one.name === name)?.id ?? own;
  const unknown = rules.sites?.find((site) => !hasAsset(tx, site));
  const isGroupKnown = rules.group === null || listGroups(tx).includes(rules.group);
  const faults = [
    other !== own && { field: "name", message: `is the name of another channel (${other})` },
    unknown !== undefined && { field: "sites", message: `there is no site ${shown(unknown)}` },
    !isGroupKnown && { field: "group", message: "there is no group of this name" },
  ];
  return faults.filter((fault) => fault !== false);
}

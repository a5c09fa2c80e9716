import { and, eq, isNull } from "drizzle-orm";
import type { Db, Tx } from "../db/mod.ts";
import type { Channel } from "./contract.ts";
import { channel } from "./table.ts";

/** A row with what is sealed. Times are milliseconds since the epoch. */
export type ChannelRow = typeof channel.$inferSelect;

/** Every channel, in the order in which they were added; removed ones too. */
export function listChannelRows(db: Db): ChannelRow[] {
  return db.select().from(channel).orderBy(channel.added_at, channel.id).all();
}

/** A channel as far as its health goes. Times are milliseconds since the epoch. */
export type WatchedChannel = Pick<
  ChannelRow,
  "id" | "kind" | "connection_revision" | "changed_at" | "paused_at" | "removed_at"
>;

/** Every channel whose health is told, removed ones too. */
export function listWatchedChannels(db: Db): WatchedChannel[] {
  const { id, kind, connection_revision, changed_at, paused_at, removed_at } = channel;
  const columns = { id, kind, connection_revision, changed_at, paused_at, removed_at };
  return db.select(columns).from(channel).orderBy(channel.added_at, channel.id).all();
}

/** The channels that stand, in the order in which they were added. */
export function listChannels(db: Db): Channel[] {
  return listChannelRows(db)
    .filter(({ removed_at }) => removed_at === null)
    .map(channelOf);
}

/** A channel that stands, by its id. */
export function findChannelRow(db: Db, id: string): ChannelRow | undefined {
  return db
    .select()
    .from(channel)
    .where(and(eq(channel.id, id), isNull(channel.removed_at)))
    .get();
}

export function findChannelNamed(db: Db, name: string): ChannelRow | undefined {
  return db
    .select()
    .from(channel)
    .where(and(eq(channel.name, name), isNull(channel.removed_at)))
    .get();
}

/** Puts a row in the place of the one with its id, or beside the others. */
export function putChannelRow(tx: Tx, { id, ...row }: ChannelRow): void {
  tx.insert(channel)
    .values({ id, ...row })
    .onConflictDoUpdate({ target: channel.id, set: row })
    .run();
}

export function channelOf(row: ChannelRow): Channel {
  const { id, name, kind, edit_revision, connection_revision, rules, paused_at } = row;
  return { id, name, kind, edit_revision, connection_revision, rules, paused: paused_at !== null };
}

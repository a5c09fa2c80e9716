import type { Db, Tx } from "../db/mod.ts";
import { channel } from "./table.ts";

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

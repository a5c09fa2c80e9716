import { sql } from "drizzle-orm";
import { index, integer, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import { CHANNEL_KINDS, NOTICE_TYPES, type Notice } from "../channels/contract.ts";

export const OUTCOMES = ["pending", "held", "delivered", "failed"] as const;

/** Deliveries: one message to one channel, as its newest attempt left it. One with a receipt is never sent again. */
export const notice = sqliteTable(
  "notice",
  {
    /** The delivery id: the same at every attempt. */
    id: text("id").primaryKey(),
    channel: text("channel").notNull(),
    channel_kind: text("channel_kind", { enum: CHANNEL_KINDS }).notNull(),
    type: text("type", { enum: NOTICE_TYPES }).notNull(),
    asset: text("asset"),
    /** Of a daily digest its day in the channel's own calendar. */
    day: text("day"),
    created_at: integer("created_at").notNull(),
    /** Not sent before: the end of quiet hours, then the next attempt; while one is under way, when it counts as lost. */
    due_at: integer("due_at").notNull(),
    attempts: integer("attempts").notNull().default(0),
    last_attempt_at: integer("last_attempt_at"),
    delivered_at: integer("delivered_at"),
    receipt: text("receipt"),
    outcome: text("outcome", { enum: OUTCOMES }).notNull(),
    /** Why the newest attempt failed: a reviewed code. */
    code: text("code"),
    /** What is sent, written down with the first attempt, so that every further one sends the same. */
    content: text("content", { mode: "json" }).$type<Notice>(),
  },
  (t) => [
    // One digest a day, also where two runs meet.
    uniqueIndex("notice_one_digest_a_day").on(t.channel, t.day),
    index("notice_by_time").on(t.created_at, t.id),
    index("notice_waiting").on(t.channel, t.created_at, t.id).where(sql`${t.outcome} IN ('pending', 'held')`),
  ],
);

/** What a delivery says: flags that began or ended, and causes for which integrations fail or work again. */
export const noticeItem = sqliteTable(
  "notice_item",
  {
    id: integer("id").primaryKey(),
    notice: text("notice")
      .notNull()
      .references(() => notice.id, { onDelete: "cascade" }),
    what: text("what", { enum: ["flag", "ended", "failing", "recovered"] }).notNull(),
    /** The first flag of the lasting thing, or the key of the cause. */
    thing: text("thing").notNull(),
    /** '' for a cause that concerns no single site. */
    asset: text("asset").notNull(),
    severity: text("severity", { enum: ["info", "warn", "error"] }).notNull(),
  },
  (t) => [
    index("notice_item_of").on(t.notice),
    index("notice_item_by_thing").on(t.thing),
    index("notice_item_by_asset").on(t.asset),
  ],
);

/** A channel as far as sending goes. */
export const noticeChannel = sqliteTable("notice_channel", {
  channel: text("channel").primaryKey(),
  /** What began before is old: the channel was made, or last paused, then. */
  since: integer("since").notNull(),
  /** When the newest heartbeat was sent. */
  beat_at: integer("beat_at").notNull().default(0),
});

/** Causes for which integrations fail, as they were last told. */
export const noticeCause = sqliteTable("notice_cause", {
  cause: text("cause").primaryKey(),
  /** Null while it lasts. */
  ended_at: integer("ended_at"),
  told: text("told", { mode: "json" })
    .$type<{ readonly words: string; readonly action: string; readonly assets: readonly string[] }>()
    .notNull(),
});

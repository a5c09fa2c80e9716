/** What is stored of notices: deliveries with what they say, and what each channel was sent before. */

import { and, desc, eq, gte, lt, lte, or, sql } from "drizzle-orm";
import { index, integer, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import { DAY_MS, formatInstant } from "../base/time.ts";
import { findLastOfChain } from "../flags/queries.ts";
import { channelScope } from "../health/health.ts";
import { recordResult, resultOf } from "../health/record.ts";
import { type Db, statement, type Tx } from "../store/store.ts";
import { CHANNEL_KINDS, NOTICE_TYPES, type Notice } from "./channel_settings.ts";
import type { Channel } from "./channels.ts";
import { type Item, LONGEST_WAIT_MS, type Planned, type Told } from "./plan.ts";
import { type SendDeps, send } from "./senders.ts";

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

export type StoredNotice = typeof notice.$inferSelect;
type StoredCause = typeof noticeCause.$inferSelect;

/** Since when there is news for each channel. */
export function channelTimes(db: Db): ReadonlyMap<string, number> {
  const rows = db.select().from(noticeChannel).all();
  return new Map(rows.map(({ channel, since }) => [channel, since]));
}

/** What happens from then on is news to a channel. */
export const startChannel = (tx: Tx, channel: string, since: number): void =>
  tx
    .insert(noticeChannel)
    .values({ channel, since })
    .onConflictDoUpdate({ target: noticeChannel.channel, set: { since } })
    .run();

/** Takes the next heartbeat of a channel: no row where another run has it, or the newest is neither that old nor ahead of the clock. */
export const takeBeat = statement<
  { channel: string },
  [at: number, channel: string, olderThan: number, now: number]
>(
  "UPDATE notice_channel SET beat_at = ? WHERE channel = ? AND (beat_at <= ? OR beat_at > ?) RETURNING channel",
);

/** The causes that were told, those that ended too. */
export const listCauses = (db: Db): StoredCause[] => db.select().from(noticeCause).all();

/** Writes down that a cause is told, or that it ended. */
export const putCause = (tx: Tx, cause: StoredCause): void =>
  tx.insert(noticeCause).values(cause).onConflictDoUpdate({ target: noticeCause.cause, set: cause }).run();

/** The newest message about a thing, which decides: one that told its end makes it news again. */
const toldLast = statement<
  Pick<Item, "what" | "severity"> & Pick<StoredNotice, "outcome">,
  [thing: string, channel: string]
>(
  `SELECT i.what, i.severity, n.outcome FROM notice_item AS i JOIN notice AS n ON n.id = i.notice
   WHERE i.thing = ? AND n.channel = ? AND n.outcome <> 'failed' ORDER BY i.id DESC LIMIT 1`,
);
// Enough of what a channel was told of a site, or is about to be: nobody waits for the end of what lies behind.
const toldThings = statement<{ thing: string }, [string, string]>(
  `SELECT DISTINCT i.thing FROM notice_item AS i JOIN notice AS n ON n.id = i.notice
   WHERE i.asset = ? AND i.what = 'flag' AND n.channel = ? AND n.outcome <> 'failed'
     AND NOT EXISTS (SELECT 1 FROM notice_item AS e JOIN notice AS m ON m.id = e.notice
       WHERE e.thing = i.thing AND e.what = 'ended' AND e.id > i.id AND m.channel = n.channel)
   ORDER BY i.id DESC LIMIT 200`,
);

/** A message about a thing that a channel got. */
export const wasTold = statement<{ id: number }, [thing: string, channel: string]>(
  `SELECT i.id FROM notice_item AS i JOIN notice AS n ON n.id = i.notice
   WHERE i.thing = ? AND n.channel = ? AND n.outcome = 'delivered' LIMIT 1`,
);

/** Ends that are an operator's own act, and of what could only not be tested again: the trouble itself may last. */
const SILENT_ENDS = [
  "retired",
  "operator",
  "paused",
  "not_live",
  "went_live",
  "threshold_changed",
  "next_reading",
];

/** Whether an end is no news. */
export const isSilentEnd = (resolution: string | null): boolean =>
  resolution !== null && SILENT_ENDS.includes(resolution);

const toldOf = (db: Db, channel: string, site: string) =>
  toldThings(db)
    .all(site, channel)
    .flatMap(({ thing }) => findLastOfChain(db, thing) ?? []);

/** Whether anything of a site lasts that a channel was told of, or is about to be. */
export const isAnyOpen = (db: Db, channel: string, site: string): boolean =>
  toldOf(db, channel, site).some(({ status }) => status === "open");

/** What is known of the messages before. */
export const toldIn = (db: Db, groupOf: Told["groupOf"], now: number): Told => ({
  groupOf,
  last: (channel, thing) => {
    const last = toldLast(db).first(thing, channel);
    if (last?.what !== "flag" && last?.what !== "failing") return undefined;
    return { severity: last.severity, isDelivered: last.outcome === "delivered" };
  },
  ended: (channel, site) => {
    if (isAnyOpen(db, channel, site)) return [];
    const ends = toldOf(db, channel, site).flatMap(({ chain, resolution, resolved_at }) =>
      isSilentEnd(resolution) ? [] : [{ ...chain, endedAt: Date.parse(resolved_at ?? "") }],
    );
    // What ended more than a day before the rest began is another story, which nobody was told the end of.
    let began = now;
    return ends
      .toSorted((a, b) => b.endedAt - a.endedAt)
      .flatMap(({ first, since, endedAt }) => {
        if (endedAt < began - DAY_MS) return [];
        began = Math.min(began, Date.parse(since));
        return [first];
      });
  },
});

/** Stores a delivery; the digest of a day once. */
export const insertNotice = (tx: Tx, row: typeof notice.$inferInsert): void =>
  tx.insert(notice).values(row).onConflictDoNothing().run();

const heldOf = statement<{ id: string }, [channel: string]>(
  "SELECT id FROM notice WHERE channel = ? AND outcome = 'held' LIMIT 1",
);
const joinHeld = statement<never, [type: string, asset: string | null, id: string]>(
  "UPDATE notice SET type = CASE WHEN type = ? AND asset IS ? THEN type ELSE 'digest' END WHERE id = ?",
);

const dropHeld = statement<never, [thing: string, channel: string]>(
  "DELETE FROM notice_item WHERE thing = ? AND notice IN (SELECT id FROM notice WHERE channel = ? AND outcome = 'held')",
);

const putItem = statement<
  never,
  [notice: string, what: string, thing: string, asset: string, severity: string]
>("INSERT INTO notice_item (notice, what, thing, asset, severity) VALUES (?, ?, ?, ?, ?)");

/**
 * Stores a message to be sent: it replaces what is held of the same things. What quiet hours hold back joins what is held already: it
 * arrives as one.
 */
export function insertPlanned(tx: Tx, plan: Planned, newId: () => string, now: number): void {
  const { channel, type, asset, items, heldUntil } = plan;
  const held = heldUntil === undefined ? undefined : heldOf(tx).first(channel.id)?.id;
  const row = { id: held ?? newId(), channel: channel.id, channel_kind: channel.kind, type, asset };
  const outcome = heldUntil === undefined ? "pending" : "held";
  if (held !== undefined) joinHeld(tx).run(type, asset, held);
  else insertNotice(tx, { ...row, created_at: now, due_at: heldUntil ?? now, outcome });
  // One by one: those of thousands of sites are more parameters than a statement takes.
  for (const { what, thing, asset: site, severity } of items) {
    dropHeld(tx).run(thing, channel.id);
    putItem(tx).run(row.id, what, thing, site, severity);
  }
}

/** Lets go of what quiet hours held back. */
export const releaseHeld = statement<never, [now: number, channel: string]>(
  "UPDATE notice SET outcome = 'pending', due_at = ? WHERE channel = ? AND outcome = 'held'",
);
/** Ends what waits for a channel that is paused or gone. */
export const endWaiting = statement<never, [channel: string]>(
  "UPDATE notice SET outcome = 'failed', code = 'channel_stopped' WHERE channel = ? AND outcome IN ('pending', 'held')",
);

/** Takes a message back that was never sent, and has nothing to say any more. */
export const withdraw = statement<never, [id: string]>(
  "DELETE FROM notice WHERE id = ? AND outcome = 'pending' AND attempts = 0",
);

/** The channels that something waits for. */
export const waitingChannels = statement<{ channel: string }, []>(
  "SELECT DISTINCT channel FROM notice WHERE outcome IN ('pending', 'held')",
);

/** The oldest message that waits for a channel; undefined where none does, or before its next attempt. */
export function nextDue(db: Db, channel: string, now: number): StoredNotice | undefined {
  const [row] = db
    .select()
    .from(notice)
    .where(and(eq(notice.channel, channel), eq(notice.outcome, "pending")))
    .orderBy(notice.created_at, notice.id)
    .limit(1)
    .all();
  // None waits for so long, unless the clock went back.
  return row === undefined || (row.due_at > now && row.due_at <= now + LONGEST_WAIT_MS) ? undefined : row;
}

/** What a message says, in the order in which it was planned. */
export const itemsOf = (db: Db, id: string): Item[] =>
  db.select().from(noticeItem).where(eq(noticeItem.notice, id)).orderBy(noticeItem.id).all();

const take = statement<{ id: string }, [number, number, string, string | null, string, string, number]>(
  `UPDATE notice SET attempts = attempts + 1, last_attempt_at = ?, due_at = ?, type = ?, asset = ?, content = ?
   WHERE id = ? AND outcome = 'pending' AND attempts = ? RETURNING id`,
);

/**
 * Takes a message for one attempt: of two runs one gets it. Until `until` nobody tries again; where nothing came of the attempt by
 * then, because Tower was killed, it is made again under the same id.
 */
export function claim(tx: Tx, row: StoredNotice, content: Notice, now: number, until: number): boolean {
  const { type, asset } = content;
  return take(tx).all(now, until, type, asset, JSON.stringify(content), row.id, row.attempts).length > 0;
}

export const storeReceipt = statement<never, [now: number, receipt: string, id: string]>(
  "UPDATE notice SET outcome = 'delivered', delivered_at = ?, receipt = ?, code = NULL WHERE id = ? AND receipt IS NULL",
);
export const storeFailure = statement<never, [outcome: string, code: string, dueAt: number, id: string]>(
  "UPDATE notice SET outcome = ?, code = ?, due_at = ? WHERE id = ? AND receipt IS NULL",
);

/** What a list of deliveries may be narrowed to; instants, `to` exclusive. */
export interface NoticeFilter {
  readonly channel?: string | undefined;
  readonly outcome?: StoredNotice["outcome"] | undefined;
  readonly from?: number | undefined;
  readonly to?: number | undefined;
}

/** Deliveries, newest first, at most `limit`. */
export function listNotices(
  db: Db,
  { channel, outcome, from, to }: NoticeFilter,
  limit: number,
  [before, id]: readonly [createdAt?: number, id?: string] = [],
): StoredNotice[] {
  const at = notice.created_at;
  const conditions = [
    channel === undefined ? undefined : eq(notice.channel, channel),
    outcome === undefined ? undefined : eq(notice.outcome, outcome),
    from === undefined ? undefined : gte(at, from),
    to === undefined ? undefined : lt(at, to),
    before === undefined ? undefined : or(lt(at, before), and(lte(at, before), lt(notice.id, id ?? ""))),
  ];
  return db
    .select()
    .from(notice)
    .where(and(...conditions))
    .orderBy(desc(at), desc(notice.id))
    .limit(limit)
    .all();
}

/** Sends a test of a channel, and stores and records how it ended: it says nothing of real notices. `isMonitored` is false where its health was not recorded. */
export async function testChannel(deps: SendDeps, channel: Channel) {
  const { ids, clock, config, writer } = deps;
  const startedAt = clock.now();
  const notice = testNotice(channel, ids.uuid(), startedAt, config.tower.publicUrl);
  const sent = await send(deps, channel, notice);
  const observedAt = Math.max(startedAt, clock.now());
  const { id, type } = notice;
  const of = { id, type, channel: channel.id, channel_kind: channel.kind };
  const times = { created_at: startedAt, due_at: startedAt, last_attempt_at: startedAt };
  const ended = sent.ok
    ? ({ outcome: "delivered", delivered_at: observedAt, receipt: sent.receipt } as const)
    : ({ outcome: "failed", code: sent.code } as const);
  const attempt = { attempt: `${id}:1`, startedAt, observedAt };
  const isMonitored = await writer.write((tx) => {
    insertNotice(tx, { ...of, ...times, ...ended, attempts: 1 });
    return recordResult(
      tx,
      channelScope(config.workspace, channel, true),
      attempt,
      resultOf(sent.ok ? undefined : sent),
    );
  });
  return { id, sent, isMonitored };
}

function testNotice(
  { id: channel, name }: Channel,
  id: string,
  now: number,
  tower: string | undefined,
): Notice {
  const lines = [
    `Test from Tower: the channel "${name}" works.`,
    "Nothing happened. Notices about your sites will arrive here.",
    ...(tower === undefined ? [] : [`Change what this channel sends: ${tower}/settings/notices#${channel}`]),
  ];
  return {
    id,
    type: "test",
    at: formatInstant(now),
    asset: null,
    subject: "Tower: test notice",
    text: lines.join("\n"),
    html: lines.map((line) => `<p>${Bun.escapeHTML(line)}</p>`).join(""),
    flags: [],
  };
}

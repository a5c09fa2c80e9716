/**
 * Notices on their way. A flag's record is the outbox: one run walks the records that are new, and one transaction makes the messages of
 * every channel and moves the cursor. Each message is claimed by a conditional update, sent under its delivery id, and never again once
 * its receipt is stored. A kill between the two sends it again under the same id.
 */

import type { Notice, Sent } from "../channels/contract.ts";
import { type SendDeps, send as sendOut } from "../channels/send.ts";
import type { Channel } from "../channels/store.ts";
import { listChannels } from "../channels/store.ts";
import { type Db, findServiceState, putServiceState, storageFault, type Tx, type Writer } from "../db/mod.ts";
import { lastRecordId, listFlagSteps } from "../flags/mod.ts";
import type { FlowFollower } from "../flow/mod.ts";
import { channelScope, recordResult, resultOf } from "../health/mod.ts";
import type { Jobs } from "../jobs/mod.ts";
import { atOnce } from "../lib/at_once.ts";
import type { Clock } from "../platform/clock.ts";
import type { Ids } from "../platform/ids.ts";
import { logOf } from "../platform/log.ts";
import type { Health } from "./causes.ts";
import { digestOf } from "./digest.ts";
import { causeNews, contentOf, flagNews, type GatherDeps, groupsIn, healthIn } from "./gather.ts";
import { digestDue, quietUntil } from "./hours.ts";
import * as outbox from "./outbox_store.ts";
import * as plan from "./plan.ts";

export interface NoticeDeps extends SendDeps, GatherDeps {
  readonly store: { readonly db: Db };
  readonly writer: Pick<Writer, "write" | "writeOrOwe">;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly follower: Pick<FlowFollower, "settle">;
  readonly jobs: Pick<Jobs, "health">;
}

/** Sends one message once. */
export type Send = (channel: Channel, notice: Notice) => Promise<Sent>;

/** The last record of a flag that was made into notices. */
const CURSOR = "notices.cursor";
/** Records that one run walks. */
const MOST_RECORDS = 5_000;
/** How long the flags of a report that just came are waited for, so that they and its own are one message. */
const SETTLE_MS = 3_000;
/** A run takes up no further message of a channel after so long: the others wait for none that is slow. */
const TURN_MS = 10_000;
/** An attempt of which nothing came by then is made again. */
const LOST_MS = 100_000;
const AT_ONCE = 8;
const HOUR_MS = 3_600_000;

/** Makes messages of what is new, and sends what is due. */
export async function runNotices(
  deps: NoticeDeps,
  signal: AbortSignal,
  send: Send = (channel, notice) => sendOut(deps, channel, notice),
): Promise<void> {
  const patience = Promise.withResolvers<void>();
  const timer = setTimeout(patience.resolve, SETTLE_MS);
  await Promise.race([deps.follower.settle(), patience.promise]);
  clearTimeout(timer);
  const startedAt = deps.clock.now();
  const health = healthIn(deps, startedAt);
  const channels = await deps.writer.write((tx) => planNotices(tx, deps, health, startedAt));
  const isOver = () => signal.aborted || deps.clock.now() - startedAt > TURN_MS;
  await atOnce(channels, AT_ONCE, async (channel) => {
    if (channel.rules.heartbeat) await beat(deps, channel, send);
    else while (!isOver() && (await deliverNext(deps, channel, send)));
  });
}

/** Makes the messages that are due by what is stored, and moves the cursor. The channels that are sent to now. */
function planNotices(tx: Tx, { ids, config }: NoticeDeps, health: Health, now: number): Channel[] {
  const times = outbox.channelTimes(tx);
  const all = listChannels(tx).map((row) => ({ ...row, since: times.get(row.id) ?? row.added_at }));
  const open = all.filter(({ paused_at }) => paused_at === null);
  for (const { channel } of outbox.waitingChannels(tx).all())
    if (!open.some(({ id }) => id === channel)) outbox.endWaiting(tx).run(channel);
  for (const { id, since, paused_at } of all) {
    // What happens while a channel is paused is old when it is resumed.
    const isPaused = paused_at !== null;
    if (isPaused || !times.has(id) || since > now)
      outbox.startChannel(tx, id, isPaused ? now : Math.min(since, now));
  }
  const after = Number(findServiceState(tx, CURSOR) ?? 0);
  const last = lastRecordId(tx);
  const to = open.length === 0 ? last : Math.min(last, after + MOST_RECORDS);
  if (to !== after) putServiceState(tx, CURSOR, String(to), now);
  const channelWith = (target: string) =>
    all.find((channel) => channelScope(config.workspace, channel, false).target === target)?.id;
  const news = {
    ...flagNews(tx, open.length === 0 ? [] : listFlagSteps(tx, after, to), now),
    causes: causeNews(tx, health, channelWith, now),
  };
  const told = outbox.toldIn(tx, groupsIn(tx), now);
  for (const one of plan.planned(news, open, told, now)) outbox.insertPlanned(tx, one, () => ids.uuid(), now);
  for (const { id: channel, kind: channel_kind, rules, since } of open) {
    if (quietUntil(rules, now) === undefined) outbox.releaseHeld(tx).run(now, channel);
    const digest = rules.heartbeat ? undefined : digestDue(rules, now);
    if (digest === undefined || digest.dueAt < since) continue;
    const row = { id: ids.uuid(), channel, channel_kind, type: "digest", day: digest.day } as const;
    outbox.insertNotice(tx, { ...row, created_at: now, due_at: now, outcome: "pending" });
  }
  return open;
}

/** Sends the next message of a channel; false where none is due, or this one did not get through: the others keep their order. */
async function deliverNext(deps: NoticeDeps, channel: Channel, send: Send): Promise<boolean> {
  const { store, writer, clock, ids, config } = deps;
  const startedAt = clock.now();
  const row = outbox.nextDue(store.db, channel.id, startedAt);
  if (row === undefined) return false;
  const { id } = row;
  const { rules, kind } = channel;
  const { publicUrl } = config.tower;
  const about = { channel: channel.id, zone: rules.zone, isMail: kind === "mail" };
  const ground = { id, now: startedAt, publicUrl, ...about };
  const fresh = () => (row.day === null ? contentOf(store.db, row, ground) : digestOf(deps, rules, ground));
  const content = row.content ?? fresh();
  if (content === undefined) {
    await writer.write((tx) => outbox.withdraw(tx).run(id));
    return true;
  }
  const until = startedAt + LOST_MS;
  if (!(await writer.write((tx) => outbox.claim(tx, row, content, startedAt, until)))) return false;
  const attempts = row.attempts + 1;
  const [chance = 0] = ids.bytes(1);
  const sent = await attempt(deps, channel, { content, attempts, send }, (tx, came, now) => {
    if (came.ok) {
      outbox.storeReceipt(tx).run(now, came.receipt, id);
      return null;
    }
    const isGivenUp = came.permanent || now - row.created_at >= plan.GIVEN_UP_MS;
    const dueAt = now + plan.backOff(attempts, chance / 256);
    outbox.storeFailure(tx).run(isGivenUp ? "failed" : "pending", came.code, dueAt, id);
    return isGivenUp ? null : dueAt;
  });
  return sent.ok || sent.permanent;
}

/** Calls a heartbeat's address once an hour while all jobs run: another monitor notices where it stops. */
async function beat(deps: NoticeDeps, channel: Channel, send: Send): Promise<void> {
  const { writer, clock, ids, jobs } = deps;
  const now = clock.now();
  if (jobs.health.failing().length > 0) return;
  const taken = await writer.write((tx) => outbox.takeBeat(tx).all(now, channel.id, now - HOUR_MS, now));
  if (taken.length === 0) return;
  const text = "Tower runs, and all of its jobs with it.";
  const words = { asset: null, subject: "Tower runs", text, html: text, flags: [] };
  const content = { id: ids.uuid(), type: "heartbeat", at: new Date(now).toISOString(), ...words } as const;
  await attempt(deps, channel, { content, attempts: 1, send }, (tx, { ok }, at) => {
    if (ok) return null;
    const dueAt = at + plan.backOff(1, 1);
    outbox.takeBeat(tx).all(dueAt - HOUR_MS, channel.id, now, now);
    return dueAt;
  });
}

/**
 * Sends once, and stores what came of it beside its health; `store` says when it is tried again. Where storage refuses that now, it is
 * stored ahead of whatever is written next: a receipt is not lost while Tower runs.
 */
async function attempt(
  { writer, clock, config }: NoticeDeps,
  channel: Channel,
  { content, attempts, send }: { content: Notice; attempts: number; send: Send },
  store: (tx: Tx, sent: Sent, now: number) => number | null,
): Promise<Sent> {
  const startedAt = clock.now();
  const sent = await send(channel, content).catch((error: unknown): Sent => {
    logOf("notices").error("a notice could not be sent", {
      channel: channel.id,
      reason: storageFault(error),
    });
    return { ok: false, category: "monitoring_failure", code: "stopped", permanent: false };
  });
  const observedAt = clock.now();
  await writer.writeOrOwe((tx) => {
    const nextRetryAt = store(tx, sent, observedAt);
    const attempt = { attempt: `${content.id}:${attempts}`, startedAt, observedAt };
    const result = resultOf(sent.ok ? undefined : sent, { nextRetryAt });
    recordResult(tx, channelScope(config.workspace, channel, false), attempt, result);
  });
  return sent;
}

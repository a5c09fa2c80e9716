/**
 * Notices: what a channel (mail, webhook, ntfy, Slack) is sent when flags are raised or end, and when integrations fail or recover.
 *
 * New records of flags and failures (below) → `plan.ts` decides which channel gets what, at once or in its digest →
 * one transaction stores the messages and moves each channel's cursor (`outbox.ts`) → `senders.ts` sends them, in the words of
 * `notice_text.ts`. Channels are added and changed in `channels.ts`, from what `channel_settings.ts` reads.
 *
 * Each message is claimed by a conditional update, sent under its delivery id, and never again once its receipt is stored. A kill between
 * the two sends it again under the same id. Start with `runNotices` below, then `plan.ts`.
 */

import { setTimeout } from "node:timers/promises";
import { mapConcurrent } from "../base/concurrency.ts";
import { logOf } from "../base/log.ts";
import { storageFault } from "../base/storage_fault.ts";
import { countWords, nounFor } from "../base/text.ts";
import { DAY_MS, HOUR_MS } from "../base/time.ts";
import { type ChainedFlag, isSnoozed } from "../flags/flags.ts";
import { listInbox } from "../flags/inbox.ts";
import { findLastOfChain, listFlagMoments, listFlagsById } from "../flags/queries.ts";
import { type FlagStep, lastRecordId, listFlagSteps } from "../flags/store.ts";
import { channelScope } from "../health/health.ts";
import { recordResult, resultOf } from "../health/record.ts";
import { causesOf, endOfCause, type Health, siteOf, worstFirst } from "../integrations/attention.ts";
import { healthWithAccounts, unsureIn } from "../integrations/attention_reader.ts";
import type { HealthReader } from "../integrations/reader.ts";
import { flagsShown } from "../reports/nights.ts";
import type { FlowFollower } from "../rules/rules.ts";
import { listBetween } from "../sites/annotations.ts";
import type { ConstantsStore } from "../sites/constants_store.ts";
import { listPortfolio, listSites } from "../sites/sites.ts";
import type { Core } from "../store/core.ts";
import type { Jobs } from "../store/jobs.ts";
import { type Db, findServiceState, putServiceState, type Tx } from "../store/store.ts";
import type { ChannelRules, Notice, Sent } from "./channel_settings.ts";
import { type Channel, listChannels } from "./channels.ts";
import {
  causeLine,
  endedWords,
  flagLine,
  type Ground,
  messageOf,
  type ToldFlag,
  written,
} from "./notice_text.ts";
import * as outbox from "./outbox.ts";
import {
  isAnyOpen,
  isSilentEnd,
  itemsOf,
  listCauses,
  putCause,
  type StoredNotice,
  wasTold,
} from "./outbox.ts";
import * as plan from "./plan.ts";
import {
  type CauseNews,
  digestDue,
  type Item,
  isForAll,
  isForSite,
  type News,
  quietHoursOf,
  quietUntil,
  type Raised,
  severityRank,
  zonedText,
} from "./plan.ts";
import { type SendDeps, send as sendOut } from "./senders.ts";

/** The daily digest: what needs somebody, what may be chance, what ended, or that all is well. */

/** Open flags that a digest reads. */
const MOST_OPEN = 500;
/** So many sites are named as fine. */
const MOST_NAMED = 8;

/** Those for which something holds, and the others. */
const parted = <T>(all: readonly T[], holds: (one: T) => boolean): readonly [T[], T[]] => [
  all.filter(holds),
  all.filter((one) => !holds(one)),
];

/** Those of some phrases that count anything. */
const counted = (...phrases: readonly (readonly [count: number, phrase: string])[]): string[] =>
  phrases.flatMap(([count, phrase]) => (count === 0 ? [] : [phrase]));

/** The digest of a day: that all is fine only where everything is watched and nothing is open. */
function digestOf(deps: GatherDeps, rules: ChannelRules, ground: Ground): Notice {
  const { db } = deps.store;
  const { channel, now, zone } = ground;
  const groupOf = groupsIn(db);
  const isOf = (site: string) => isForSite(rules, site, groupOf);
  const page = { limit: MOST_OPEN, offset: 0, now } as const;
  const listed = (["open", "snoozed"] as const).map((status) => listInbox(db, { status }, page));
  // Those beyond may be of this channel's sites.
  const isCut = listed.some(({ length }) => length === MOST_OPEN);
  const open = listed
    .flat()
    .map(toldIn(db))
    .filter(({ site }) => isOf(site));
  const troubled = new Set(open.flatMap(({ site, flag }) => (flag.severity === "info" ? [] : [site])));
  // Live ones, and others that have an open warning or error.
  const sites = listSites(db).flatMap(({ id, lifecycle }) =>
    (lifecycle === "live" || troubled.has(id)) && id !== deps.config.serviceAsset && isOf(id) ? [id] : [],
  );
  const [putAway, rest] = parted(open, ({ flag }) => isPutAway(flag, now));
  const known = putAway.filter(({ flag }) => flag.severity !== "info");
  const [infos, warns] = parted(rest, ({ flag }) => flag.severity === "info");
  const chance = unsureIn(db);
  const [unsure, urgent] = parted(worstFirst(warns), ({ flag }) => chance.has(flag.id));
  // What was never told by itself is no news when it ends.
  const ended = listFlagMoments(db, { turn: "resolved", from: now - DAY_MS, to: now }, "worst", MOST_OPEN)
    .filter(({ severity, resolution }) => severity !== "info" && !isSilentEnd(resolution))
    .filter(({ chain }) => wasTold(db).first(chain.first, channel) !== undefined)
    .map(toldIn(db))
    .filter(({ site }) => isOf(site));

  const health = healthIn(deps, now);
  const { reason } = health.view.coverage;
  const unwatched = isCut ? `Only the worst ${MOST_OPEN} open flags are looked through.` : reason;
  const causes = causesOf(health, now).filter(({ assets }) => isForAll(rules) || assets.some(isOf));
  const [told, retried] = parted(causes, ({ isTold }) => isTold);

  const infoSites = new Set(infos.map(({ site }) => site)).size;
  const hit = new Set([...urgent.map(({ site }) => site), ...told.flatMap(({ assets }) => assets)]);
  const fine = sites.filter((site) => !hit.has(site));
  const flagged = new Set(open.map(({ site }) => site));
  const calmSites = fine.filter((site) => !flagged.has(site));
  const ours = sites.length - fine.length;
  const others =
    urgent.filter(({ site }) => !sites.includes(site)).length +
    told.filter(({ assets }) => assets.length === 0).length;
  const isNew = (flag: ChainedFlag) => now - Date.parse(flag.chain.since) < DAY_MS;
  const isOld = urgent.length > 0 && told.length === 0 && !urgent.some(({ flag }) => isNew(flag));
  const all = countWords(sites.length, "site");
  const needs = counted(
    [ours, `${ours} of ${all} ${nounFor(ours, "needs", "need")} attention`],
    [others, `${countWords(others, "problem")} of Tower itself`],
    [Number(isOld), "nothing new"],
  );
  const lesser = unsure.length + known.length + infos.length;
  const calm =
    unwatched !== null
      ? "No site is known to need attention, but not everything is watched"
      : lesser > 0
        ? `No site needs attention now, ${countWords(lesser, "flag")} less urgent`
        : sites.length === 1
          ? `${sites[0]} is fine`
          : `All ${all} fine`;
  const subject = needs.length > 0 ? needs.join(", ") : calm;
  const lines = counted(
    [known.length, `Acknowledged or snoozed: ${countWords(known.length, "flag")}`],
    [
      infos.length,
      `Less urgent: ${countWords(infos.length, "info flag")} on ${countWords(infoSites, "site")}`,
    ],
    [
      ours * calmSites.length,
      `Fine: ${calmSites.length > MOST_NAMED ? countWords(calmSites.length, "site") : calmSites.join(", ")}`,
    ],
  );
  const flagsOf = (some: readonly ToldFlag[]) =>
    some.map(({ site, flag }) => flagLine(flag, now, isNew(flag) ? "NEW" : "", `${site}: `));
  return written(
    {
      type: "digest",
      asset: null,
      subject,
      lead: `${zonedText(now, zone)}: ${subject}`,
      sections: [
        ["NEEDS YOU", flagsOf(urgent)],
        ["INTEGRATIONS", told.map(causeLine)],
        ["MAY BE CHANCE", flagsOf(unsure)],
        ["RETRYING AUTOMATICALLY", retried.map(({ words }) => ({ text: words }))],
        ["NOT EVERYTHING IS WATCHED", unwatched === null ? [] : [{ text: unwatched, path: "/health" }]],
        [
          "ENDED SINCE YESTERDAY",
          ended.map(({ site, flag }) => ({ text: `${site}: ${endedWords(flag, now)}` })),
        ],
        ["", lines.map((text) => ({ text }))],
      ],
      flags: [...urgent, ...unsure].map(({ flag }) => flag),
    },
    ground,
  );
}

export interface NoticeDeps extends SendDeps, GatherDeps {
  readonly follower: Pick<FlowFollower, "settle">;
  readonly constants: Pick<ConstantsStore, "current">;
  readonly jobs: Pick<Jobs, "health">;
}

/** Sends one message once. */
type Send = (channel: Channel, notice: Notice) => Promise<Sent>;

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

/** Makes messages of what is new, and sends what is due. */
export async function runNotices(
  deps: NoticeDeps,
  signal: AbortSignal,
  send: Send = (channel, notice) => sendOut(deps, channel, notice),
): Promise<void> {
  await Promise.race([deps.follower.settle(), setTimeout(SETTLE_MS, undefined, { ref: false })]);
  const startedAt = deps.clock.now();
  const health = healthIn(deps, startedAt);
  const channels = await deps.writer.write((tx) => planNotices(tx, deps, health, startedAt));
  const isOver = () => signal.aborted || deps.clock.now() - startedAt > TURN_MS;
  await mapConcurrent(channels, AT_ONCE, async (channel) => {
    if (channel.rules.heartbeat) await beat(deps, channel, send);
    else while (!isOver() && (await deliverNext(deps, channel, send)));
  });
}

/** Makes the messages that are due by what is stored, and moves the cursor. The channels that are sent to now. */
function planNotices(tx: Tx, deps: NoticeDeps, health: Health, now: number): Channel[] {
  const { ids, config } = deps;
  const { notifications } = deps.constants.current().constants;
  const times = outbox.channelTimes(tx);
  const all = listChannels(tx).map((row) => ({
    ...row,
    since: times.get(row.id) ?? row.added_at,
    hours: quietHoursOf(row.rules, notifications),
  }));
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
    all.find((channel) => channelScope(config.workspace, channel, false).target === target);
  const news = {
    ...flagNews(tx, open.length === 0 ? [] : listFlagSteps(tx, after, to), now),
    causes: causeNews(tx, health, channelWith, now),
  };
  const told = outbox.toldIn(tx, groupsIn(tx), now);
  for (const one of plan.planned(news, open, told, now)) outbox.insertPlanned(tx, one, () => ids.uuid(), now);
  for (const { id: channel, kind: channel_kind, rules, since, hours } of open) {
    if (quietUntil(hours, now) === undefined) outbox.releaseHeld(tx).run(now, channel);
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
  await writer.writeOrDefer((tx) => {
    const nextRetryAt = store(tx, sent, observedAt);
    const attempt = { attempt: `${content.id}:${attempts}`, startedAt, observedAt };
    const result = resultOf(sent.ok ? undefined : sent, { nextRetryAt });
    recordResult(tx, channelScope(config.workspace, channel, false), attempt, result);
  });
  return sent;
}

// News of flags and of failing integrations, read from what is stored: what messages are made of.

interface GatherDeps extends Core {
  readonly health: Pick<HealthReader, "read">;
}

/** A change so long before a flagged day is named beside it. */
const NEAR_MS = 3 * DAY_MS;

const healthIn = ({ store, health }: Pick<GatherDeps, "store" | "health">, now: number): Health =>
  healthWithAccounts(store.db, health.read(now));

function groupsIn(db: Db): (site: string) => string | null {
  // Most looks have no news, and read no site.
  let groups: ReadonlyMap<string, string | null> | undefined;
  return (site) => {
    groups ??= new Map(listPortfolio(db).map(({ id, group }) => [id, group]));
    return groups.get(site) ?? null;
  };
}

/** A flag about a site that stands on Tower's own asset is told under the site; its days are those that pages show. */
function toldIn(db: Db): (flag: ChainedFlag) => ToldFlag {
  const shown = flagsShown(db);
  return (flag) => ({ site: siteOf(flag), flag: shown(flag) });
}

const isPressing = (flag: ChainedFlag, unsure: ReadonlySet<string>, now: number): boolean =>
  flag.status === "open" && !isPutAway(flag, now) && !unsure.has(flag.id);

function isPutAway(flag: ChainedFlag, now: number): boolean {
  return flag.acked_at !== null || isSnoozed(flag, now);
}

function flagNews(db: Db, steps: readonly FlagStep[], now: number): Omit<News, "causes"> {
  const found = listFlagsById(db, [...new Set(steps.map(({ flag }) => flag))]);
  const flags = new Map(found.map((one) => [one.id, one]));
  const unsure = steps.length === 0 ? new Set<string>() : unsureIn(db);
  const raised: Raised[] = [];
  const resolved: string[] = [];
  for (const { type, flag: id, severityBefore, since } of steps) {
    const flag = flags.get(id);
    if (flag === undefined) continue;
    const { severity, chain } = flag;
    const site = siteOf(flag);
    if (type === "resolved" && chain.renewed_by === null) resolved.push(site);
    if (type === "resolved") continue;
    const isWorse = severityBefore !== null && severityRank(severity) > severityRank(severityBefore);
    const isTold = isPressing(flag, unsure, now);
    raised.push({ chain: chain.first, since, site, severity, isWorse, isTold });
  }
  return { raised, resolved };
}

/** The causes that began or ended to be told since the last look; what is known of them is written down. */
function causeNews(
  tx: Tx,
  health: Health,
  channelWith: (target: string) => Pick<Channel, "id" | "name"> | undefined,
  now: number,
): CauseNews[] {
  const lasting = listCauses(tx).filter(({ ended_at }) => ended_at === null);
  const begun = causesOf(health, now).filter(
    ({ key, isTold }) => isTold && !lasting.some(({ cause }) => cause === key),
  );
  return [
    ...begun.map(({ key: cause, words: what, action, assets, target }) => {
      const channel = target === undefined ? undefined : channelWith(target);
      // Of several channels it has to be said which.
      const words = channel === undefined ? what : `${channel.name}: ${what}`;
      putCause(tx, { cause, ended_at: null, told: { words, action, assets } });
      return { cause, isOver: false, assets, channel: channel?.id };
    }),
    ...lasting.flatMap(({ cause, told }) => {
      const end = endOfCause(cause, health);
      if (end !== undefined) putCause(tx, { cause, told, ended_at: now });
      return end === "works" ? [{ cause, isOver: true, assets: told.assets }] : [];
    }),
  ];
}

/** What a delivery says now; undefined where nothing is left to say. */
function contentOf(db: Db, row: StoredNotice, ground: Ground): Notice | undefined {
  const items = itemsOf(db, row.id);
  const things = (what: Item["what"]) => items.flatMap((item) => (item.what === what ? [item.thing] : []));
  const flags = (what: Item["what"]) =>
    things(what)
      .flatMap((chain) => findLastOfChain(db, chain) ?? [])
      .map(toldIn(db));
  const causes = listCauses(db);
  const told = (what: Item["what"], isOver: boolean) =>
    causes.flatMap(({ cause, ended_at, told }) =>
      things(what).includes(cause) && (ended_at !== null) === isOver ? [told] : [],
    );
  const unsure = unsureIn(db);
  const raised = flags("flag").filter(({ flag }) => isPressing(flag, unsure, ground.now));
  return messageOf(
    {
      raised,
      ended: flags("ended").filter(
        ({ flag, site }) =>
          flag.status === "resolved" &&
          wasTold(db).first(flag.chain.first, row.channel) !== undefined &&
          !isAnyOpen(db, row.channel, site),
      ),
      failing: told("failing", false),
      recovered: told("recovered", true),
      near: (site) => nearestTo(db, site, raised),
    },
    ground,
  );
}

/** The last change before what the first flag of a site is about, of its site or of every site. */
function nearestTo(db: Db, site: string, flags: readonly ToldFlag[]) {
  const flag = flags.find((one) => one.site === site)?.flag;
  if (flag === undefined) return undefined;
  const since = Date.parse(flag.chain.since);
  const { from } = (flag.rule_inputs?.["observed"] ?? {}) as { readonly from?: unknown };
  const day = typeof from === "string" ? Math.min(Date.parse(from), since) : since;
  return listBetween(db, site, day - NEAR_MS, since, 1)[0];
}

/** The flags that a delivery is about, before it is written down. */
export const flagsOf = (db: Db, id: string): ChainedFlag[] =>
  itemsOf(db, id).flatMap(({ thing }) => findLastOfChain(db, thing) ?? []);

/** A service with channels, without their senders: what would be sent is collected, or answered as a test says. */

import type { Deps } from "../../src/app/app.ts";
import type { AssetId } from "../../src/base/contract.ts";
import type { NewFlag } from "../../src/flags/flags.ts";
import { findPredecessor, renewalOf } from "../../src/flags/reconcile.ts";
import { insertOpenFlag, markRenewed, resolveFlag } from "../../src/flags/store.ts";
import type { ChannelRules, Notice, Sent } from "../../src/notices/channel_settings.ts";
import { type Channel, putChannelRow } from "../../src/notices/channels.ts";
import { type NoticeDeps, runNotices } from "../../src/notices/notices.ts";
import { listNotices, type NoticeFilter } from "../../src/notices/outbox.ts";
import { ensureAssets } from "../../src/sites/site_changes.ts";
import { FakeClock } from "../support/clock.ts";
import { PROXY, type TestTower, testTower } from "../support/test_tower.ts";

export const RULES: ChannelRules = {
  severity: "warn",
  sites: null,
  group: null,
  quiet: null,
  zone: "UTC",
  digest: null,
  resolved: false,
  heartbeat: false,
};

export interface Arrived {
  readonly channel: string;
  readonly notice: Notice;
}

/** Adds a channel that leads nowhere. */
export function ensureChannel(
  { writer, clock }: Pick<Deps, "writer" | "clock">,
  id: string,
  rules: Partial<ChannelRules>,
  kind: Channel["kind"],
): Promise<void> {
  return writer.write((tx) =>
    putChannelRow(tx, {
      id,
      name: id,
      kind,
      edit_revision: 1,
      connection_revision: `${id}-1`,
      key_id: "",
      sealed: "",
      rules: { ...RULES, ...rules },
      added_at: clock.now(),
      changed_at: clock.now(),
      paused_at: null,
      removed_at: null,
    }),
  );
}

/** Runs the job once, with an answer in place of each channel's other side. */
export function runOnce(
  deps: NoticeDeps,
  answer: (channel: Channel, notice: Notice) => Sent,
  took: (arrived: Arrived) => void,
): Promise<void> {
  return runNotices(deps, new AbortController().signal, async (channel, notice) => {
    const sent = answer(channel, notice);
    if (sent.ok) took({ channel: channel.id, notice });
    return sent;
  });
}

export interface NoticeWorld extends AsyncDisposable {
  readonly tower: TestTower;
  readonly clock: FakeClock;
  readonly arrived: Arrived[];
  /** What the other side answers; a receipt where a test says nothing. */
  answer: (channel: Channel, notice: Notice) => Sent;
  channel(id: string, rules?: Partial<ChannelRules>, kind?: Channel["kind"]): Promise<void>;
  pause(id: string, paused: boolean): Promise<void>;
  raise(flag: Partial<NewFlag> & { readonly asset: string }, renews?: string): Promise<string>;
  resolve(id: string, resolution?: string, renewedBy?: string): Promise<void>;
  /** Lets a run of the job pass: subjects that arrived with it. */
  run(): Promise<string[]>;
  stored(filter?: NoticeFilter): ReturnType<typeof listNotices>;
}

export async function noticeWorld(
  at = "2026-11-20T12:00:00Z",
  settings: Readonly<Record<string, string>> = { TOWER_PUBLIC_URL: "https://tower.example.org" },
): Promise<NoticeWorld> {
  const clock = new FakeClock(at);
  const tower = await testTower({ ground: { clock }, settings: { ...PROXY, ...settings } });
  const { deps } = tower;
  const sites = ["a.example", "b.example", "c.example"] as AssetId[];
  await deps.writer.write((tx) => ensureAssets(tx, sites, { actor: "test", now: clock.now() }));
  const arrived: Arrived[] = [];
  let flags = 0;
  const world: NoticeWorld = {
    tower,
    clock,
    arrived,
    answer: () => ({ ok: true, receipt: "200" }),
    channel: (id, rules = {}, kind = "webhook") => ensureChannel(deps, id, rules, kind),
    pause: (id, paused) =>
      deps.writer.write((tx) => {
        const sql = "UPDATE channel SET paused_at = ? WHERE id = ?";
        deps.store.raw.run(sql, [paused ? clock.now() : null, id]);
        return void tx;
      }),
    raise: (flag, renews) => {
      const id = `flag-${++flags}`;
      return deps.writer.write((tx) => {
        const before = renews === undefined ? undefined : findPredecessor(tx, renews);
        const severity = flag.severity ?? "warn";
        insertOpenFlag(
          tx,
          id,
          {
            rule: null,
            source: null,
            subject: id,
            origin: "site",
            kind: "anomaly",
            metric: null,
            message: `${flag.asset} is odd`,
            rule_inputs: null,
            ...flag,
            severity,
            asset: flag.asset as AssetId,
          },
          clock.now(),
          "rule",
          before === undefined ? undefined : renewalOf(before, severity, clock.now()),
        );
        if (before?.renewed_by === null) markRenewed(tx, before.id, id, clock.now(), "rule");
        return id;
      });
    },
    resolve: (id, resolution = "cleared", renewedBy) =>
      deps.writer.write((tx) => resolveFlag(tx, id, resolution, clock.now(), "rule", renewedBy ?? null)),
    run: async () => {
      const before = arrived.length;
      await runOnce(deps, world.answer, (one) => arrived.push(one));
      return arrived.slice(before).map(({ notice }) => notice.subject);
    },
    stored: (filter = {}) => listNotices(deps.store.db, filter, 500),
    [Symbol.asyncDispose]: () => tower.close(),
  };
  return world;
}

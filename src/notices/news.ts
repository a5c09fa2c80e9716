/** News of flags and of failing integrations, read from what is stored: what messages are made of. */

import type { Config } from "../base/config.ts";
import type { ChainedFlag } from "../flags/flags.ts";
import { findLastOfChain, listFlagsById } from "../flags/queries.ts";
import { isSnoozed } from "../flags/snoozes.ts";
import type { FlagStep } from "../flags/store.ts";
import { siteOf } from "../integrations/attention.ts";
import { healthWithAccounts, unsureIn } from "../integrations/attention_reader.ts";
import { causesOf, endOfCause, type Health } from "../integrations/causes.ts";
import type { HealthReader } from "../integrations/reader.ts";
import { listBetween } from "../sites/annotations.ts";
import { listPortfolio } from "../sites/sites.ts";
import type { Db, Tx } from "../store/store.ts";
import type { Notice } from "./channel_settings.ts";
import { type Ground, messageOf, type ToldFlag } from "./notice_text.ts";
import { isAnyOpen, itemsOf, listCauses, putCause, type StoredNotice, wasTold } from "./outbox.ts";
import { type CauseNews, type Item, type News, type Raised, severityRank } from "./plan.ts";

export interface GatherDeps {
  readonly store: { readonly db: Db };
  readonly config: Config;
  readonly health: Pick<HealthReader, "read">;
}

const DAY_MS = 86_400_000;
/** A change so long before a flagged day is named beside it. */
const NEAR_MS = 3 * DAY_MS;

export const healthIn = ({ store, health }: Pick<GatherDeps, "store" | "health">, now: number): Health =>
  healthWithAccounts(store.db, health.read(now));

export function groupsIn(db: Db): (site: string) => string | null {
  const groups = new Map(listPortfolio(db).map(({ id, group }) => [id, group]));
  return (site) => groups.get(site) ?? null;
}

/** A flag about a site that stands on Tower's own asset is told under the site. */
export const toldFlag = (flag: ChainedFlag): ToldFlag => ({
  site: siteOf(flag),
  flag,
});

const isPressing = (flag: ChainedFlag, unsure: ReadonlySet<string>, now: number): boolean =>
  flag.status === "open" && !isPutAway(flag, now) && !unsure.has(flag.id);

export function isPutAway(flag: ChainedFlag, now: number): boolean {
  return flag.acked_at !== null || isSnoozed(flag, now);
}

export function flagNews(db: Db, steps: readonly FlagStep[], now: number): Omit<News, "causes"> {
  const found = listFlagsById(db, [...new Set(steps.map(({ flag }) => flag))]);
  const flags = new Map(found.map((one) => [one.id, one]));
  const unsure = steps.length === 0 ? new Set<string>() : unsureIn(db);
  const raised: Raised[] = [];
  const resolved: string[] = [];
  for (const { type, flag: id, severityBefore } of steps) {
    const flag = flags.get(id);
    if (flag === undefined) continue;
    const { severity, chain } = flag;
    const { site } = toldFlag(flag);
    if (type === "resolved" && chain.renewed_by === null) resolved.push(site);
    if (type === "resolved") continue;
    const isWorse = severityBefore !== null && severityRank(severity) > severityRank(severityBefore);
    const isTold = isPressing(flag, unsure, now);
    raised.push({ chain: chain.first, since: Date.parse(chain.since), site, severity, isWorse, isTold });
  }
  return { raised, resolved };
}

/** The causes that began or ended to be told since the last look; what is known of them is written down. */
export function causeNews(
  tx: Tx,
  health: Health,
  channelWith: (target: string) => string | undefined,
  now: number,
): CauseNews[] {
  const lasting = listCauses(tx).filter(({ ended_at }) => ended_at === null);
  const begun = causesOf(health, now).filter(
    ({ key, isTold }) => isTold && !lasting.some(({ cause }) => cause === key),
  );
  return [
    ...begun.map(({ key: cause, words, action, assets, target }) => {
      putCause(tx, { cause, ended_at: null, told: { words, action, assets } });
      return { cause, isOver: false, assets, channel: target && channelWith(target) };
    }),
    ...lasting.flatMap(({ cause, told }) => {
      const end = endOfCause(cause, health);
      if (end !== undefined) putCause(tx, { cause, told, ended_at: now });
      return end === "works" ? [{ cause, isOver: true, assets: told.assets }] : [];
    }),
  ];
}

/** What a delivery says now; undefined where nothing is left to say. */
export function contentOf(db: Db, row: StoredNotice, ground: Ground): Notice | undefined {
  const items = itemsOf(db, row.id);
  const things = (what: Item["what"]) => items.flatMap((item) => (item.what === what ? [item.thing] : []));
  const flags = (what: Item["what"]) =>
    things(what)
      .flatMap((chain) => findLastOfChain(db, chain) ?? [])
      .map(toldFlag);
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
      heldSince: row.attempts === 0 && row.due_at > row.created_at ? row.created_at : undefined,
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

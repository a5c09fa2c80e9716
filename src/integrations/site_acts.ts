/** Removing a site of which nothing is stored. */

import type { By } from "../access/access.ts";
import { auditAct } from "../access/audit.ts";
import { listFlags } from "../flags/queries.ts";
import { capabilityOf } from "../health/catalogue.ts";
import { endFailures } from "../health/monitoring.ts";
import { endPauses, type PauseKey, pause, resume } from "../health/pauses.ts";
import { forgetRefusals } from "../health/refusals.ts";
import { listLedger } from "../ledger/ledger.ts";
import { detachSite } from "../providers/properties.ts";
import { hasCodebaseReport } from "../reports/codebase.ts";
import { hasNightlyReport } from "../reports/pulse.ts";
import { type FreshnessDeps, judgeSites } from "../rules/freshness.ts";
import { listPanels, removePanels } from "../signals/panels.ts";
import { listTokens, type SiteTokenBook } from "../sites/site_tokens.ts";
import { deleteAsset, findAsset } from "../sites/sites.ts";
import type { Core } from "../store/core.ts";
import type { Db, Tx } from "../store/store.ts";

/** Why a site cannot be removed. */
export type RemovalBar =
  /** There is none. */
  | "missing"
  /** Tower's own site. */
  | "service"
  /** `ASSET_TOKENS` names it: the next start would add it again. */
  | "setting"
  /** It has sent something, which is never erased. */
  | "stored";

/** Why a site that is there cannot be removed; undefined where it can. */
export function siteBar(
  db: Db,
  asset: string,
  { siteTokens, config }: Pick<SiteRemovalDeps, "siteTokens" | "config">,
): RemovalBar | undefined {
  if (asset === config.serviceAsset) return "service";
  // Where both hold, taking it out of the setting would not help.
  if (isStored(db, asset)) return "stored";
  return siteTokens.named().some((named) => named.asset === asset) ? "setting" : undefined;
}

interface SiteRemovalDeps extends Core {
  readonly siteTokens: SiteTokenBook;
}

/**
 * Takes a site that was a mistake out of the portfolio, with its tokens: only one of which nothing is stored, history stays. What is posted
 * for it on the timeline stays, as of no site, and so does what was asked and sent for it: attempts and the health of them are a record of
 * what happened, which no view shows for a site that is not there.
 */
export async function removeSite(deps: SiteRemovalDeps, asset: string, by: By) {
  const removed = await deps.writer.write((tx) => {
    const known = findAsset(tx, asset);
    if (known === undefined) return "missing";
    const bar = siteBar(tx, asset, deps);
    if (bar !== undefined) return bar;
    const inForce = listTokens(tx, { asset });
    for (const { id } of inForce) auditAct(tx, by, "token.revoke", asset, { id });
    forgetRefusals(tx, asset);
    detachSite(tx, asset, by);
    removePanels(tx, listPanels(tx, asset), by);
    endPauses(tx, asset, by);
    endFailures(tx, { kind: "recorder", asset }, by.now);
    deleteAsset(tx, asset);
    const { url, lifecycle } = known;
    const revokedTokens = inForce.map(({ id }) => id);
    auditAct(tx, by, "asset.remove", asset, { url, lifecycle, revoked: revokedTokens });
    return { revokedTokens, digests: inForce.map(({ digest }) => digest) };
  });
  if (typeof removed === "string") return { ok: false, bar: removed } as const;
  for (const digest of removed.digests) deps.siteTokens.remove(digest);
  deps.siteTokens.forgetSite(asset);
  return { ok: true, revokedTokens: removed.revokedTokens } as const;
}

/** Why a site stays, in a sentence; what can be done instead is said by whoever asks. */
export function barWords(bar: RemovalBar, asset: string): string {
  return {
    missing: `There is no site ${asset}.`,
    service: `${asset} is Tower's own site (SERVICE_ASSET): it holds the flags about Tower itself.`,
    setting: `${asset} is named in ASSET_TOKENS: the next start would add it again. Take it out there first.`,
    stored: `${asset} has reported or has ledger rows, which are never erased.`,
  }[bar];
}

function isStored(db: Db, asset: string): boolean {
  return (
    hasNightlyReport(db, { site: asset, except: "" }) ||
    hasCodebaseReport(db, { site: asset, except: "" }) ||
    listFlags(db, { asset }, 1).length > 0 ||
    listLedger(db, { asset }, 1).length > 0
  );
}

// Pausing and resuming what operators may: what is asked of providers, and all of a site.

/** What pausing works with: a site's silence is judged by whether it is paused. */
export type PauseDeps = FreshnessDeps;

/** Why something cannot be paused. */
export type PauseBar =
  /** Neither a capability nor a site is named. */
  | "nothing"
  | "no_capability"
  /** It is sent and not asked, or it is a check that an operator asks for. */
  | "not_pausable"
  | "no_site"
  /** Nothing of a retired site is asked. */
  | "retired"
  /** Tower's own. */
  | "own_site";

/**
 * Pauses a capability of one site, of every site (asset ''), or all of one site (capability ''), until a moment that lies ahead or until
 * it is resumed (null). What is open about a site's silence ends with it.
 */
export async function pauseAsked(
  deps: PauseDeps,
  asked: PauseKey & { readonly until: number | null },
  by: By,
) {
  const result = await deps.writer.write((tx) => {
    const why = barOf(tx, asked, deps.config.serviceAsset);
    if (why !== undefined) return { ok: false, why } as const;
    return { ok: true, did: pause(tx, asked, by) } as const;
  });
  if (result.ok && asked.capability === "") await judgeSites(deps);
  return result;
}

/** Ends a pause; false where nothing is paused by it any more. A site's silence is judged at once, as if it never had been paused. */
export async function resumeAsked(deps: PauseDeps, key: PauseKey, by: By): Promise<boolean> {
  const ended = await deps.writer.write((tx) => resume(tx, key, by));
  if (ended !== undefined && key.capability === "") await judgeSites(deps);
  return ended !== undefined;
}

function barOf(tx: Tx, { capability, asset }: PauseKey, serviceAsset: string): PauseBar | undefined {
  if (capability === "" && asset === "") return "nothing";
  if (capability !== "") {
    const known = capabilityOf(capability);
    if (known === undefined) return "no_capability";
    if (!known.pausable) return "not_pausable";
  }
  if (asset === "") return undefined;
  if (asset === serviceAsset) return "own_site";
  const site = findAsset(tx, asset);
  if (site === undefined) return "no_site";
  return site.lifecycle === "retired" ? "retired" : undefined;
}

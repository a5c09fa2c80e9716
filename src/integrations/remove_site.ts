/** Removing a site of which nothing is stored. */

import { listFlags } from "../flags/queries.ts";
import { endFailures } from "../health/monitoring.ts";
import { endPauses } from "../health/pauses.ts";
import { forgetRefusals } from "../health/refusals_store.ts";
import { listLedger } from "../ledger/ledger.ts";
import { detachSite } from "../providers/attachments.ts";
import { hasCodebaseReport } from "../reports/codebase.ts";
import { hasNightlyReport } from "../reports/pulse.ts";
import { listPanels, removePanels } from "../signals/panels.ts";
import {
  type RemovalBar,
  type RemoveAssetResult,
  removalBar,
  removeAsset,
  type SiteTokenBook,
} from "../sites/site_tokens.ts";
import type { Db, Tx } from "../store/store.ts";
import type { Writer } from "../store/writer.ts";

export interface SiteRemovalDeps {
  readonly siteTokens: SiteTokenBook;
  readonly config: { readonly serviceAsset: string };
}

/** Why a site that is there cannot be removed; undefined where it can. */
export function siteBar(db: Db, asset: string, deps: SiteRemovalDeps): RemovalBar | undefined {
  return removalBar(db, asset, { ...deps, isStored, forget: forgetRefusals });
}

/**
 * Removes a site of which nothing is stored, with its tokens. What is posted for it on the timeline stays, as of no site, and so does what
 * was asked and sent for it: attempts and the health of them are a record of what happened, which no view shows for a site that is not there.
 */
export function removeSite(
  deps: SiteRemovalDeps & { readonly writer: Writer },
  asset: string,
  by: { readonly actor: string; readonly now: number },
): Promise<RemoveAssetResult> {
  const forget = (tx: Tx, gone: string) => {
    forgetRefusals(tx, gone);
    detachSite(tx, gone, by);
    removePanels(tx, listPanels(tx, gone), by);
    endPauses(tx, gone, by);
    endFailures(tx, { kind: "recorder", asset: gone }, by.now);
  };
  return removeAsset({ ...deps, isStored, forget }, asset, by);
}

/** Why a site stays, in a sentence; what can be done instead is said by whoever asks. */
export function barWords(bar: RemovalBar, asset: string): string {
  return {
    missing: `There is no site ${asset}.`,
    service: `${asset} is Tower's own site (SERVICE_ASSET): its flags tell of the service itself.`,
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

/** The portfolio: sites, their declared metric families and their tokens. Only digests of tokens are kept. */
export { addAsset, ensureAssets } from "./add.ts";
export { assertOwnAsset, assertStillSite } from "./authorize.ts";
export { type AssetChange, changeAsset } from "./change.ts";
export { AskedAssetSchema, NewAssetSchema } from "./contract.ts";
export { listGroups, type SiteGroup } from "./group_store.ts";
export { nearSites } from "./near.ts";
export { assetReads, LIST_ASSETS } from "./read_routes.ts";
export { type RemovalBar, type RemoveAssetResult, removalBar, removeAsset } from "./remove.ts";
export { type ReportFilter, type ReportReadDeps, reportList, reportReads } from "./report_read_routes.ts";
export { assertWithinRate, fromKnownSite, type ReportSenderDeps, SENDER_REFUSALS } from "./report_sender.ts";
export { SendRates, type SentBefore, type SentToday } from "./send_rate.ts";
export {
  findAsset,
  hasAsset,
  isRetired,
  listAllAssets,
  listLiveSites,
  listPlacedSites,
  listPortfolio,
  listSites,
  type PlacedSite,
  type Site,
} from "./store.ts";
export {
  issueSiteToken,
  type KnownToken,
  listTokens,
  loadTokenBook,
  namedTokenId,
  revokeSiteToken,
  SiteTokenBook,
  settingTokenUses,
} from "./tokens.ts";

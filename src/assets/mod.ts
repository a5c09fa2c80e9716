/** The portfolio: sites, their declared metric families and their tokens. Only digests of tokens are kept. */
export { type AddAssetResult, addAsset, ensureAssets } from "./add.ts";
export { assertOwnAsset, authorizeSite } from "./authorize.ts";
export { type AssetChange, type ChangeAssetResult, type ChangedBy, changeAsset } from "./change.ts";
export {
  type AskedAsset,
  AskedAssetSchema,
  type Asset,
  type Family,
  LIFECYCLES,
  type Lifecycle,
  type NewAsset,
  NewAssetSchema,
  STORAGE_KINDS,
  type StorageKind,
} from "./contract.ts";
export { assetReads, LIST_ASSETS } from "./read_routes.ts";
export { type ReportFilter, type ReportReadDeps, reportList, reportReads } from "./report_read_routes.ts";
export { fromKnownSite, type ReportSenderDeps, SENDER_REFUSALS } from "./report_sender.ts";
export { type SendRate, SendRates } from "./send_rate.ts";
export {
  type AssetCursor,
  findAsset,
  hasAsset,
  type IssuedToken,
  isRetired,
  listAllAssets,
  listAssets,
  listSites,
  listTokens,
  settingTokenUses,
} from "./store.ts";
export { type KnownToken, SiteTokenBook } from "./token_book.ts";
export { flushTokenUses, issueSiteToken, loadTokenBook, revokeSiteToken } from "./tokens.ts";

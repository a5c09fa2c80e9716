/** The audit: every act that changes something, appended in the act's own transaction and chained by hashes. */
export { anchorAudit } from "./anchor.ts";
export { appendAudit } from "./append.ts";
export type { AuditRow } from "./chain.ts";
export type { AuditDetail } from "./detail.ts";
export { keyAudit } from "./origin.ts";
export { listRecentActs } from "./recent_store.ts";
export { listActs, listNewest as listAudit } from "./store.ts";
export { verifyChain } from "./verify.ts";

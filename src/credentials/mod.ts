/** The accounts that an operator gives Tower: sealed in the database, with the properties they give access to and whose those are. */
export { listAttachments, listAttachmentsOf } from "./attachment_store.ts";
export { Credentials } from "./credentials.ts";
export { hostKey } from "./match_site.ts";
export { listProperties } from "./property_store.ts";
export { findConnection } from "./store.ts";
export { suggestAttachments } from "./suggest.ts";

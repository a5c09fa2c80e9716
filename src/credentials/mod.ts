/** The accounts that an operator gives Tower: sealed in the database, with the properties they give access to and whose those are. */
export { addCredential } from "./add.ts";
export { attachProperty, detachNow, detachProperty, detachSite } from "./attach.ts";
export {
  findDetachment,
  listAttachments,
  listAttachmentsOf,
  listAttachmentsWith,
  listDetachments,
  listStoredAttachments,
  type StoredAttachment,
} from "./attachment_store.ts";
export { credentialFaults } from "./check.ts";
export { Credentials } from "./credentials.ts";
export { readCredentialFile } from "./given_file.ts";
export {
  findProperty,
  listProperties,
  listUsable,
  readPropertyId,
  replaceProperties,
  type UsableProperty,
} from "./property_store.ts";
export { forgetDetachment, type Removed, removeCredential } from "./remove.ts";
export { renameCredential } from "./rename.ts";
export { replaceCredential } from "./replace.ts";
export { rotateKey } from "./rotate.ts";
export { loseTexts, openText, sealText } from "./sealed_texts.ts";
export { findConnection, findCredential, findFirstOfKind, listCredentials, loseSecrets } from "./store.ts";
export { hostKey, suggestAttachments } from "./suggest.ts";
export { takeUpCredentials } from "./take_up.ts";
export { trapsBehind, trapsOf } from "./traps.ts";

/** Where the bytes of the archive lie. */
export { ObjectMissing } from "./contract.ts";
export { StoreFault, type StoreFaultKind } from "./fault.ts";
export { isObjectName } from "./names.ts";
export { openObjectStore } from "./open.ts";
export { type WholeObject, wholeObject } from "./verified.ts";
export { gunzipped, unpackedFile, verifyObject } from "./verify.ts";
export { archiveWarnings } from "./warnings.ts";

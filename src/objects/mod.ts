/** Where the bytes of the archive lie. */
export { ObjectMissing } from "./contract.ts";
export { StoreFault } from "./fault.ts";
export { isObjectName, pathOfObject } from "./names.ts";
export { openObjectStore } from "./open.ts";
export { gunzipped, verifyObject } from "./verify.ts";
export { archiveWarnings } from "./warnings.ts";

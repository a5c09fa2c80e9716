/** Where the bytes of the archive lie. */
export { longestMsFor, readObject } from "./bounded.ts";
export { StoreFault, type StoreFaultKind } from "./fault.ts";
export { isObjectName, pathOfObject } from "./names.ts";
export { openObjectStore } from "./open.ts";
export { type WholeObject, wholeObject } from "./verified.ts";
export { unpackedFile, verifyFile, verifyObject } from "./verify.ts";
export { archiveWarnings } from "./warnings.ts";

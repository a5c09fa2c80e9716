/** Checking everything that is stored; reads only. */
export { checkContents, checkEverything, checkFile, type Finding } from "./everything.ts";
export { checkOnWorker } from "./on_worker.ts";

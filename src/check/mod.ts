/** Checking everything that is stored; reads only. */
export { checkEverything, type Finding } from "./everything.ts";

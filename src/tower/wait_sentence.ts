/** What whoever tried too often is told. */
import { countWords } from "../lib/plural.ts";
import type { PageOptions } from "./respond.ts";

/** "Too many tries. The next one is heard in 4 minutes." */
export function waitSentence(seconds: number): string {
  return `Too many tries. The next one is heard in ${secondsInWords(seconds)}.`;
}

/** How the page that says so is answered. */
export function asTooMany(seconds: number): PageOptions {
  return { status: 429, headers: { "retry-after": String(seconds) } };
}

/** "1 second", "2 seconds", "4 minutes". */
function secondsInWords(seconds: number): string {
  return seconds < 120 ? countWords(seconds, "second") : countWords(Math.ceil(seconds / 60), "minute");
}

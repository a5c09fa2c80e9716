/** What of a report the contract does not know, as its row keeps it: pointers into what was sent, of very many the first. */

import { shortText } from "../base/text.ts";

const MOST = 50;
const LONGEST = 200;

/** What was left out of a report when it was stored. */
export interface Ignored {
  readonly pointers: readonly string[];
  /** How many there were beyond those. */
  readonly more: number;
}

/** As the column holds it: how many are not listed, then those that are; null where nothing was left out. */
export function keptIgnored(pointers: readonly string[]): string | null {
  if (pointers.length === 0) return null;
  const listed = pointers.slice(0, MOST).map((pointer) => shortText(pointer, LONGEST));
  return JSON.stringify([pointers.length - listed.length, ...listed]);
}

/** What a row says was left out; null where nothing was. */
export function readIgnored(kept: string | null): Ignored | null {
  if (kept === null) return null;
  const [more, ...pointers] = JSON.parse(kept) as [number, ...string[]];
  return { pointers, more };
}

/** What verifying the archive came to, in lines for a terminal. */

import { byteWords, countText, countWords } from "../base/text.ts";
import type { ObjectFault } from "../store/objects.ts";
import type { Verification, WrongObject } from "./manifest_copy.ts";

/** What is wrong with an object, as the rest of a sentence that begins with it. */
export const FAULT_WORDS: Readonly<Record<ObjectFault, string>> = {
  missing: "is missing",
  length: "is not as long as it was stored",
  stored_digest: "was changed around what it holds",
  unreadable: "cannot be read",
  digest: "does not hold what it is named for",
};

/** What is wrong, one line each; empty where nothing is. */
export function faultLines({ wrong, damaged, copies, unnamed }: Verification): string[] {
  const more = damaged - wrong.length;
  return [
    ...wrong.map(lineOf),
    ...(more > 0 ? [`and ${countWords(more, "more object")} like these`] : []),
    ...copies.map(({ name, fault }) => {
      const is = fault === "stored_digest" ? "was changed" : FAULT_WORDS[fault];
      return `${name} ${is}: the next run of the archive writes it again`;
    }),
    ...unnamed.map((id) => `row ${id} of the manifest names an object that has no row`),
  ];
}

function lineOf({ sha256, fault, reports, isOfMore }: WrongObject): string {
  const named = reports.map(({ asset, provider, family, date }) => `${asset} ${provider} ${family} ${date}`);
  const of = named.length === 0 ? "" : `: ${named.join(", ")}${isOfMore ? " and others" : ""}`;
  return `object ${sha256} ${FAULT_WORDS[fault]}${of}`;
}

/** What is worth knowing and no fault. */
export function noteLines({ orphans, halfWritten }: Verification): string[] {
  return [
    ...(orphans === 0 ? [] : [`${countWords(orphans, "object")} that no row of the manifest names`]),
    ...halfWritten.map((path) => `half-written, and read by nobody: ${path}`),
  ];
}

/** How much was read, in a sentence. */
export function readWords({ objects, storedBytes }: Verification): string {
  return `${countText(objects)} ${objects === 1 ? "object" : "objects"} read, ${byteWords(storedBytes)}`;
}

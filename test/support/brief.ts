import { createHash } from "node:crypto";

/**
 * A text as it is recorded; one that is long is known by its beginning, its length and its digest. Of fractions nine places are kept:
 * the last ones are the machine's.
 */
export function brief(given: string, most = 400): string {
  const text = given.replaceAll(/(\.\d{9})\d+/g, "$1");
  if (text.length <= most) return text;
  return `${text.slice(0, most)}… ${text.length} ${createHash("sha256").update(text).digest("hex").slice(0, 12)}`;
}

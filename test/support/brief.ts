import { createHash } from "node:crypto";

/** A text as it is recorded; one that is long is known by its beginning, its length and its digest. */
export function brief(text: string, most = 400): string {
  if (text.length <= most) return text;
  return `${text.slice(0, most)}… ${text.length} ${createHash("sha256").update(text).digest("hex").slice(0, 12)}`;
}

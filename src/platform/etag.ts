/** Answers that a reader may keep, and asks again whether they still are what they were. */
import { sha256Hex } from "../lib/digest.ts";

/** The tag of a text. Weak: what is answered may be compressed, or leave out what does not count. */
export function tagOf(text: string): string {
  return `W/"${sha256Hex(text).slice(0, 32)}"`;
}

/** Whether an `If-None-Match` header names the tag. */
export function matches(header: string | null, etag: string): boolean {
  return header?.split(",").some((tag) => tag.trim() === etag || tag.trim() === "*") === true;
}

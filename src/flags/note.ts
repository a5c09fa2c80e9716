/** Longest note in code points. */

import { codePoints } from "../base/contract.ts";

export const MAX_NOTE = 2_000;

// Line ends and tabs are kept: a note may have paragraphs.
const FORBIDDEN = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]/;

/** A note, or what is wrong with it. */
export type Note =
  | { readonly ok: true; readonly text: string }
  | { readonly ok: false; readonly message: string };

/** Reads an operator's note: some text, at most 2,000 characters, without control characters. */
export function readNote(sent: string | null): Note {
  const text = (sent ?? "").replaceAll("\r\n", "\n").trim();
  if (text === "") return { ok: false, message: "Write something first." };
  if (codePoints(text) > MAX_NOTE) return { ok: false, message: "At most 2,000 characters." };
  if (FORBIDDEN.test(text) || !text.isWellFormed())
    return { ok: false, message: "It holds characters that are not text." };
  return { ok: true, text };
}

import type { Problem } from "./problem.ts";

/** A document's bytes as text; when they are no UTF-8, the text has marks in place of what could not be read. */
export type Decoded =
  | { readonly ok: true; readonly text: string }
  | { readonly ok: false; readonly text: string; readonly problem: Problem };

/** Reads bytes as UTF-8. A byte-order mark stays, so that the text still has the bytes' digest. */
export function decodeDocument(bytes: Uint8Array): Decoded {
  try {
    return { ok: true, text: new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes) };
  } catch {
    const text = new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
    const problem = { line: brokenLine(bytes), key: "", rule: "utf-8", message: "must be UTF-8 text" };
    return { ok: false, text, problem };
  }
}

/** A line feed is never part of another UTF-8 sequence, so lines can be judged one by one. */
function brokenLine(bytes: Uint8Array): number {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  let line = 1;
  for (let start = 0; start < bytes.length; line++) {
    const found = bytes.indexOf(0x0a, start);
    const end = found < 0 ? bytes.length : found + 1;
    try {
      decoder.decode(bytes.subarray(start, end));
    } catch {
      return line;
    }
    start = end;
  }
  return line;
}

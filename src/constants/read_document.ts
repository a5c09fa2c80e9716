import { sha256Hex } from "../lib/digest.ts";
import type { FileFacts, Files } from "../platform/files.ts";
import { type Constants, MAX_DOCUMENT_BYTES } from "./contract.ts";
import { decodeDocument } from "./decode.ts";
import { parseConstants } from "./parse.ts";
import type { Problem } from "./problem.ts";

/** A text that may take effect. */
export interface GoodDocument {
  readonly text: string;
  /** SHA-256 of the bytes, in lower-case hexadecimal. */
  readonly digest: string;
  readonly constants: Constants;
}

/** Why a file may not take effect. */
export interface Refusal {
  readonly reason: "invalid" | "missing" | "unreadable";
  readonly problems: readonly Problem[];
  /** Problems beyond those named. */
  readonly more: number;
}

/** A file's bytes with what tells whether it changed since. */
export interface FoundFile {
  readonly facts: FileFacts;
  readonly bytes: Uint8Array;
  readonly digest: string;
}

export type Finding = { readonly found: FoundFile } | { readonly refusal: Refusal };

/** Reads the file unless `unchanged` knows its facts; then the answer is `undefined`. */
export async function findDocument(
  files: Files,
  path: string,
  unchanged: (facts: FileFacts) => boolean,
): Promise<Finding | undefined> {
  try {
    const facts = await files.facts(path);
    if (facts === undefined) return refusal("missing", "is missing");
    if (unchanged(facts)) return undefined;
    const bytes = await files.read(path, MAX_DOCUMENT_BYTES + 1);
    return { found: { facts, bytes, digest: sha256Hex(bytes) } };
  } catch {
    return refusal("unreadable", "cannot be read");
  }
}

function refusal(reason: "missing" | "unreadable", state: string): Finding {
  return {
    refusal: {
      reason,
      problems: [{ line: 1, key: "", rule: reason, message: `the file ${state}` }],
      more: 0,
    },
  };
}

const BARE: Problem = {
  line: 1,
  key: "",
  rule: "empty",
  message:
    "must set something: comments alone take every threshold back to its default, as a file that was cut short would; to mean it, save it in the Tower or keep one table, such as [freshness]",
};

export type Judgement =
  | { readonly ok: true; readonly good: GoodDocument }
  | { readonly ok: false; readonly text: string; readonly refusal: Refusal };

/**
 * Judges a file's bytes. A file of comments alone is taken only when it is the version `inEffect` already, as after a save in the
 * Tower, which shows what falls away before: a file that was cut short looks just the same.
 */
export function judgeDocument(
  { bytes, digest }: Pick<FoundFile, "bytes" | "digest">,
  inEffect: string | undefined,
): Judgement {
  const decoded = decodeDocument(bytes);
  if (!decoded.ok) {
    return {
      ok: false,
      text: decoded.text,
      refusal: { reason: "invalid", problems: [decoded.problem], more: 0 },
    };
  }
  const { text } = decoded;
  const parsed = parseConstants(text);
  if (parsed.ok && parsed.isBare && digest !== inEffect) {
    return { ok: false, text, refusal: { reason: "invalid", problems: [BARE], more: 0 } };
  }
  return parsed.ok
    ? { ok: true, good: { text, digest, constants: parsed.constants } }
    : { ok: false, text, refusal: { reason: "invalid", problems: parsed.problems, more: parsed.more } };
}

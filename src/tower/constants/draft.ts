/** What an operator's text would change, judged before anything is saved: pure, from texts alone. */
import {
  type DifferenceHunk,
  type DocumentOnDisk,
  lineDifference,
  type Problem,
  parseConstants,
} from "../../constants/mod.ts";
import { sha256Hex } from "../../lib/digest.ts";

/** A text in the editor, and where it stands. */
export interface Draft {
  /** With plain line ends, as a form shows it. */
  readonly text: string;
  /** Digest of the document it was made from: what saving expects to find. */
  readonly digest: string;
  readonly standing: DraftState;
  readonly note: DraftNote;
}

/** What the page says before the difference. */
export interface DraftNote {
  readonly because?: "conflict" | "edited-since" | "restored";
  /** What another author changed meanwhile, where the document before is known. */
  readonly meanwhile?: readonly DifferenceHunk[] | undefined;
}

export type DraftState =
  /** As it is on disk: nothing to judge. */
  | { readonly state: "untouched" }
  /** It differs in no line from what is in effect. */
  | { readonly state: "unchanged" }
  | { readonly state: "invalid"; readonly problems: readonly Problem[]; readonly more: number }
  | {
      readonly state: "pending";
      /** From the text in effect to this one. */
      readonly hunks: readonly DifferenceHunk[];
      /** Digest of this text: the confirming form sends it, so that only what was shown is saved. */
      readonly shown: string;
    };

/** The document a draft is made on. */
export interface Ground {
  readonly document: DocumentOnDisk;
  /** Of the version in effect; the document differs from it while it has a mistake. */
  readonly textInEffect: string;
}

/** The text as it stands on disk. */
export function untouched({ document }: Ground): Draft {
  const text = plainLines(document.text);
  return { text, digest: document.digest, standing: { state: "untouched" }, note: {} };
}

/** Judges a text against the document on disk and the text in effect. */
export function judgeDraft(text: string, ground: Ground, note: DraftNote = {}): Draft {
  const plain = plainLines(text);
  return { text: plain, digest: ground.document.digest, standing: standingOf(plain, ground), note };
}

function standingOf(text: string, { document, textInEffect }: Ground): DraftState {
  const parsed = parseConstants(text);
  if (!parsed.ok) return { state: "invalid", problems: parsed.problems, more: parsed.more };
  const hunks = lineDifference(textInEffect, text);
  const mends = plainLines(document.text) !== plainLines(textInEffect);
  if (hunks.length === 0 && !mends) return { state: "unchanged" };
  return { state: "pending", hunks, shown: shownDigest(text) };
}

/** What a confirming form sends to say which text it was shown. */
export function shownDigest(text: string): string {
  return sha256Hex(plainLines(text));
}

/** A form sends CRLF whatever it was given. */
function plainLines(text: string): string {
  return text.replaceAll("\r\n", "\n");
}

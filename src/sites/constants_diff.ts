/** What a change of the document changes, line by line, to show before it is saved. */

import { structuredPatch } from "diff";

/** One line of a difference. */
export interface DifferenceLine {
  readonly kind: "same" | "added" | "removed";
  readonly text: string;
}

/** Changed lines with the unchanged ones around them. */
export interface DifferenceHunk {
  /** Number of the first line in the text before, from 1. */
  readonly beforeLine: number;
  /** Number of the first line in the text after, from 1. */
  readonly afterLine: number;
  readonly lines: readonly DifferenceLine[];
}

/** Unchanged lines shown around a change. */
const CONTEXT = 3;

/** Beyond this many changed lines the texts have little in common; looking on would take seconds. */
const MAX_EDITS = 1_000;

const KINDS = { " ": "same", "+": "added", "-": "removed" } as const;

/** The difference of two texts; empty when no line differs. Line ends alone (CRLF) are no difference. */
export function lineDifference(before: string, after: string): readonly DifferenceHunk[] {
  const options = { context: CONTEXT, maxEditLength: MAX_EDITS, stripTrailingCr: true } as const;
  const patch = structuredPatch("", "", before, after, "", "", options);
  if (patch === undefined) return [wholeChange(before, after)];
  return patch.hunks.map((hunk) => ({
    beforeLine: hunk.oldStart,
    afterLine: hunk.newStart,
    lines: hunk.lines.flatMap((line) => {
      const mark = line.charAt(0);
      return mark === " " || mark === "+" || mark === "-" ? [{ kind: KINDS[mark], text: line.slice(1) }] : [];
    }),
  }));
}

function wholeChange(before: string, after: string): DifferenceHunk {
  return {
    beforeLine: 1,
    afterLine: 1,
    lines: [
      ...linesOf(before).map((text) => ({ kind: "removed", text }) as const),
      ...linesOf(after).map((text) => ({ kind: "added", text }) as const),
    ],
  };
}

function linesOf(text: string): string[] {
  const lines = text.split(/\r?\n/);
  if (lines.at(-1) === "") lines.pop();
  return lines;
}

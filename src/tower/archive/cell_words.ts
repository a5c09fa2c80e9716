/** What a cell of the grid says, in words. */
import { ARCHIVE_LOOKS, archiveCounted } from "../component/archive_mark.tsx";
import { categoryInside } from "../component/category_words.ts";
import { formatCount } from "../format.ts";
import type { Cell, CellIs, Share } from "./grid.ts";

/** What of a cell is no outcome of an attempt. */
export const ABSENT_WORDS: Readonly<Record<"skipped" | "quiet" | "later" | "before" | "none", string>> = {
  skipped: "Skipped",
  quiet: "Not due that day",
  later: "Not due yet",
  before: "Before the first run",
  none: "Not asked",
};

export const cellTitle = (is: CellIs): string =>
  is in ABSENT_WORDS
    ? ABSENT_WORDS[is as keyof typeof ABSENT_WORDS]
    : ARCHIVE_LOOKS[is as keyof typeof ARCHIVE_LOOKS].words;

/** "Failed (access)" of one site; "12 failed (access), 988 stored" of several. */
export function cellWords({ is, shares }: Cell, isOfOneSite: boolean): string {
  const [first] = shares;
  if (first === undefined) return cellTitle(is);
  if (isOfOneSite) return `${cellTitle(is)}${whyOf(first)}`;
  return shares
    .map((share) => `${formatCount(share.sites)} ${archiveCounted(share.outcome)}${whyOf(share)}`)
    .join(", ");
}

const whyOf = ({ category }: Share): string => (category === null ? "" : ` (${categoryInside(category)})`);

/** Pages that are documents: prose with some markup, as Markdown is. A manual that is kept as a page is no code. */

import { type Search, searchFor } from "../scan.ts";
import { words } from "../words.ts";

/** How much prose makes a document, and how much of the page it is. */
export const DOCUMENT = { minProse: 5_000, share: 0.5, paragraph: 80 } as const;

/** Elements that stand within a sentence. */
const INLINE = new Set(
  words("a abbr b br cite code del dfn em font i ins kbd mark q s samp small span strong sub sup tt u var"),
);

/** What a template language or a framework puts into a page: such a page is the project's own work. */
const TEMPLATE = /\{%|<%|<\?(?:php|=)|\{\{-?\s{0,9}[\w#/>@$]|\s(?:v-|ng-|th:|x-|hx-)[\w:.-]{1,50}=/;
const WHOLE_PAGE = /<html\b/i;
const LOOKED_AT = 300_000;

/** Whether a page is a document. */
export function isDocument(text: string): boolean {
  const page = text.slice(0, LOOKED_AT);
  if (page.length < DOCUMENT.minProse || !WHOLE_PAGE.test(page) || TEMPLATE.test(page)) return false;
  let prose = 0;
  let all = 0;
  for (const { words, tags } of blocks(page)) {
    all += words + tags;
    if (words >= DOCUMENT.paragraph) prose += words;
  }
  return prose >= DOCUMENT.minProse && prose >= all * DOCUMENT.share;
}

/** The text between two block elements, and the tag that ends it, each by its visible length. Scripts and styles count as their tag. */
function* blocks(page: string): Generator<{ words: number; tags: number }> {
  const opens = searchFor(page, "<");
  const ends = searchFor(page, ">");
  const skips = {
    "!--": searchFor(page, "-->"),
    script: searchFor(page, /<\/script/gi),
    style: searchFor(page, /<\/style/gi),
  };
  let words = 0;
  for (let at = 0; at < page.length; ) {
    const open = opens(at)?.at ?? page.length;
    words += visible(page, at, open);
    const name = /^\/?(!--|[a-z][a-z0-9]*)/i.exec(page.slice(open + 1, open + 20))?.[1]?.toLowerCase() ?? "";
    const skip: Search = Object.hasOwn(skips, name) ? skips[name as keyof typeof skips] : ends;
    const end = (skip === ends ? ends(open) : skip(open + 1))?.end ?? page.length;
    at = Math.max(end, open + 1);
    if (INLINE.has(name)) continue;
    yield { words, tags: skip === ends ? visible(page, open, end) : name.length };
    words = 0;
  }
  yield { words, tags: 0 };
}

/** Characters, a run of white space as one. */
function visible(page: string, from: number, to: number): number {
  let count = 0;
  let space = true;
  for (let at = from; at < to; at++) {
    const isSpace = page.charCodeAt(at) <= 32;
    if (!isSpace || !space) count++;
    space = isSpace;
  }
  return count;
}

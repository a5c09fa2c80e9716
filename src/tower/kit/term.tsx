/** Words of the rules with a mark that opens one plain sentence: a popover, which needs no script, by mouse, touch and keyboard. */

import { GLOSSARY, TERMS, type TermName } from "../../sites/glossary.ts";
import type { Child } from "../jsx/child.ts";

const idOf = (name: TermName): string => `term-${name}`;

/** A word with its mark. The sentence stands once on the page, in its `Glossary`. */
export function Term({ name, children }: { readonly name: TermName; readonly children: Child }) {
  const id = idOf(name);
  return (
    <button class="term" type="button" popovertarget={id} aria-describedby={id}>
      {children}
    </button>
  );
}

/** The sentences that the marks of a page open. */
export function Glossary() {
  return (
    <div class="glossary">
      {TERMS.map((name) => (
        <p id={idOf(name)} popover>
          <b>{GLOSSARY[name].name}</b> {GLOSSARY[name].sentence}
        </p>
      ))}
    </div>
  );
}

/** A text with a mark at the first place of each word. */
export function Marked({ children }: { readonly children: string }) {
  return <>{markTerms([children])}</>;
}

/** Texts that stand one after the other, with a mark at the first place of each word in all of them. */
export function markTerms(texts: readonly string[]): Child[] {
  const left = new Set<TermName>(TERMS);
  return texts.map((text) => marked(text, left));
}

/** Marks the words that are left, the first in the text first. */
function marked(text: string, left: Set<TermName>): Child {
  let found: { readonly name: TermName; readonly at: number; readonly words: string } | undefined;
  for (const name of left) {
    const match = GLOSSARY[name].says.exec(text);
    if (match === null) continue;
    const [words] = match;
    // Of words that begin at one place the longer says more: "expected by chance" before "expected".
    const isBefore =
      found === undefined ||
      match.index < found.at ||
      (match.index === found.at && words.length > found.words.length);
    if (isBefore) found = { name, at: match.index, words };
  }
  if (found === undefined) return text;
  const { name, at, words } = found;
  left.delete(name);
  return (
    <>
      {text.slice(0, at)}
      <Term name={name}>{words}</Term>
      {marked(text.slice(at + words.length), left)}
    </>
  );
}

/** One fact: a term and what it is. */

export type Fact = readonly [term: string, value: Child];

/** Terms with their values, one line each; an absent value leaves its term out. `marked` explains the words of the rules in the terms. */
export function Facts({
  facts,
  loose = false,
  marked = false,
}: {
  readonly facts: readonly Fact[];
  readonly loose?: boolean;
  readonly marked?: boolean;
}) {
  const shown = facts.filter(([, value]) => value !== null && value !== undefined);
  const names = shown.map(([term]) => term);
  const terms = marked ? markTerms(names) : names;
  return (
    <dl class={loose ? "facts loose" : "facts"}>
      {shown.map(([, value], place) => (
        <>
          <dt>{terms[place]}</dt>
          <dd>{value}</dd>
        </>
      ))}
    </dl>
  );
}

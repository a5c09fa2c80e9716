import type { Child } from "../jsx/jsx-runtime.ts";
import { markTerms } from "./term.tsx";

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

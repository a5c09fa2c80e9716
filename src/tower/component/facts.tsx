import type { Child } from "../jsx/jsx-runtime.ts";

/** One fact: a term and what it is. */
export type Fact = readonly [term: string, value: Child];

/** Terms with their values, one line each; an absent value leaves its term out. */
export function Facts({
  facts,
  loose = false,
}: {
  readonly facts: readonly Fact[];
  readonly loose?: boolean;
}) {
  return (
    <dl class={loose ? "facts loose" : "facts"}>
      {facts
        .filter(([, value]) => value !== null && value !== undefined)
        .map(([term, value]) => (
          <>
            <dt>{term}</dt>
            <dd>{value}</dd>
          </>
        ))}
    </dl>
  );
}

/**
 * A section under one ink rule: heading, a note beside it, controls at the end. Its heading names it on its page, so that a refresh
 * which brings another one above it knows it again.
 */

import type { Child } from "../jsx/child.ts";

export function Block(props: {
  readonly heading: string;
  readonly id?: string;
  readonly note?: Child;
  readonly tools?: Child;
  readonly children: Child;
}) {
  return (
    <section
      class="block"
      id={props.id ?? `block-${props.heading.toLowerCase().replace(/[^a-z0-9]+/g, "-")}`}
    >
      <header>
        <h2>{props.heading}</h2>
        {props.note === undefined ? null : <small>{props.note}</small>}
        {props.tools === undefined ? null : <div class="row">{props.tools}</div>}
      </header>
      {props.children}
    </section>
  );
}

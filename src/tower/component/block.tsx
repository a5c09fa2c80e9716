import type { Child } from "../jsx/jsx-runtime.ts";

/** A section under one ink rule: heading, a note beside it, controls at the end. */
export function Block(props: {
  readonly heading: string;
  readonly id?: string;
  readonly note?: Child;
  readonly tools?: Child;
  readonly children: Child;
}) {
  return (
    <section class="block" id={props.id}>
      <header>
        <h2>{props.heading}</h2>
        {props.note === undefined ? null : <small>{props.note}</small>}
        {props.tools === undefined ? null : <div class="row">{props.tools}</div>}
      </header>
      {props.children}
    </section>
  );
}

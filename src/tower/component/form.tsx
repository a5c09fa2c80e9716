/** Forms that change something. Each is sent by POST to a page of ours, which looks at where it comes from. */
import type { Child } from "../jsx/jsx-runtime.ts";
import { Callout } from "./callout.tsx";
import type { Refused } from "./field.tsx";
import { Told, Unseen } from "./text.tsx";

/** Fields that go along unseen; a name may come twice. */
type Hidden = readonly (readonly [name: string, value: string])[];

/** A form around its fields. */
export function Form(props: {
  readonly action: string;
  readonly class?: string | null;
  readonly autocomplete?: "off";
  /** It may hold files. */
  readonly files?: boolean;
  readonly hidden?: Hidden;
  readonly children: Child;
}) {
  const { action, class: look = "stack form", hidden = [] } = props;
  return (
    <form
      method="post"
      action={action}
      class={look}
      autocomplete={props.autocomplete}
      enctype={props.files === true ? "multipart/form-data" : undefined}
    >
      {hidden.map(([name, value]) => (
        <input type="hidden" name={name} value={value} />
      ))}
      {props.children}
    </form>
  );
}

/** An act of one button in a row or a heading; `on` tells a screen reader what it acts on. */
export function Act(props: {
  readonly action: string;
  readonly words: string;
  readonly on?: Child;
  readonly hidden?: Hidden;
}) {
  const { action, words, on, hidden = [] } = props;
  return (
    <Form action={action} hidden={hidden} class={null}>
      <button class={on === undefined ? "btn" : "btn bare"}>
        {words}
        {on === undefined ? null : <Unseen> {on}</Unseen>}
      </button>
    </Form>
  );
}

/** An act that cannot be taken back: the first button says what it does, the second does it. */
export function SureAct(props: {
  readonly action: string;
  readonly words: string;
  readonly on: string;
  readonly consequence: string;
  readonly sure: string;
  readonly hidden?: Hidden;
}) {
  return (
    <details class="sure">
      <summary class="btn bare">
        {props.words}
        <Unseen>
          {" "}
          <Told>{props.on}</Told>
        </Unseen>
      </summary>
      <Form action={props.action} class="row" hidden={props.hidden ?? []}>
        <span>{props.consequence}</span>
        <button class="btn">{props.sure}</button>
      </Form>
    </details>
  );
}

/** Says above a form that something in it was refused; what, stands at each field. Nothing while nothing was. */
export function RefusedNote({ errors, words }: { readonly errors: Refused; readonly words: string }) {
  if (Object.values(errors).every((error) => error === undefined)) return null;
  return (
    <Callout tone="failing" role="alert">
      <p>{words}</p>
    </Callout>
  );
}

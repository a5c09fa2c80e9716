/** Text to be copied whole, a command or a secret. The button works with scripts; the text can be selected without. */

import type { FreshToken, TokenKind } from "../fresh_tokens.ts";
import type { Child } from "../jsx/child.ts";
import { paths } from "../paths.ts";
import type { Refused } from "./field.tsx";
import { Told, Unseen } from "./links.tsx";
import { Callout } from "./monitoring_words.tsx";
import { Clock } from "./proof.tsx";

export function Copy({
  id,
  label,
  text,
}: {
  readonly id: string;
  readonly label: string;
  readonly text: string;
}) {
  return (
    <div class="copy">
      <pre id={id} hx-ignore tabindex={0} role="group" aria-label={label}>
        {text}
      </pre>
      <button class="btn" type="button" data-copy={id} aria-label={`Copy: ${label}`} hidden>
        Copy
      </button>
    </div>
  );
}

/** Forms that change something. Each is sent by POST to a page of ours, which looks at where it comes from. */

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

/** The note above a refused form; each field has its own reason. */
export function RefusedNote({ errors, words }: { readonly errors: Refused; readonly words: string }) {
  if (Object.values(errors).every((error) => error === undefined)) return null;
  return (
    <Callout tone="failing" role="alert">
      <p>{words}</p>
    </Callout>
  );
}

const LABELS: Readonly<Record<TokenKind, string>> = {
  site: "site token",
  operator: "operator token",
  wall: "link to the Wall",
};

/**
 * A new token, with the button that hides it; `back` is the page to come back to. Only its hash is stored. Its maker sees it for a
 * while; the browser must not cache an answer with it.
 */
export function ShownOnce(props: {
  readonly heading: Child;
  readonly fresh: FreshToken;
  readonly back: string;
  /** What is shown of it, where that is more than the token itself. */
  readonly text?: string;
  /** Where several stand on one page. */
  readonly place?: number;
}) {
  const { fresh, back, place = 0 } = props;
  const { kind, name, token, until } = fresh;
  return (
    <Callout role="status">
      <p>
        <b>{props.heading}</b>. Visible until <Clock at={until} /> UTC. You won't see it again.
      </p>
      <Copy id={place === 0 ? "token" : `token-${place}`} label={LABELS[kind]} text={props.text ?? token} />
      <Act
        action={paths.tokenReceipt}
        words="I've copied it"
        hidden={[
          ["kind", kind],
          ["name", name],
          ["to", back],
        ]}
      />
    </Callout>
  );
}

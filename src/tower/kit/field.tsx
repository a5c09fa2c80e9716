/**
 * Forms, what they are sent by, and what is copied from a page. A field is its label above, the control, the error in words beside it
 * and help below; the control names both.
 */

import type { FreshToken, TokenKind } from "../fresh_tokens.ts";
import type { Child, JSX } from "../jsx/jsx-runtime.ts";
import { paths } from "../paths.ts";
import { Told, Unseen } from "./links.tsx";
import { Clock } from "./proof.tsx";
import { Callout } from "./words.tsx";

/** The rest of a view as hidden fields: a form by GET replaces the query of the address it is sent to. */
export function Kept({ search = "" }: { readonly search?: string | undefined }) {
  return (
    <>
      {[...new URLSearchParams(search)].map(([name, value]) => (
        <input type="hidden" name={name} value={value} />
      ))}
    </>
  );
}

/** A search over a list: one field, and a button for who has no scripts. What it leads to is a link like any other. */
export function SearchForm(props: {
  readonly action: string;
  readonly words: string;
  readonly value: string;
  /** The query of the view without what is sought. */
  readonly keep?: string;
  readonly name?: string;
  readonly id?: string;
  readonly maxlength?: number;
}) {
  const { words, name = "q", id = name } = props;
  return (
    <form method="get" action={props.action} class="search" role="search">
      <label class="vh" for={id}>
        {words}
      </label>
      <input
        id={id}
        name={name}
        type="search"
        value={props.value}
        placeholder={words}
        maxlength={props.maxlength}
        autocomplete="off"
      />
      <Kept search={props.keep} />
      <button class="btn">Search</button>
    </form>
  );
}

/** What was typed into a form, as it came, and a sentence for each field that was refused. */
export interface Filled {
  readonly values: Readonly<Record<string, string>>;
  readonly errors: Refused;
}

/** A sentence for each field that was refused, by its name. */
export type Refused = Readonly<Record<string, string | undefined>>;

interface Labelled {
  readonly name: string;
  /** The control's id; its name where no other control of the page has that. */
  readonly id?: string;
  readonly label: string;
  readonly help?: Child;
  readonly error?: Child | undefined;
  /** Where the kept value and the error come from, by the field's name. */
  readonly filled?: Filled;
  /** Takes the whole width of a form in columns. */
  readonly wide?: boolean;
}

type FieldOf<Tag extends keyof JSX.IntrinsicElements> = Labelled &
  Omit<JSX.IntrinsicElements[Tag], "id" | "name" | "children">;

interface Choosing {
  readonly choices: readonly (readonly [value: string, words: string])[];
  readonly chosen: string;
}

/** One line: a text, a number, an address, a moment. */
export function TextField(props: FieldOf<"input">) {
  const { parts, kept, control } = wired(props);
  return <Field {...parts} control={<input {...control} value={control.value ?? kept} />} />;
}

/** A text of several lines. */
export function LongTextField(props: FieldOf<"textarea"> & { readonly value?: string }) {
  const { parts, kept = "", control } = wired(props);
  const { value = kept, ...rest } = control;
  // A parser drops the first line end of a textarea: this one, so that none of the text's own is lost.
  return <Field {...parts} control={<textarea {...rest}>{`\n${value}`}</textarea>} />;
}

type ChoiceFieldProps = FieldOf<"select"> & Pick<Choosing, "choices"> & { readonly chosen?: string };

/** One of some values. */
export function SelectField(props: ChoiceFieldProps) {
  const { parts, kept = "", control } = wired(props);
  const { choices, chosen = kept, ...rest } = control;
  return (
    <Field
      {...parts}
      control={
        <select {...rest}>
          <Options choices={choices} chosen={chosen} />
        </select>
      }
    />
  );
}

/** One of the sites. */
export function SiteField(props: ChoiceFieldProps) {
  const { parts, kept = "", control } = wired(props);
  const { chosen = kept, ...rest } = control;
  return <Field {...parts} control={<Choice {...rest} chosen={chosen} />} />;
}

/** Sites beyond which nobody finds one in a list, and a page with it weighs a megabyte. */
const MOST_LISTED = 300;

/** One of some values. Of as many as there may be sites it is typed, and what is no site, such as all of them, is proposed. */
export function Choice({
  choices,
  chosen,
  ...control
}: Choosing & Omit<JSX.IntrinsicElements["select"], "children"> & { readonly id: string }) {
  if (choices.length <= MOST_LISTED) {
    return (
      <select {...control}>
        <Options choices={choices} chosen={chosen} />
      </select>
    );
  }
  const list = `${control.id}-list`;
  const others = choices.filter(([value, words]) => value !== words);
  return (
    <>
      <input
        {...control}
        value={chosen}
        list={list}
        placeholder={others.find(([value]) => value === "")?.[1]}
        autocapitalize="none"
        spellcheck="false"
      />
      <datalist id={list}>
        <Options choices={others.filter(([value]) => value !== "")} chosen="" />
      </datalist>
    </>
  );
}

/** Any of some values, each a box to tick. */
export function TickFields(props: {
  readonly name: string;
  readonly legend: string;
  readonly choices: readonly (readonly [value: string, words: Child])[];
  readonly chosen?: readonly string[];
  readonly error: string | undefined;
}) {
  const { name, chosen = [], error } = props;
  return (
    <fieldset>
      <legend>{props.legend}</legend>
      <div class="pick lines">
        {props.choices.map(([value, words]) => (
          <label>
            <input type="checkbox" name={name} value={value} checked={chosen.includes(value)} />
            <span>{words}</span>
          </label>
        ))}
      </div>
      {error === undefined ? null : <small class="bad">{error}</small>}
    </fieldset>
  );
}

function Options({ choices, chosen }: Choosing) {
  return (
    <>
      {choices.map(([value, words]) => (
        <option value={value} selected={value === chosen}>
          {words}
        </option>
      ))}
    </>
  );
}

/**
 * What of a field is about its frame and what about its control, which names its help and its error. After a refusal the first
 * refused field has the focus, without a script, whichever has it otherwise.
 */
function wired<Props extends Labelled & { readonly autofocus?: boolean | undefined }>(props: Props) {
  const { label, help, error: given, filled, wide, id = props.name, ...rest } = props;
  const error = given ?? filled?.errors[props.name];
  const refused = firstRefused(filled?.errors ?? {});
  const notes = [
    ...(help === undefined ? [] : [`${id}-help`]),
    ...(error === undefined ? [] : [`${id}-error`]),
  ];
  const control = {
    id,
    "aria-describedby": notes.length === 0 ? undefined : notes.join(" "),
    "aria-invalid": error === undefined ? undefined : "true",
    ...rest,
    autofocus: refused === undefined ? (rest.autofocus ?? error !== undefined) : refused === props.name,
  };
  return { parts: { id, label, help, error, wide }, kept: filled?.values[props.name], control };
}

/** The name of the first field that was refused: errors stand in the order of their form. */
function firstRefused(errors: Refused): string | undefined {
  return Object.keys(errors).find((name) => errors[name] !== undefined);
}

function Field(props: {
  readonly id: string;
  readonly label: string;
  readonly help: Child;
  readonly error: Child | undefined;
  readonly wide: boolean | undefined;
  readonly control: Child;
}) {
  const { id, label, help, error } = props;
  return (
    <div class={props.wide === true ? "field all" : "field"}>
      <label for={id}>{label}</label>
      {props.control}
      {error === undefined ? null : (
        <small class="bad" id={`${id}-error`}>
          {error}
        </small>
      )}
      {help === undefined ? null : <small id={`${id}-help`}>{help}</small>}
    </div>
  );
}

/** Shortest password an operator may choose, in characters. */

const SHORTEST_PASSWORD = 12;
const LONGEST_PASSWORD = 1_024;

/** A password: the one in force, or one to be chosen, which is told how long it must be. What was typed is never kept. */
export function PasswordField({
  isNew = false,
  ...field
}: {
  readonly id?: string;
  readonly name: string;
  readonly label: string;
  readonly error?: string | undefined;
  readonly autofocus?: boolean;
  readonly isNew?: boolean;
}) {
  return (
    <TextField
      {...field}
      type="password"
      autocomplete={isNew ? "new-password" : "current-password"}
      minlength={isNew ? SHORTEST_PASSWORD : undefined}
      maxlength={LONGEST_PASSWORD}
      required
      {...(isNew && { help: `${SHORTEST_PASSWORD} characters or more. A password manager works well.` })}
    />
  );
}

/** The name an operator signs in with. */
export function NameField(props: {
  readonly value?: string;
  readonly filled?: Filled;
  readonly autofocus: boolean;
}) {
  return (
    <TextField
      name="name"
      label="Name"
      autocomplete="username"
      autocapitalize="none"
      spellcheck="false"
      maxlength={200}
      required
      {...props}
    />
  );
}

/** The name of the box below. */
export const KEEP_FIELD = "keep";

/** The box that keeps a session for 30 days, on a computer of one's own. */
export function KeepField({ checked }: { readonly checked: boolean }) {
  return (
    <div class="pick">
      <label>
        <input type="checkbox" name={KEEP_FIELD} value="1" checked={checked} />
        Keep me signed in on this computer for 30 days
      </label>
    </div>
  );
}

/** Text to be copied whole, a command or a secret. The button works with scripts; the text can be selected without. */

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

/** Fields that go along unseen, by name. */
type Hidden = Readonly<Record<string, string>>;

/** A form around its fields. */
export function Form(props: {
  readonly action: string;
  readonly class?: string | null;
  readonly autocomplete?: "off";
  /** It may hold files. */
  readonly files?: boolean;
  readonly hidden?: Hidden;
  /** The words of the button that ends it. */
  readonly send?: Child;
  /** The button is not what its page is for. */
  readonly isMinor?: boolean;
  readonly children: Child;
}) {
  const { action, class: look = "stack form", hidden = {}, send } = props;
  return (
    <form
      method="post"
      action={action}
      class={look}
      autocomplete={props.autocomplete}
      enctype={props.files === true ? "multipart/form-data" : undefined}
    >
      {Object.entries(hidden).map(([name, value]) => (
        <input type="hidden" name={name} value={value} />
      ))}
      {props.children}
      {send === undefined ? null : (
        <div>
          <button class={props.isMinor === true ? "btn" : "btn primary"}>{send}</button>
        </div>
      )}
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
  const { action, words, on, hidden = {} } = props;
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
      <Form action={props.action} class="row" hidden={props.hidden ?? {}}>
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
      <Act action={paths.tokenReceipt} words="I've copied it" hidden={{ kind, name, to: back }} />
    </Callout>
  );
}

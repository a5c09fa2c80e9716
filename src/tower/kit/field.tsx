/** The fields of a form: label above, the control, the error in words beside it, help below; the control names both. */

import type { Child } from "../jsx/child.ts";
import type { JSX } from "../jsx/jsx-runtime.ts";

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

/** Chosen from a list or, of as many as there may be sites, typed. Then what is no site, such as all of them, is proposed. */
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
    autofocus: refused === undefined ? rest.autofocus : refused === props.name,
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
      autofocus={field.autofocus === true || field.error !== undefined}
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

import { type Filled, TextField } from "./field.tsx";

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

import { Callout } from "../component/callout.tsx";
import { Form } from "../component/form.tsx";
import { NameField, PasswordField } from "../component/password_field.tsx";
import { Door } from "../layout.tsx";
import { paths } from "../paths.ts";
import type { Shell } from "../shell.ts";

export interface SetupProps {
  readonly shell: Shell;
  /** The secret of the one-time link; null when the page was opened without a valid one. */
  readonly code: string | null;
  readonly name: string;
  readonly errors: { readonly name?: string; readonly password?: string; readonly code?: string };
}

/** Creates the first operator. Only the one-time link that the start printed opens the form. */
export function SetupPage({ shell, code, name, errors }: SetupProps) {
  if (code === null) {
    return (
      <Door shell={shell} title="Set up">
        <h1>Set up</h1>
        {errors.code === undefined ? null : (
          <Callout tone="failing" role="alert">
            <p>{errors.code}</p>
          </Callout>
        )}
        <p>
          This installation has no operator yet. Open the set-up link that Tower printed when it started, in
          its terminal or its log. A restart prints a new one.
        </p>
        <p class="note">
          Or create the operator there: <code>bun run tower operator add</code> with a name.
        </p>
      </Door>
    );
  }
  return (
    <Door shell={shell} title="Set up">
      <div>
        <h1>Create the operator</h1>
        <p class="note">This installation has no operator yet. The link that brought you here works once.</p>
      </div>
      <Form action={paths.setup} hidden={[["code", code]]}>
        <NameField value={name} error={errors.name} autofocus />
        <PasswordField name="password" label="Password" error={errors.password} isNew />
        <button class="btn primary">Create and sign in</button>
      </Form>
      <p class="note">Nothing is sent anywhere. Everything stays on this computer.</p>
    </Door>
  );
}

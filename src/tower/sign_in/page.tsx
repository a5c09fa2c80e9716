import { TOWER_COMMAND } from "../../platform/command_word.ts";
import { Callout } from "../component/callout.tsx";
import { Form } from "../component/form.tsx";
import { KeepField, NameField, PasswordField } from "../component/password_field.tsx";
import { Door } from "../layout.tsx";
import { paths } from "../paths.ts";
import type { Shell } from "../shell.ts";

/** Why the last try failed, in words that tell no stranger whether the name exists. */
export interface SignInProps {
  readonly shell: Shell;
  readonly name: string;
  /** Null on the first visit. */
  readonly refusal: string | null;
  /** Whether the session is to be kept. */
  readonly keep: boolean;
  /** Where to go after signing in; an address on this listener. */
  readonly to: string;
}

export function SignInPage({ shell, name, refusal, keep, to }: SignInProps) {
  return (
    <Door shell={shell} title="Sign in">
      <h1>Sign in</h1>
      {refusal === null ? null : (
        <Callout tone="failing" role="alert">
          <p>
            <b>{refusal}</b>
          </p>
        </Callout>
      )}
      <Form action={paths.signIn} hidden={[["to", to]]}>
        <NameField value={name} autofocus={name === ""} />
        <PasswordField name="password" label="Password" autofocus={name !== ""} />
        <KeepField checked={keep} />
        <button class="btn primary">Sign in</button>
      </Form>
      <p class="note">
        Lost it? Run <code>{TOWER_COMMAND} operator reset</code> with the name, in Tower's own folder on the
        computer it runs on.
      </p>
    </Door>
  );
}

import { TOWER_COMMAND } from "../../platform/command_word.ts";
import { Callout } from "../component/callout.tsx";
import type { Filled } from "../component/field.tsx";
import { Form } from "../component/form.tsx";
import { KeepField, NameField, PasswordField } from "../component/password_field.tsx";
import { Door } from "../layout.tsx";
import { paths } from "../paths.ts";
import type { Shell } from "../shell.ts";

/** Where the one-time link is found, for whoever came without a valid one; `refusal` says what is wrong with theirs. */
export function SetupPage({ shell, refusal }: { readonly shell: Shell; readonly refusal: string | null }) {
  return (
    <Door shell={shell} title="Set up">
      <h1>Set up</h1>
      {refusal === null ? null : (
        <Callout tone="failing" role="alert">
          <p>{refusal}</p>
        </Callout>
      )}
      <p>
        This installation has no operator yet. Open the newest set-up link: Tower prints it when it starts, in
        its terminal or its log, and keeps it in <code>setup-link.txt</code> in its data folder. It works
        once, for 30 minutes; after that, and at each start, a new one is made.
      </p>
      <p class="note">
        Or create the operator on the computer Tower runs on, in its own folder:{" "}
        <code>{TOWER_COMMAND} operator add</code> with a name.
      </p>
    </Door>
  );
}

/** Creates the first operator; `code` is the secret of the one-time link. */
export function SetupForm(props: {
  readonly shell: Shell;
  readonly code: string;
  readonly keep: boolean;
  readonly filled: Filled;
}) {
  const { filled } = props;
  return (
    <Door shell={props.shell} title="Set up">
      <div>
        <h1>Create the operator</h1>
        <p class="note">This installation has no operator yet. The link that brought you here works once.</p>
      </div>
      <Form action={paths.setup} hidden={[["code", props.code]]}>
        <NameField filled={filled} autofocus />
        <PasswordField name="password" label="Password" error={filled.errors["password"]} isNew />
        <KeepField checked={props.keep} />
        <button class="btn primary">Create and sign in</button>
      </Form>
      <p class="note">Nothing is sent anywhere. Everything stays on the computer Tower runs on.</p>
    </Door>
  );
}

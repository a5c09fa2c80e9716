import { Form } from "../component/form.tsx";
import { PasswordField } from "../component/password_field.tsx";
import { Page } from "../layout.tsx";
import type { Shell } from "../shell.ts";

/** The name of the field that holds the password given again; no form of ours has another of that name. */
export const CONFIRM_FIELD = "confirm_password";

export interface ConfirmProps {
  readonly shell: Shell;
  /** Where the form that asks for the password was sent, and is sent again. */
  readonly action: string;
  /** What was filled in; it goes along. */
  readonly fields: readonly (readonly [name: string, value: string])[];
  /** Null the first time. */
  readonly refusal: string | null;
  /** A secret was among it, which does not go along. */
  readonly hasSecret?: boolean;
}

/** Asks for the password before an act that a session alone must not allow. What was filled in is sent again with it. */
export function ConfirmPage({ shell, action, fields, refusal, hasSecret = false }: ConfirmProps) {
  return (
    <Page shell={shell} title="Your password again" current="settings" still>
      <h1>Your password again</h1>
      <p>
        This act hands out or changes access, so it asks for your password when you last gave it more than 30
        minutes ago. Nothing is done yet, and what you filled in is kept
        {hasSecret ? ", but for the secret: it is asked for again" : ""}.
      </p>
      <Form action={action} hidden={fields}>
        <input type="text" value={shell.operator ?? ""} autocomplete="username" hidden readonly />
        <PasswordField
          id="confirm-password"
          name={CONFIRM_FIELD}
          label="Password"
          error={refusal ?? undefined}
          autofocus
        />
        <div>
          <button class="btn primary">Go on</button>
        </div>
      </Form>
    </Page>
  );
}

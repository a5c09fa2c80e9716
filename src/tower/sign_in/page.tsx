import { Callout } from "../component/callout.tsx";
import { Field } from "../component/field.tsx";
import { Door } from "../layout.tsx";
import { paths } from "../paths.ts";
import type { Shell } from "../shell.ts";

/** Why the last try failed, in words that tell no stranger whether the name exists. */
export interface SignInProps {
  readonly shell: Shell;
  readonly name: string;
  /** Null on the first visit. */
  readonly refusal: string | null;
  /** Where to go after signing in; an address on this listener. */
  readonly to: string;
}

export function SignInPage({ shell, name, refusal, to }: SignInProps) {
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
      <form method="post" action={paths.signIn} class="stack form">
        <input type="hidden" name="to" value={to} />
        <Field
          id="name"
          label="Name"
          control={(wiring) => (
            <input
              {...wiring}
              name="name"
              value={name}
              autocomplete="username"
              autocapitalize="none"
              spellcheck="false"
              maxlength={200}
              required
              autofocus={name === ""}
            />
          )}
        />
        <Field
          id="password"
          label="Password"
          control={(wiring) => (
            <input
              {...wiring}
              name="password"
              type="password"
              autocomplete="current-password"
              maxlength={1024}
              required
              autofocus={name !== ""}
            />
          )}
        />
        <button class="btn primary">Sign in</button>
      </form>
      <p class="note">
        Lost it? Run <code>bun run tower operator reset</code> with the name on the computer Tower runs on.
      </p>
    </Door>
  );
}

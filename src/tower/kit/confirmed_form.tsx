/** The page that needs the password again before an act, and the routes of such acts. */

import { isConfirmed } from "../../access/sessions.ts";
import { confirmPassword } from "../../access/sign_in.ts";
import { ResponseThrown } from "../../base/problem.ts";
import type { PageGround } from "../ground.ts";
import { Page } from "../layout.tsx";
import { asTooMany, htmlPage, type PageOptions, type SignedIn, waitSentence } from "../session.ts";
import { Form, Kept, PasswordField } from "./field.tsx";
import { here, within } from "./here.ts";
import { type FormBounds, hereOf, routesBehind } from "./route.ts";

/** The name of the field that holds the password given again; no form of ours has another of that name. */

const CONFIRM_FIELD = "confirm_password";

interface ConfirmProps {
  /** Where the form that asks for the password was sent, and is sent again. */
  readonly action: string;
  /** What was filled in; it goes along. */
  readonly fields: string;
  /** Null the first time. */
  readonly refusal: string | null;
  /** A secret was among it, which does not go along. */
  readonly hasSecret?: boolean;
}

/** Asks for the password before an act that a session alone must not allow. What was filled in is sent again with it. */
function ConfirmPage({ action, fields, refusal, hasSecret = false }: ConfirmProps) {
  const { shell } = here();
  return (
    <Page title="Your password again" current="settings" still>
      <h1>Your password again</h1>
      <p>
        Changing access needs your password every 30 minutes. Nothing is saved yet; your input is kept
        {hasSecret ? ", except the secret" : ""}.
      </p>
      <Form action={action} send="Continue">
        <Kept search={fields} />
        <input type="text" value={shell.operator ?? ""} autocomplete="username" hidden readonly />
        <PasswordField
          id="confirm-password"
          name={CONFIRM_FIELD}
          label="Password"
          error={refusal ?? undefined}
          autofocus
        />
      </Form>
    </Page>
  );
}

/**
 * The routes of acts that ask for the password again: tokens, operators, credentials, the constants document, restoring. A
 * password counts for 30 minutes, signing in included. Who is signed in by a proxy's header has no password here, and no cookie
 * that another program could hold.
 */
export function confirmed({
  isAct = () => true,
  secrets = [],
  ...form
}: FormBounds & {
  /** Tells a form that acts from one that only looks; every form acts when absent. */
  readonly isAct?: (form: URLSearchParams) => boolean;
  /** Fields that hold a secret: they are never written into a page, so that they have to be filled in again. */
  readonly secrets?: readonly string[];
} = {}) {
  return routesBehind({
    form,
    enter: (request, { sessions }: PageGround): SignedIn => sessions.signedIn(request),
    confirm: async (request, deps, who, sent) => {
      if (isAct(sent)) await assertConfirmed(request, deps, who, sent, secrets);
    },
  });
}

/** The password in the form of an act that asks for it again, where it does: so a secret has to be given only once. */
export function PasswordAgain({ who, id }: { readonly who: SignedIn; readonly id: string }) {
  const { actor, live } = who;
  if (live === undefined || isConfirmed(live.session, here().now)) return null;
  return (
    <>
      <input type="text" value={actor.name} autocomplete="username" hidden readonly />
      <PasswordField id={`${id}-password`} name={CONFIRM_FIELD} label="Your password" />
    </>
  );
}

/** Takes the password given again out of the form and judges it. Throws the page that asks for it. */
export async function assertConfirmed(
  request: Request,
  deps: PageGround,
  { actor, live }: SignedIn,
  form: URLSearchParams,
  secrets: readonly string[] = [],
): Promise<void> {
  const password = form.get(CONFIRM_FIELD);
  form.delete(CONFIRM_FIELD);
  if (live === undefined || isConfirmed(live.session, deps.clock.now())) return;
  const ask = (refusal: string | null, options: PageOptions = { status: 403 }) => {
    const { pathname, search } = new URL(request.url);
    const at = hereOf(request, deps, actor);
    return within(
      at,
      () =>
        new ResponseThrown(
          htmlPage(
            request,
            <ConfirmPage
              action={`${pathname}${search}`}
              fields={new URLSearchParams([...form].filter(([name]) => !secrets.includes(name))).toString()}
              refusal={refusal}
              hasSecret={secrets.some((name) => (form.get(name) ?? "") !== "")}
            />,
            options,
          ),
        ),
    );
  };
  if (password === null) throw ask(null);
  const result = await confirmPassword(deps, { live, password, caller: deps.sessions.caller(request) });
  if (result.ok) return;
  if (result.reason === "wrong") throw ask("This is not your password.");
  throw ask(waitSentence(result.seconds), asTooMany(result.seconds));
}

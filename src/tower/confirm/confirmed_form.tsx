import { confirmPassword, isConfirmed, type OperatorDeps } from "../../operators/mod.ts";
import type { Actor } from "../../platform/access.ts";
import { Detour } from "../../platform/problem.ts";
import { readForm } from "../form.ts";
import { htmlPage } from "../respond.ts";
import type { Sessions } from "../session.ts";
import type { Shell } from "../shell.ts";
import { waitSentence } from "../wait_sentence.ts";
import { CONFIRM_FIELD, ConfirmPage } from "./page.tsx";

/** What asking for the password again needs. */
export interface ConfirmDeps extends OperatorDeps {
  readonly sessions: Sessions;
  readonly shellFor: (request: Request, actor: Actor) => Shell;
}

/** Who sent a form, and what was filled in. */
export interface ConfirmedForm {
  readonly actor: Actor;
  readonly form: URLSearchParams;
}

/**
 * The form of an act that asks for the password again: tokens, operators, credentials, the constants document, restoring. A
 * password counts for 30 minutes, signing in included. Who is signed in by a proxy's header has no password here, and no cookie
 * that another program could hold. `isAct` tells a form that acts from one that only looks. Throws the page that asks.
 */
export async function confirmedForm(
  request: Request,
  deps: ConfirmDeps,
  options: { readonly isAct?: (form: URLSearchParams) => boolean; readonly maxBytes?: number } = {},
): Promise<ConfirmedForm> {
  const { actor, live } = deps.sessions.signedIn(request);
  const form = await readForm(request, options.maxBytes);
  const password = form.get(CONFIRM_FIELD);
  form.delete(CONFIRM_FIELD);
  const { isAct = () => true } = options;
  if (live === undefined || !isAct(form) || isConfirmed(live.session, deps.clock.now()))
    return { actor, form };
  const ask = (refusal: string | null, status: number, headers: Readonly<Record<string, string>> = {}) => {
    const { pathname, search } = new URL(request.url);
    const shell = deps.shellFor(request, actor);
    return new Detour(
      htmlPage(
        request,
        <ConfirmPage shell={shell} action={`${pathname}${search}`} fields={[...form]} refusal={refusal} />,
        { status, headers },
      ),
    );
  };
  if (password === null) throw ask(null, 403);
  const result = await confirmPassword(deps, { live, password, caller: deps.sessions.caller(request) });
  if (result.ok) return { actor, form };
  if (result.reason === "wrong") throw ask("This is not your password.", 403);
  throw ask(waitSentence(result.seconds), 429, { "retry-after": String(result.seconds) });
}

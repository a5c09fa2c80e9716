import { confirmPassword, isConfirmed, type OperatorDeps } from "../../operators/mod.ts";
import type { Actor } from "../../platform/access.ts";
import { Detour } from "../../platform/problem.ts";
import type { FormBounds } from "../form.ts";
import { routesBehind } from "../kit/route.ts";
import { htmlPage, type PageOptions } from "../respond.ts";
import type { Sessions, SignedIn } from "../session.ts";
import type { Shell } from "../shell.ts";
import { asTooMany, waitSentence } from "../wait_sentence.ts";
import { CONFIRM_FIELD, ConfirmPage } from "./page.tsx";

/** What asking for the password again needs. */
export interface ConfirmDeps extends OperatorDeps {
  readonly sessions: Sessions;
  readonly shellFor: (request: Request, actor: Actor) => Shell;
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
    enter: (request, { sessions }: ConfirmDeps): SignedIn => sessions.signedIn(request),
    confirm: async (request, deps, who, sent) => {
      if (isAct(sent)) await assertConfirmed(request, deps, who, sent, secrets);
    },
  });
}

/** Whether an act of theirs would be asked for the password again. */
export function isAskedAgain({ live }: SignedIn, now: number): boolean {
  return live !== undefined && !isConfirmed(live.session, now);
}

/** Takes the password given again out of the form and judges it. Throws the page that asks for it. */
export async function assertConfirmed(
  request: Request,
  deps: ConfirmDeps,
  { actor, live }: SignedIn,
  form: URLSearchParams,
  secrets: readonly string[] = [],
): Promise<void> {
  const password = form.get(CONFIRM_FIELD);
  form.delete(CONFIRM_FIELD);
  if (live === undefined || isConfirmed(live.session, deps.clock.now())) return;
  const ask = (refusal: string | null, options: PageOptions = { status: 403 }) => {
    const { pathname, search } = new URL(request.url);
    const shell = deps.shellFor(request, actor);
    return new Detour(
      htmlPage(
        request,
        <ConfirmPage
          shell={shell}
          action={`${pathname}${search}`}
          fields={[...form].filter(([name]) => !secrets.includes(name))}
          refusal={refusal}
          hasSecret={secrets.some((name) => (form.get(name) ?? "") !== "")}
        />,
        options,
      ),
    );
  };
  if (password === null) throw ask(null);
  const result = await confirmPassword(deps, { live, password, caller: deps.sessions.caller(request) });
  if (result.ok) return;
  if (result.reason === "wrong") throw ask("This is not your password.");
  throw ask(waitSentence(result.seconds), asTooMany(result.seconds));
}

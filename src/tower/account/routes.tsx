import {
  changePassword,
  endOf,
  endSession,
  endSessions,
  findOperator,
  listSessions,
  sessionId,
} from "../../operators/mod.ts";
import { Problem } from "../../platform/problem.ts";
import type { Refused } from "../component/field.tsx";
import { withNotice } from "../cookies.ts";
import { own } from "../kit/gates.ts";
import { mounted } from "../kit/route.ts";
import { paths } from "../paths.ts";
import { seeOther } from "../respond.ts";
import type { SignedIn } from "../session.ts";
import { withoutSession } from "../session_cookie.ts";
import type { Shell } from "../shell.ts";
import { type DoorDeps, letIn } from "../sign_in/let_in.ts";
import { asTooMany, waitSentence } from "../wait_sentence.ts";
import { SessionsPage } from "./page.tsx";

/** `/settings/sessions` and `/settings/password`: one's own sessions and password. */
export function accountRoutes(deps: DoorDeps) {
  return mounted(deps, [
    own.get(paths.sessions, {}, (visit) => page(deps, visit)),
    own.post(paths.endSession, {}, async ({ who: { live }, params, by }) => {
      if (live === undefined || !(await endSession(deps, live.operator, params.id, by))) {
        throw new Problem("not-found", "No such session; it may have ended before.");
      }
      return seeOther(withNotice(paths.sessions, "session-ended"));
    }),
    own.post(paths.endSessions, {}, async ({ actor, by, request }) => {
      const operator = findOperator(deps.store.db, actor.name);
      if (operator !== undefined) await endSessions(deps, operator, by);
      return withoutSession(request, seeOther(withNotice(paths.signIn, "sessions-ended")));
    }),
    own.post(paths.password, {}, async (visit) => {
      const { form, request } = visit;
      const result = await changePassword(deps, {
        name: visit.actor.name,
        current: form.get("current") ?? "",
        password: form.get("password") ?? "",
        caller: deps.sessions.caller(request),
        keep: visit.who.live?.session.kept ?? false,
      });
      if (result.ok) return letIn(deps, request, result, withNotice(paths.sessions, "password-changed"));
      return result.field === "wait"
        ? visit.page(page(deps, visit, { current: waitSentence(result.seconds) }), asTooMany(result.seconds))
        : visit.page(page(deps, visit, { [result.field]: result.reason }), { status: 422 });
    }),
  ]);
}

function page(
  { store }: DoorDeps,
  visit: { readonly who: SignedIn; readonly shell: Shell; readonly now: number },
  errors: Refused = {},
) {
  const { actor, live } = visit.who;
  const own = live === undefined ? [] : listSessions(store.db, live.operator.id, visit.now);
  const operator = findOperator(store.db, actor.name);
  return (
    <SessionsPage
      shell={visit.shell}
      sessions={own.map(({ digest, ...session }) => ({
        ...session,
        id: sessionId(digest),
        endsAt: endOf(session),
        current: digest === live?.session.digest,
      }))}
      hasPassword={operator !== undefined && operator.passwordHash !== null}
      errors={errors}
    />
  );
}

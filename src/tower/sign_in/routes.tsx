import { isStorageFailure, storageFault } from "../../db/mod.ts";
import { endSession, hasOperator, sessionId, signIn } from "../../operators/mod.ts";
import { KEEP_FIELD } from "../component/password_field.tsx";
import { door } from "../kit/gates.ts";
import { mounted } from "../kit/route.ts";
import { ownPath } from "../own_path.ts";
import { paths } from "../paths.ts";
import { seeOther } from "../respond.ts";
import { withoutSession } from "../session_cookie.ts";
import { asTooMany, waitSentence } from "../wait_sentence.ts";
import { type DoorDeps, letIn } from "./let_in.ts";
import { SignInPage } from "./page.tsx";

/** `/sign-in` and `/sign-out`. */
export function signInRoutes(deps: DoorDeps) {
  const { sessions, store } = deps;
  return mounted(deps, [
    door.get(paths.signIn, {}, (visit) => {
      const to = ownPath(visit.search.get("to"));
      if (sessions.find(visit.request) !== undefined) return seeOther(to);
      if (!hasOperator(store.db)) return seeOther(paths.setup);
      return <SignInPage shell={visit.shell} name="" refusal={null} keep={false} to={to} />;
    }),
    door.post(paths.signIn, {}, async (visit) => {
      const { request, form } = visit;
      const [name, password] = [form.get("name") ?? "", form.get("password") ?? ""];
      const to = ownPath(form.get("to"));
      const keep = form.has(KEEP_FIELD);
      const caller = sessions.caller(request);
      const replaces = sessions.find(request)?.live?.session.digest;
      const again = (refusal: string) => (
        <SignInPage shell={visit.shell} name={name} refusal={refusal} keep={keep} to={to} />
      );
      const result = await signIn(deps, { name, password, caller, keep, replaces }).catch(
        (error: unknown) => {
          if (!isStorageFailure(error)) throw error;
          return { ok: false, reason: "unstored", fault: storageFault(error) } as const;
        },
      );
      if (result.ok) return letIn(deps, request, result, to);
      if (result.reason === "unstored") {
        const refusal = `You are not signed in: nothing can be stored now (${result.fault}). Try again shortly.`;
        return visit.page(again(refusal), { status: 503, headers: { "retry-after": "2" } });
      }
      return result.reason === "wait"
        ? visit.page(again(waitSentence(result.seconds)), asTooMany(result.seconds))
        : visit.page(again("That name and password do not match."), { status: 401 });
    }),
    door.post(paths.signOut, {}, async ({ request, now }) => {
      const live = sessions.find(request)?.live;
      if (live !== undefined) {
        const by = { actor: `operator:${live.operator.name}`, now };
        await endSession(deps, live.operator, sessionId(live.session.digest), by);
      }
      return withoutSession(request, seeOther(paths.signIn));
    }),
  ]);
}

/** `/sign-in` and `/sign-out`. */

import { hasPerson as hasOperator } from "../../access/operators.ts";
import { endSession, sessionId } from "../../access/sessions.ts";
import { signIn } from "../../access/sign_in.ts";
import { TOWER_COMMAND } from "../../base/command_line.ts";
import { isStorageFailure, storageFault } from "../../base/storage_fault.ts";
import type { PageGround } from "../ground.ts";
import { Form, KEEP_FIELD, KeepField, NameField, PasswordField } from "../kit/field.tsx";
import { door, mounted } from "../kit/route.ts";
import { Callout } from "../kit/words.tsx";
import { Door } from "../layout.tsx";
import { ownPath, paths } from "../paths.ts";
import {
  asTooMany,
  deviceCookie,
  seeOther,
  sessionCookie,
  waitSentence,
  withoutSession,
} from "../session.ts";

/** On to a page of ours with the cookie of a new session, and that of a browser that was not known. */
export function letIn(
  { sessions }: PageGround,
  request: Request,
  opened: { readonly token: string; readonly device?: string | undefined; readonly kept: boolean },
  to: string,
): Response {
  const response = seeOther(to);
  const asking = { request, transport: sessions.transport(request), agent: sessions.caller(request).agent };
  response.headers.append("set-cookie", sessionCookie(opened.token, asking, opened.kept));
  if (opened.device !== undefined) {
    response.headers.append("set-cookie", deviceCookie(opened.device, asking));
  }
  return response;
}

interface SignInProps {
  readonly name: string;
  /** Null on the first visit. */
  readonly refusal: string | null;
  /** Whether the session is to be kept. */
  readonly keep: boolean;
  /** Where to go after signing in; an address on this listener. */
  readonly to: string;
}

function SignInPage({ name, refusal, keep, to }: SignInProps) {
  return (
    <Door title="Sign in">
      <h1>Sign in</h1>
      {refusal === null ? null : (
        <Callout tone="failing" role="alert">
          <p>
            <b>{refusal}</b>
          </p>
        </Callout>
      )}
      <Form action={paths.signIn} hidden={{ to }}>
        <NameField value={name} autofocus={name === ""} />
        <PasswordField name="password" label="Password" autofocus={name !== ""} />
        <KeepField checked={keep} />
        <button class="btn primary">Sign in</button>
      </Form>
      <p class="note">
        Forgot your password? On the server, run <code>{TOWER_COMMAND} operator reset</code> with your name.
      </p>
    </Door>
  );
}

export function signInRoutes(deps: PageGround) {
  const { sessions, store } = deps;
  return mounted(deps, [
    door.get(paths.signIn, {}, (visit) => {
      const to = ownPath(visit.search.get("to"));
      if (sessions.find(visit.request) !== undefined) return seeOther(to);
      if (!hasOperator(store.db)) return seeOther(paths.setup);
      return <SignInPage name="" refusal={null} keep={false} to={to} />;
    }),
    door.post(paths.signIn, {}, async (visit) => {
      const { request, form } = visit;
      const [name, password] = [form.get("name") ?? "", form.get("password") ?? ""];
      const to = ownPath(form.get("to"));
      const keep = form.has(KEEP_FIELD);
      const caller = sessions.caller(request);
      const replaces = sessions.find(request)?.live?.session.digest;
      const again = (refusal: string) => <SignInPage name={name} refusal={refusal} keep={keep} to={to} />;
      const result = await signIn(deps, { name, password, caller, keep, replaces }).catch(
        (error: unknown) => {
          if (!isStorageFailure(error)) throw error;
          return { ok: false, reason: "unstored", fault: storageFault(error) } as const;
        },
      );
      if (result.ok) return letIn(deps, request, result, to);
      if (result.reason === "unstored") {
        const refusal = `Not signed in: storage failed (${result.fault}). Try again in a minute.`;
        return visit.page(again(refusal), { status: 503, headers: { "retry-after": "2" } });
      }
      return result.reason === "wait"
        ? visit.page(again(waitSentence(result.seconds)), asTooMany(result.seconds))
        : visit.page(again("Wrong name or password."), { status: 401 });
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

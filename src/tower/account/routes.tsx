import { Elysia } from "elysia";
import { changePassword, endSession, findOperator, listSessions, sessionId } from "../../operators/mod.ts";
import { Problem } from "../../platform/problem.ts";
import { readForm } from "../form.ts";
import { htmlPage, seeOther } from "../respond.ts";
import type { SignedIn } from "../session.ts";
import { type DoorDeps, letIn } from "../sign_in/routes.tsx";
import { waitSentence } from "../wait_sentence.ts";
import { SessionsPage, type SessionsPageProps, sessionPaths } from "./page.tsx";

/** `/settings/sessions` and `/settings/password`: one's own sessions and password. */
export function accountRoutes(deps: DoorDeps) {
  return new Elysia({ name: "account" })
    .get(sessionPaths.list, ({ request }) => page(request, deps, deps.sessions.signedIn(request), {}))
    .post("/settings/sessions/:id/sign-out", ({ request, params: { id } }) => end(request, deps, id), {
      parse: "none",
    })
    .post(sessionPaths.password, ({ request }) => change(request, deps), { parse: "none" });
}

async function end(request: Request, deps: DoorDeps, id: string): Promise<Response> {
  const { live, actor } = deps.sessions.signedIn(request);
  const by = { actor: actor.id, now: deps.clock.now() };
  if (live === undefined || !(await endSession(deps, live.operator, id, by))) {
    throw new Problem("not-found", "No such session; it may have ended before.");
  }
  return seeOther(`${sessionPaths.list}?done=session-ended`);
}

async function change(request: Request, deps: DoorDeps): Promise<Response> {
  const signedIn = deps.sessions.signedIn(request);
  const form = await readForm(request);
  const result = await changePassword(deps, {
    name: signedIn.actor.name,
    current: form.get("current") ?? "",
    password: form.get("password") ?? "",
    caller: deps.sessions.caller(request),
  });
  if (result.ok) return letIn(deps, request, result, `${sessionPaths.list}?done=password-changed`);
  if (result.field === "wait") {
    const current = waitSentence(result.seconds);
    const headers = { "retry-after": String(result.seconds) };
    return page(request, deps, signedIn, { current }, { status: 429, headers });
  }
  return page(request, deps, signedIn, { [result.field]: result.reason }, { status: 422 });
}

function page(
  request: Request,
  deps: DoorDeps,
  { actor, live }: SignedIn,
  errors: SessionsPageProps["errors"],
  options: { readonly status?: number; readonly headers?: Readonly<Record<string, string>> } = {},
): Response {
  const own = live === undefined ? [] : listSessions(deps.store.db, live.operator.id, deps.clock.now());
  const operator = findOperator(deps.store.db, actor.name);
  return htmlPage(
    request,
    <SessionsPage
      shell={deps.shellFor(request, actor)}
      sessions={own.map(({ digest, agent, address, createdAt, lastSeenAt }) => {
        const current = digest === live?.session.digest;
        return { id: sessionId(digest), agent, address, createdAt, lastSeenAt, current };
      })}
      hasPassword={operator !== undefined && operator.passwordHash !== null}
      errors={errors}
    />,
    options,
  );
}

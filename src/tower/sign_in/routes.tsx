import { Elysia } from "elysia";
import { endSession, hasOperator, type OperatorDeps, sessionId, signIn } from "../../operators/mod.ts";
import type { Actor } from "../../platform/access.ts";
import { DOOR_BYTES, readForm } from "../form.ts";
import { ownPath } from "../own_path.ts";
import { paths } from "../paths.ts";
import { htmlPage, seeOther } from "../respond.ts";
import type { Sessions } from "../session.ts";
import { deviceCookie, noSessionCookies, sessionCookie } from "../session_cookie.ts";
import type { Shell } from "../shell.ts";
import { waitSentence } from "../wait_sentence.ts";
import { SignInPage } from "./page.tsx";

/** What the doors before signing in need. */
export interface DoorDeps extends OperatorDeps {
  readonly sessions: Sessions;
  readonly shellFor: (request: Request, actor: Actor | null) => Shell;
}

/** `/sign-in` and `/sign-out`. */
export function signInRoutes(deps: DoorDeps) {
  return new Elysia({ name: "sign-in" })
    .get(paths.signIn, ({ request }) => show(request, deps))
    .post(paths.signIn, ({ request }) => enter(request, deps), { parse: "none" })
    .post(paths.signOut, ({ request }) => leave(request, deps), { parse: "none" });
}

function show(request: Request, deps: DoorDeps): Response {
  const to = ownPath(new URL(request.url).searchParams.get("to"));
  if (deps.sessions.find(request) !== undefined) return seeOther(to);
  if (!hasOperator(deps.store.db)) return seeOther(paths.setup);
  return htmlPage(
    request,
    <SignInPage shell={deps.shellFor(request, null)} name="" refusal={null} to={to} />,
  );
}

async function enter(request: Request, deps: DoorDeps): Promise<Response> {
  deps.sessions.assertOwnOrigin(request);
  const form = await readForm(request, DOOR_BYTES);
  const name = form.get("name") ?? "";
  const to = ownPath(form.get("to"));
  const caller = deps.sessions.caller(request);
  const result = await signIn(deps, {
    name,
    password: form.get("password") ?? "",
    caller,
    replaces: deps.sessions.find(request)?.live?.session.digest,
  });
  if (result.ok) return letIn(deps, request, result, to);
  const shell = deps.shellFor(request, null);
  if (result.reason === "wait") {
    const refusal = waitSentence(result.seconds);
    return htmlPage(request, <SignInPage shell={shell} name={name} refusal={refusal} to={to} />, {
      status: 429,
      headers: { "retry-after": String(result.seconds) },
    });
  }
  const refusal = "That name and password do not match.";
  return htmlPage(request, <SignInPage shell={shell} name={name} refusal={refusal} to={to} />, {
    status: 401,
  });
}

async function leave(request: Request, deps: DoorDeps): Promise<Response> {
  deps.sessions.assertOwnOrigin(request);
  const live = deps.sessions.find(request)?.live;
  if (live !== undefined) {
    const by = { actor: `operator:${live.operator.name}`, now: deps.clock.now() };
    await endSession(deps, live.operator, sessionId(live.session.digest), by);
  }
  const response = seeOther(paths.signIn);
  for (const cookie of noSessionCookies()) response.headers.append("set-cookie", cookie);
  return response;
}

/** On to a page of ours with the cookie of a new session, and that of a browser that was not known. */
export function letIn(
  deps: DoorDeps,
  request: Request,
  opened: { readonly token: string; readonly device?: string | undefined },
  to: string,
): Response {
  const response = seeOther(to);
  const transport = deps.sessions.transport(request);
  const { agent } = deps.sessions.caller(request);
  response.headers.append("set-cookie", sessionCookie(opened.token, transport, agent));
  if (opened.device !== undefined) {
    response.headers.append("set-cookie", deviceCookie(opened.device, transport, agent));
  }
  return response;
}

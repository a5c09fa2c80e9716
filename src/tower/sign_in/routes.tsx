import { Elysia } from "elysia";
import { endSession, hasOperator, type OperatorDeps, sessionId, signIn } from "../../operators/mod.ts";
import type { Actor } from "../../platform/access.ts";
import { readForm } from "../form.ts";
import { ownPath } from "../own_path.ts";
import { paths } from "../paths.ts";
import { htmlPage, seeOther } from "../respond.ts";
import type { Sessions } from "../session.ts";
import { noSessionCookies, sessionCookie } from "../session_cookie.ts";
import type { Shell } from "../shell.ts";
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
  const form = await readForm(request);
  const name = form.get("name") ?? "";
  const to = ownPath(form.get("to"));
  const caller = deps.sessions.caller(request);
  const result = await signIn(deps, {
    name,
    password: form.get("password") ?? "",
    caller,
    replaces: deps.sessions.find(request)?.live?.session.digest,
  });
  if (result.ok) return letIn(deps, request, result.token, to);
  const shell = deps.shellFor(request, null);
  if (result.reason === "wait") {
    const refusal = `Too many tries. The next one is heard in ${secondsInWords(result.seconds)}.`;
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

/** On to a page of ours with the cookie of a new session. */
export function letIn(deps: DoorDeps, request: Request, token: string, to: string): Response {
  const response = seeOther(to);
  const { sessions } = deps;
  response.headers.append(
    "set-cookie",
    sessionCookie(token, sessions.transport(request), sessions.caller(request).agent),
  );
  return response;
}

/** "1 second", "2 seconds", "4 minutes". */
export function secondsInWords(seconds: number): string {
  if (seconds === 1) return "1 second";
  return seconds < 120 ? `${seconds} seconds` : `${Math.ceil(seconds / 60)} minutes`;
}

import type { OperatorDeps } from "../../operators/mod.ts";
import type { Actor } from "../../platform/access.ts";
import { seeOther } from "../respond.ts";
import type { Sessions } from "../session.ts";
import { deviceCookie, sessionCookie } from "../session_cookie.ts";
import type { Shell } from "../shell.ts";

/** What the doors before signing in need. */
export interface DoorDeps extends OperatorDeps {
  readonly sessions: Sessions;
  readonly shellFor: (request: Request, actor: Actor | null) => Shell;
}

/** On to a page of ours with the cookie of a new session, and that of a browser that was not known. */
export function letIn(
  { sessions }: DoorDeps,
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

/**
 * The session's cookie. `__Host-` makes the browser itself keep it to this host, to https and to the whole path. Chrome and
 * Firefox take such a cookie over http on loopback too; Safari does not, and plain http elsewhere cannot, so those get the
 * plainer one.
 */
import type { Transport } from "./transport.ts";

const SECURE_NAME = "__Host-tower";
const PLAIN_NAME = "tower_dev";
/** Browsers that take secure cookies over http on loopback. */
const TAKES_SECURE_ON_LOOPBACK = /(?:Chrome|Chromium|Firefox)\//;

/** The session token a request carries. Over https only the secure cookie counts: the other may have been planted. */
export function sessionTokenOf(request: Request, transport: Transport): string | undefined {
  const header = request.headers.get("cookie");
  if (header === null) return undefined;
  const cookies = new Bun.CookieMap(header);
  const token = cookies.get(SECURE_NAME) ?? (transport === "https" ? null : cookies.get(PLAIN_NAME));
  return token ?? undefined;
}

/** The `Set-Cookie` that keeps a session until the browser closes. */
export function sessionCookie(token: string, transport: Transport, agent: string): string {
  const isSecure =
    transport === "https" || (transport === "loopback" && TAKES_SECURE_ON_LOOPBACK.test(agent));
  return serialise(isSecure ? SECURE_NAME : PLAIN_NAME, token, isSecure);
}

/** The `Set-Cookie`s that take both cookies away. */
export function noSessionCookies(): readonly string[] {
  return [`${serialise(SECURE_NAME, "", true)}; Max-Age=0`, `${serialise(PLAIN_NAME, "", false)}; Max-Age=0`];
}

function serialise(name: string, value: string, secure: boolean): string {
  return new Bun.Cookie(name, value, { path: "/", httpOnly: true, sameSite: "strict", secure }).serialize();
}

/**
 * The cookie of a screen that was opened with a link: it comes back to the Wall alone, and opens nothing else. Lax, since a link may
 * be followed from mail; it only reads.
 */
import { paths } from "../paths.ts";
import type { Transport } from "../transport.ts";

/** The longest that browsers keep a cookie, in seconds: 400 days. Whoever opens the link again has it anew. */
const LIFE_S = 400 * 24 * 60 * 60;

/** A cookie goes to every port of its host, so it is named after the port that is asked. */
function nameFor(request: Request): string {
  const host = request.headers.get("host") ?? new URL(request.url).host;
  return `tower_wall${/:(\d+)$/.exec(host)?.[1] ?? ""}`;
}

/** The token of the link that a request carries. */
export function wallTokenOf(request: Request): string | undefined {
  const header = request.headers.get("cookie");
  return header === null ? undefined : (new Bun.CookieMap(header).get(nameFor(request)) ?? undefined);
}

/** The `Set-Cookie` of a link. */
export function wallCookie(token: string, request: Request, transport: Transport): string {
  return new Bun.Cookie(nameFor(request), token, {
    path: paths.wall,
    httpOnly: true,
    sameSite: "lax",
    secure: transport === "https",
    maxAge: LIFE_S,
  }).serialize();
}

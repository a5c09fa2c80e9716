/**
 * The two cookies of someone who signs in: the session's, and the one by which the browser is known again. `__Host-` makes the
 * browser itself keep a cookie to this host, to https and to the whole path. Chrome and Firefox take such a cookie over http on
 * loopback too; Safari does not, and plain http elsewhere cannot, so those get the plainer one. A cookie goes to every port of
 * its host: it is named after the port that the browser asks, so that two Towers of one computer, or at two ends of tunnels, do not sign
 * each other's people out; what a session alone must not allow asks for the password again.
 */

import { KEPT_LIFE_MS } from "../access/sessions.ts";

/** How a browser reached the Tower, which decides what its session cookie may be. */

/** Over https; over plain http on this machine, where browsers treat it as secure; or over plain http. */
export type Transport = "https" | "loopback" | "plain";

/** What tells the transport of a request. */
interface TransportFacts {
  readonly host: string;
  /** The published address, if any. */
  readonly published: string | undefined;
  /** `X-Forwarded-Proto`, when the peer is believed. */
  readonly forwardedProto: string | null;
}

/** The transport of a request. */
export function transportOf({ host, published, forwardedProto }: TransportFacts): Transport {
  if (forwardedProto === "https") return "https";
  if (published?.startsWith("https://") === true && new URL(published).host === host) return "https";
  return /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d+)?$/.test(host) ? "loopback" : "plain";
}

/** The port whose cookies have the names alone, as have those of an address that names none. */
const USUAL_PORT = "4611";

/** A cookie under its two names. */
interface Names {
  readonly secure: string;
  readonly plain: string;
}

/** The browser that gets a cookie. */
interface Asking {
  readonly request: Request;
  readonly transport: Transport;
  readonly agent: string;
}

const SESSION: Names = { secure: "__Host-tower", plain: "tower_dev" };
const DEVICE: Names = { secure: "__Host-tower_device", plain: "tower_dev_device" };
/** How long a browser that is not used stays known, in seconds: half a year. */
const DEVICE_LIFE_S = 180 * 24 * 60 * 60;
/** Browsers that take secure cookies over http on loopback. */
const TAKES_SECURE_ON_LOOPBACK = /(?:Chrome|Chromium|Firefox)\//;

/** The session token a request carries. */
export function sessionTokenOf(request: Request, transport: Transport): string | undefined {
  return cookieValue(SESSION, request, transport);
}

/** The secret of the browser a request comes from. */
export function deviceTokenOf(request: Request, transport: Transport): string | undefined {
  return cookieValue(DEVICE, request, transport);
}

/** The `Set-Cookie` of a session: until the browser closes, or for as long as one lasts that is kept. */
export function sessionCookie(token: string, to: Asking, kept: boolean): string {
  const cookie = cookieOf(SESSION, token, to);
  return kept ? `${cookie}; Max-Age=${KEPT_LIFE_MS / 1000}` : cookie;
}

/** The `Set-Cookie` by which the browser is known again. */
export function deviceCookie(token: string, to: Asking): string {
  return `${cookieOf(DEVICE, token, to)}; Max-Age=${DEVICE_LIFE_S}`;
}

/** An answer that takes the session's cookie away, under both of its names. */
export function withoutSession(request: Request, response: Response): Response {
  const { secure, plain } = namesFor(SESSION, request);
  response.headers.append("set-cookie", `${serialise(secure, "", true)}; Max-Age=0`);
  response.headers.append("set-cookie", `${serialise(plain, "", false)}; Max-Age=0`);
  return response;
}

/** Over https only the secure cookie counts: the other may have been planted. */
function cookieValue(names: Names, request: Request, transport: Transport): string | undefined {
  const header = request.headers.get("cookie");
  if (header === null) return undefined;
  const cookies = new Bun.CookieMap(header);
  const { secure, plain } = namesFor(names, request);
  return cookies.get(secure) ?? (transport === "https" ? null : cookies.get(plain)) ?? undefined;
}

function namesFor({ secure, plain }: Names, request: Request): Names {
  const host = request.headers.get("host") ?? new URL(request.url).host;
  const port = /:(\d+)$/.exec(host)?.[1];
  if (port === undefined || port === USUAL_PORT) return { secure, plain };
  return { secure: `${secure}-${port}`, plain: `${plain}-${port}` };
}

function cookieOf(names: Names, value: string, { request, transport, agent }: Asking): string {
  const { secure, plain } = namesFor(names, request);
  const isSecure =
    transport === "https" || (transport === "loopback" && TAKES_SECURE_ON_LOOPBACK.test(agent));
  return serialise(isSecure ? secure : plain, value, isSecure);
}

function serialise(name: string, value: string, secure: boolean): string {
  return new Bun.Cookie(name, value, { path: "/", httpOnly: true, sameSite: "strict", secure }).serialize();
}

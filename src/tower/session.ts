/**
 * Who a request is from: the session's cookie or a believed proxy's header for people, a bearer token for programs. Decides
 * also where to send those who are not signed in.
 */

import type { Logger } from "@logtape/logtape";
import type { Actor, Caller, OperatorDeps, Scope } from "../access/access.ts";
import { type ApiTokenBook, actorOfToken } from "../access/api_tokens.ts";
import { findOperator, hasPerson as hasOperator } from "../access/operators.ts";
import { deviceDigest, KEPT_LIFE_MS } from "../access/sessions.ts";
import {
  admitTrusted,
  authenticate,
  clientAddress,
  forwardingPeers,
  type LiveSession,
  namingPeers,
  type Trusted,
  trustedName,
} from "../access/sign_in.ts";
import { bracketed, type HostNames, hasPort, isWildcard, LOOPBACK_NAMES } from "../base/hosts.ts";
import { contextOf, matches, tagOf } from "../base/http_handler.ts";
import { logOf } from "../base/log.ts";
import { Problem, ResponseThrown } from "../base/problem.ts";
import { unauthenticated } from "../base/receive.ts";
import { countWords } from "../base/text.ts";
import { formatInstant } from "../base/time.ts";
import type { SiteTokenBook } from "../sites/site_tokens.ts";
import { render, renderDocument, type Safe } from "./jsx/jsx-runtime.ts";
import { withNotice } from "./keyboard.tsx";
import { Clock } from "./kit/proof.tsx";
import { ownPath, paths } from "./paths.ts";

/**
 * The two cookies of someone who signs in: the session's, and the one by which the browser is known again. `__Host-` makes the
 * browser itself keep a cookie to this host, to https and to the whole path. Chrome and Firefox take such a cookie over http on
 * loopback too; Safari does not, and plain http elsewhere cannot, so those get the plainer one. A cookie goes to every port of
 * its host: it is named after the port that the browser asks, so that two Towers of one computer, or at two ends of tunnels, do not sign
 * each other's people out; what a session alone must not allow asks for the password again.
 */

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
function transportOf({ host, published, forwardedProto }: TransportFacts): Transport {
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

/** The host that a request names: one that names none is refused before. */
export const hostOf = ({ headers }: Request): string => headers.get("host") ?? "";

function namesFor({ secure, plain }: Names, request: Request): Names {
  const port = /:(\d+)$/.exec(hostOf(request))?.[1];
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

/**
 * Requests that change something must come from our own pages. `Origin` decides, since browsers send it with every unsafe
 * method; `Sec-Fetch-Site` is judged beside it where it is sent, which is not the case over plain http beyond loopback.
 */

const SAFE_METHODS = new Set(["GET", "HEAD", "OPTIONS"]);
const OWN_SITES = new Set(["same-origin", "none"]);

/** Whether a method changes something. */
export function isUnsafe(method: string): boolean {
  return !SAFE_METHODS.has(method);
}

/** The origins of our own pages. Unlike a `Host` name an origin always has its port: another port is another program. */
export function ownOrigins(names: HostNames): ReadonlySet<string> {
  const origins = new Set<string>();
  const add = (origin: string) => {
    if (URL.canParse(origin)) origins.add(new URL(origin).origin);
  };
  for (const name of [...LOOPBACK_NAMES, names.bound, ...names.addresses()]) {
    if (!isWildcard(name)) add(`http://${bracketed(name)}:${names.port}`);
  }
  if (names.published !== undefined) add(names.published);
  for (const name of names.allowed) {
    const host = hasPort(name) ? name : bracketed(name);
    add(`https://${host}`);
    add(hasPort(name) ? `http://${host}` : `http://${host}:${names.port}`);
  }
  return origins;
}

/** Refuses an unsafe request that does not come from our own pages. Throws a `Problem`. */
function assertOwnOrigin(request: Request, origins: ReadonlySet<string>): void {
  if (!isUnsafe(request.method)) return;
  const site = request.headers.get("sec-fetch-site");
  const origin = request.headers.get("origin");
  if (origin === null || !origins.has(origin) || (site !== null && !OWN_SITES.has(site))) {
    throw new Problem(
      "cross-origin",
      "Open the page again under the Tower's own address and repeat what you did.",
    );
  }
}

/**
 * What a reverse proxy's settings lack, told to the log when a request shows it: without a word the proxy would look as if it worked, and
 * every operator as if they sat on it.
 */

/** The most peers told of: anybody may send a header. */
const MOST_PEERS = 10;

const HINTS = {
  unlisted: "X-Forwarded-For came from an address that TRUSTED_PROXIES does not name, and was not believed",
  /** So everybody behind it counts as one. */
  silent: "a proxy of TRUSTED_PROXIES sent no X-Forwarded-For: everybody behind it counts as one address",
  unproved: "the trusted header came without TRUSTED_PROXY_SECRET, and was not believed",
};

/** Tells each thing once for a peer. */
export function proxyHints(log: Pick<Logger, "warn">): (hint: keyof typeof HINTS, peer: string) => void {
  const told = new Set<string>();
  return (hint, peer) => {
    const key = `${hint} ${peer}`;
    if (told.has(key) || told.size >= MOST_PEERS) return;
    told.add(key);
    log.warn(HINTS[hint], { peer });
  };
}

/** Answers of the Tower: whole pages with an ETag, fragments for htmx, and redirects after a form. */

const HTML = "text/html; charset=utf-8";

/** How a page may be answered. */
export interface PageOptions {
  readonly status?: number;
  /** The page holds a secret: no browser may keep it. What answers a form is never kept. */
  readonly noStore?: boolean;
  readonly headers?: Readonly<Record<string, string>>;
  /** The moment the page is of, as it says itself. A refresh is told it beside the page, which may be the same as before. */
  readonly readAt?: number;
}

/** A whole page: `private, no-cache` with an ETag, so that an unchanged page costs a 304. */
export function htmlPage(request: Request, page: Safe, options: PageOptions = {}): Response {
  return htmlAnswer(request, renderDocument(page), options);
}

/** A fragment that htmx swaps in; it too has an ETag. */
export function htmlFragment(request: Request, fragment: Safe, options: PageOptions = {}): Response {
  return htmlAnswer(request, render(fragment), options);
}

function htmlAnswer(request: Request, html: string, options: PageOptions): Response {
  const status = options.status ?? 200;
  const headers = new Headers({ "content-type": HTML, ...options.headers });
  headers.append("vary", `HX-Request, ${REFRESH}`);
  if (options.readAt !== undefined) headers.set("tower-read-at", formatInstant(options.readAt));
  if (options.noStore === true || status !== 200 || isUnsafe(request.method)) {
    headers.set("cache-control", "no-store");
    return new Response(html, { status, headers });
  }
  const etag = tagOf(isRefresh(request) ? withoutMoment(html, options.readAt) : html);
  headers.set("etag", etag);
  headers.set("cache-control", "private, no-cache");
  if (matches(request.headers.get("if-none-match"), etag)) {
    headers.delete("content-type");
    return new Response(null, { status: 304, headers });
  }
  return new Response(html, { status, headers });
}

/** A page that reads itself anew (`public/live.js`) and shows the moment apart: whether anything else is new is what it asks. */
const REFRESH = "Tower-Refresh";

/** Whether a page asks for itself anew. */
export function isRefresh(request: Request): boolean {
  return request.headers.has(REFRESH);
}

/** A page without the moment it is of. */
function withoutMoment(html: string, readAt: number | undefined): string {
  return readAt === undefined ? html : html.replaceAll(render(Clock({ at: readAt, seconds: true })), "");
}

export const CSV = "text/csv; charset=utf-8; header=present";

/** A file to be saved. Its name holds nothing but what an address may. */
export function fileAnswer(name: string, type: string, text: string | ReadableStream): Response {
  const headers = {
    "content-disposition": `attachment; filename="${name}"`,
    "cache-control": "private, no-cache",
  };
  return new Response(text, { headers: { ...headers, "content-type": type } });
}

/** After a form: on to another page of ours, by GET. */
export function seeOther(path: string): Response {
  return new Response(null, { status: 303, headers: { location: path, "cache-control": "no-store" } });
}

/** Whether htmx made the request and wants a fragment. */
export function isHtmx(request: Request): boolean {
  return request.headers.get("hx-request") === "true";
}

/** What telling who asks works with. */
interface SessionDeps extends Pick<OperatorDeps, "store" | "writer" | "clock" | "ids"> {
  readonly apiTokens: ApiTokenBook;
  readonly siteTokens: SiteTokenBook;
  readonly config: {
    readonly trustedAuthHeader: string | undefined;
    readonly trustedProxySecret: string | undefined;
    readonly trustedProxies: readonly string[];
    readonly tower: { readonly publicUrl: string | undefined };
  };
  /** The origins of our own pages; read at each request, since the port is known only after listening. */
  readonly origins: () => ReadonlySet<string>;
}

/** Someone who is signed in, by a session or by the trusted header. */
export interface SignedIn {
  readonly actor: Actor;
  /** Undefined when the trusted header names the operator. */
  readonly live: LiveSession | undefined;
}

/** The doors of the Tower, for routes. */
export type Sessions = ReturnType<typeof createSessions>;

/** Makes the checks that routes ask for. */
export function createSessions(deps: SessionDeps) {
  const forwards = forwardingPeers(deps.config.trustedProxies);
  const trusted: Trusted = {
    header: deps.config.trustedAuthHeader,
    isTrusted: namingPeers(deps.config.trustedProxies),
    secret: deps.config.trustedProxySecret,
  };
  const hint = proxyHints(logOf("sessions"));

  const transport = (request: Request): Transport =>
    transportOf({
      host: hostOf(request),
      published: deps.config.tower.publicUrl,
      forwardedProto: forwards(contextOf(request).addressOf())
        ? request.headers.get("x-forwarded-proto")
        : null,
    });

  const find = (request: Request): SignedIn | undefined => {
    const peer = contextOf(request).addressOf();
    const named = trustedName(request.headers, peer, trusted);
    if (named === "unproved") hint("unproved", peer);
    else if (named !== undefined) return admit(deps, named.name);
    const token = cookieValue(SESSION, request, transport(request));
    const live = token === undefined ? undefined : authenticate(deps, token);
    return live === undefined ? undefined : { actor: operatorActor(live.operator.name), live };
  };

  const signedIn = (request: Request): SignedIn => {
    const found = find(request);
    if (found === undefined) throw new ResponseThrown(wayIn(request, hasOperator(deps.store.db)));
    assertOwnOrigin(request, deps.origins());
    return found;
  };

  return {
    /** Who is signed in, if anybody. */
    find,
    /** As `page`, with the session. */
    signedIn,
    page: (request: Request) => signedIn(request).actor,
    api: (request: Request, scope: Scope) => {
      if (request.headers.has("authorization")) return actorOfToken(request, scope, deps);
      const found = find(request);
      if (found === undefined) throw unauthenticated();
      assertOwnOrigin(request, deps.origins());
      return found.actor;
    },
    /** Refuses an unsafe request from elsewhere, signed in or not. */
    assertOwnOrigin: (request: Request) => assertOwnOrigin(request, deps.origins()),
    caller: (request: Request): Caller => {
      const peer = contextOf(request).addressOf();
      const isForwarded = request.headers.has("x-forwarded-for");
      if (isForwarded !== forwards(peer)) hint(isForwarded ? "unlisted" : "silent", peer);
      return {
        address: clientAddress(request.headers, peer, forwards),
        agent: request.headers.get("user-agent") ?? "",
        device: deviceDigest(cookieValue(DEVICE, request, transport(request))),
      };
    },
    transport,
  };
}

function operatorActor(name: string): Actor {
  return { name, id: `operator:${name}` };
}

/** The person a proxy named. A new one is written down beside the answer: a later act waits behind it in the same queue. */
function admit(deps: SessionDeps, name: string): SignedIn | undefined {
  const known = findOperator(deps.store.db, name);
  if (known?.kind === "service") return undefined;
  if (known === undefined) {
    deps.writer.background(admitTrusted(deps, name), (cause) =>
      logOf("sessions").warn("an operator named by the proxy was not added", { reason: String(cause) }),
    );
  }
  return { actor: operatorActor(name), live: undefined };
}

/** Where someone who is not signed in goes on: to the sign-in page, or to the set-up while there is no operator. */
function wayIn(request: Request, isSetUp: boolean): Response {
  if (isHtmx(request)) {
    const current = request.headers.get("hx-current-url");
    const here = current !== null && URL.canParse(current) ? new URL(current) : undefined;
    const door = doorOf(isSetUp, here === undefined ? undefined : `${here.pathname}${here.search}`);
    return new Response(null, { status: 401, headers: { "hx-redirect": door, "cache-control": "no-store" } });
  }
  const { pathname, search } = new URL(request.url);
  if (isUnsafe(request.method))
    return seeOther(isSetUp ? withNotice(paths.signIn, "not-saved") : paths.setup);
  return isFromElsewhere(request)
    ? comeAgain(`${pathname}${search}`)
    : seeOther(doorOf(isSetUp, `${pathname}${search}`));
}

function doorOf(isSetUp: boolean, from: string | undefined): string {
  if (!isSetUp) return paths.setup;
  const to = ownPath(from);
  return to === paths.portfolio ? paths.signIn : paths.signInTo(to);
}

/** A link followed from another site, such as a notice in web mail: a strict cookie does not come with it. */
function isFromElsewhere(request: Request): boolean {
  return (
    request.headers.get("sec-fetch-site") === "cross-site" &&
    request.headers.get("sec-fetch-mode") === "navigate"
  );
}

/** Has the browser ask again by itself, now from a page of ours, so that the cookie comes along if there is one. */
function comeAgain(path: string): Response {
  return new Response(null, {
    status: 200,
    headers: {
      refresh: `0; url=${ownPath(path)}`,
      "cache-control": "no-store",
      "content-type": "text/html; charset=utf-8",
    },
  });
}

/** What whoever tried too often is told. */

/** "Too many tries. Try again in 4 minutes." */
export function waitSentence(seconds: number): string {
  return `Too many tries. Try again in ${secondsInWords(seconds)}.`;
}

/** How the page that says so is answered. */
export function asTooMany(seconds: number): PageOptions {
  return { status: 429, headers: { "retry-after": String(seconds) } };
}

/** "1 second", "2 seconds", "4 minutes". */
function secondsInWords(seconds: number): string {
  return seconds < 120 ? countWords(seconds, "second") : countWords(Math.ceil(seconds / 60), "minute");
}

/**
 * Who a request is from: the session's cookie or a believed proxy's header for people, a bearer token for programs. Decides
 * also where to send those who are not signed in.
 */
import type { SiteTokenBook } from "../assets/mod.ts";
import {
  type ApiTokenBook,
  admitTrusted,
  authenticate,
  type Caller,
  clientAddress,
  deviceDigest,
  findOperator,
  forwardingPeers,
  hasOperator,
  type LiveSession,
  namingPeers,
  type OperatorDeps,
  type Trusted,
  trustedName,
} from "../operators/mod.ts";
import type { Access, Actor, Scope } from "../platform/access.ts";
import { contextOf } from "../platform/edge.ts";
import { logOf } from "../platform/log.ts";
import { Detour, Problem } from "../platform/problem.ts";
import { bearerToken, unauthenticated } from "../platform/receive.ts";
import { assertOwnOrigin, isUnsafe } from "./origin.ts";
import { ownPath } from "./own_path.ts";
import { paths } from "./paths.ts";
import { proxyHints } from "./proxy_hints.ts";
import { isHtmx, seeOther } from "./respond.ts";
import { deviceTokenOf, sessionTokenOf } from "./session_cookie.ts";
import { type Transport, transportOf } from "./transport.ts";

/** What telling who asks works with. */
export interface SessionDeps extends Pick<OperatorDeps, "store" | "writer" | "clock" | "ids"> {
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
export interface Sessions extends Access {
  /** Who is signed in, if anybody. */
  find(request: Request): SignedIn | undefined;
  /** As `page`, with the session. */
  signedIn(request: Request): SignedIn;
  /** Refuses an unsafe request from elsewhere, signed in or not. */
  assertOwnOrigin(request: Request): void;
  caller(request: Request): Caller;
  transport(request: Request): Transport;
}

/** Makes the checks that routes ask for. */
export function createSessions(deps: SessionDeps): Sessions {
  const forwards = forwardingPeers(deps.config.trustedProxies);
  const trusted: Trusted = {
    header: deps.config.trustedAuthHeader,
    isTrusted: namingPeers(deps.config.trustedProxies),
    secret: deps.config.trustedProxySecret,
  };
  const hints = proxyHints(logOf("sessions"));

  const transport = (request: Request): Transport =>
    transportOf({
      host: request.headers.get("host") ?? new URL(request.url).host,
      published: deps.config.tower.publicUrl,
      forwardedProto: forwards(contextOf(request).addressOf())
        ? request.headers.get("x-forwarded-proto")
        : null,
    });

  const find = (request: Request): SignedIn | undefined => {
    const peer = contextOf(request).addressOf();
    const named = trustedName(request.headers, peer, trusted);
    if (named === "unproved") hints.unproved(peer);
    else if (named !== undefined) return admit(deps, named.name);
    const token = sessionTokenOf(request, transport(request));
    const live = token === undefined ? undefined : authenticate(deps, token);
    return live === undefined ? undefined : { actor: operatorActor(live.operator.name), live };
  };

  const signedIn = (request: Request): SignedIn => {
    const found = find(request);
    if (found === undefined) throw new Detour(wayIn(request, hasOperator(deps.store.db)));
    assertOwnOrigin(request, deps.origins());
    return found;
  };

  return {
    find,
    signedIn,
    page: (request) => signedIn(request).actor,
    api: (request, scope) => {
      if (request.headers.has("authorization")) return tokenActor(deps, request, scope);
      const found = find(request);
      if (found === undefined) throw unauthenticated();
      assertOwnOrigin(request, deps.origins());
      return found.actor;
    },
    assertOwnOrigin: (request) => assertOwnOrigin(request, deps.origins()),
    caller: (request) => {
      const peer = contextOf(request).addressOf();
      const isForwarded = request.headers.has("x-forwarded-for");
      if (isForwarded !== forwards(peer)) (isForwarded ? hints.unlisted : hints.silent)(peer);
      return {
        address: clientAddress(request.headers, peer, forwards),
        agent: request.headers.get("user-agent") ?? "",
        device: deviceDigest(deviceTokenOf(request, transport(request))),
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
    deps.writer.aside(admitTrusted(deps, name), (cause) =>
      logOf("sessions").warn("an operator named by the proxy was not added", { reason: String(cause) }),
    );
  }
  return { actor: operatorActor(name), live: undefined };
}

function tokenActor(deps: SessionDeps, request: Request, scope: Scope): Actor {
  const text = bearerToken(request);
  const known = text === undefined ? undefined : deps.apiTokens.find(text);
  if (known === undefined) {
    if (text !== undefined && deps.siteTokens.find(text) !== undefined) {
      throw new Problem(
        "insufficient-scope",
        "A site token sends reports; this route takes an operator token.",
      );
    }
    throw unauthenticated();
  }
  if (!known.scopes.includes(scope)) {
    throw new Problem("insufficient-scope", `The token has no scope ${scope}.`);
  }
  deps.apiTokens.noteUse(known, deps.clock.now());
  return { name: known.operator, id: `token:${known.id}` };
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
  if (isUnsafe(request.method)) return seeOther(doorOf(isSetUp, undefined));
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

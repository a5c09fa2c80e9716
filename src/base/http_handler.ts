/**
 * The handler of a listener: what happens to every request before and after routing. It gives the request its id, checks the host
 * and (on the ingest) that no browser sent it, turns thrown refusals into problem documents, and adds the headers that
 * every answer carries.
 */

import { promisify } from "node:util";
import { gzip } from "node:zlib";
import type { Logger } from "@logtape/logtape";
import type { Server } from "bun";
import { type AnyElysia, Elysia } from "elysia";
import type { Clock, Ids } from "./base.ts";
import { bracketed, type Hosts, isWildcard, unbracketed, unknownHost, unknownHostDetail } from "./hosts.ts";
import { sha256Hex } from "./keys.ts";
import { Problem, problemResponse, ResponseThrown } from "./problem.ts";
import { letPass } from "./receive.ts";
import { DamagedRow, isStorageFailure } from "./storage_fault.ts";
import { codeOf } from "./text.ts";

/** What the edge of any listener refuses a request for, whatever its route … */
export const HANDLER_REFUSALS = ["unknown-host", "internal-error", "storage-unavailable"] as const;
/** … and the edge of one that no browser may send to. */
export const BROWSER_REFUSALS = ["browser-origin"] as const;

const nowhere = () => "";

const contexts = new WeakMap<Request, { readonly id: string; readonly addressOf: () => string }>();

/** What the edge knows about a request that came through one. The peer's address is empty when there is no socket, as in tests. */
export const contextOf = (request: Request) => contexts.get(request) ?? { id: "", addressOf: nowhere };

/** Seconds after which a refused write may be tried again. */
const RETRY_AFTER_SECONDS = "2";

export interface HttpHandlerOptions {
  readonly listener: "ingest" | "tower";
  /** Answers a routed request; may throw a `Problem`. */
  readonly route: (request: Request) => Response | Promise<Response>;
  /** Acceptable `Host` values; read at each request, since the port is known only after listening. */
  readonly hosts: () => Hosts;
  /** Whether a request that a browser made is refused. */
  readonly refuseBrowsers: boolean;
  readonly headers: Readonly<Record<string, string>>;
  /** Shows a refusal to a person's browser instead of as JSON; undefined where there is none. */
  readonly page?:
    | ((request: Request, problem: Problem, requestId: string) => Response | undefined)
    | undefined;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Logger;
  /** Told of every answer. */
  readonly observe?: ((listener: string, status: number, seconds: number) => void) | undefined;
}

/** `addressOf` is asked only where the peer's address is needed: looking it up costs more than most of the edge. */
export type HttpHandler = (request: Request, addressOf?: () => string) => Promise<Response>;

/** Wraps a router into a listener's edge. */
export function createHttpHandler(options: HttpHandlerOptions): HttpHandler {
  return async (request, addressOf = nowhere) => {
    const started = performance.now();
    const id = options.ids.uuid();
    contexts.set(request, { id, addressOf });
    let response: Response;
    try {
      checkHost(request, options.hosts());
      if (options.refuseBrowsers) checkNoBrowser(request);
      response = await options.route(request);
    } catch (error) {
      response = refusal(error, request, id, options);
      await letPass(request, response);
    }
    response.headers.set("x-request-id", id);
    for (const name in options.headers) {
      if (!response.headers.has(name)) response.headers.set(name, options.headers[name] ?? "");
    }
    // After CONNECT the runtime takes all that follows for the bytes of a tunnel, and would leave it without an answer.
    if (request.method === "CONNECT") response.headers.set("connection", "close");
    options.observe?.(options.listener, response.status, (performance.now() - started) / 1000);
    return response;
  };
}

function checkHost(request: Request, hosts: Hosts): void {
  const host = request.headers.get("host");
  if (host === null || !hosts.has(host.toLowerCase())) {
    throw new Problem("unknown-host", unknownHostDetail(unknownHost(host, hosts.port)), {
      headers: { connection: "close" },
    });
  }
}

function checkNoBrowser(request: Request): void {
  if (request.headers.has("origin") || request.headers.has("sec-fetch-site")) {
    throw new Problem("browser-origin", "Reports come from servers; a request made by a browser is refused.");
  }
}

function refusal(error: unknown, request: Request, id: string, options: HttpHandlerOptions): Response {
  if (error instanceof ResponseThrown) return error.response;
  const problem = toProblem(error, id, options.log);
  return shown(problem, request, id, options) ?? problemResponse(problem, id);
}

/**
 * The refusal as a page, if there is one for it. Where the method is CONNECT, a request has no address that could be read, so nothing
 * is made of it but the document. A page that fails falls back to the document, too.
 */
function shown(
  problem: Problem,
  request: Request,
  id: string,
  options: HttpHandlerOptions,
): Response | undefined {
  if (request.method === "CONNECT") return undefined;
  try {
    return options.page?.(request, problem, id);
  } catch (error) {
    options.log.error("the page of a refusal could not be made", { request: id, error: textOf(error) });
    return undefined;
  }
}

function toProblem(error: unknown, id: string, log: Logger): Problem {
  if (error instanceof Problem) return error;
  if (isStorageFailure(error)) {
    log.error("storage refused a write", { request: id, reason: storageReason(error) });
    return new Problem("storage-unavailable", "Nothing was stored. Try again shortly.", {
      headers: { "retry-after": RETRY_AFTER_SECONDS },
    });
  }
  log.error("a request failed", { request: id, error: textOf(error) });
  // No secret, and what an operator needs: which row, and that asking again does not help.
  if (error instanceof DamagedRow) {
    return new Problem(
      "internal-error",
      `Stored data is damaged: ${error.message}. "tower check" tells of all of it.`,
    );
  }
  return new Problem("internal-error", "The failure was logged under the request id.");
}

function textOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : "unknown";
}

function storageReason(error: unknown): string {
  const cause = error instanceof Error && error.cause !== undefined ? error.cause : error;
  return codeOf(cause) || (cause instanceof Error ? cause.message : "unknown");
}

/** A listener that accepts connections. */
export type Listening = ReturnType<typeof listen>;

/**
 * Bun's own cap on a body. It answers with an empty body, so it stands far above the caps of the routes, which answer with a
 * problem document and never read past their bound.
 */
const BACKSTOP_BYTES = 1024 * 1024 * 1024;

/** Between two looks while a listener is renewed, in milliseconds. */
const RENEW_TURN_MS = 50;

/** Starts a listener. Throws when the address is taken. */
export function listen(edge: HttpHandler, host: string, port: number) {
  let server = open(edge, host, port);
  let stopped = false;
  const bound = server.port ?? port;
  const reopen = () => {
    try {
      server = open(edge, host, bound);
      return true;
    } catch {
      return false;
    }
  };
  return {
    host,
    port: bound,
    /** `http://host:port`, with a loopback name where the bound address is a wildcard. */
    url: `http://${reachable(host)}:${bound}`,
    /** Requests under way. */
    pending: () => server.pendingRequests,
    /**
     * Takes the address anew and closes every connection it had, those under way after `graceMs`: the one way to be rid of
     * connections on which nothing was ever sent.
     */
    renew: async (graceMs: number) => {
      const old = server;
      void old.stop();
      let isOpen = reopen();
      // Bun ends a server that has stopped in a later turn only, so that its connections can be closed then and not at once.
      const end = performance.now() + graceMs;
      do await Bun.sleep(RENEW_TURN_MS);
      while (isOpen && old.pendingRequests > 0 && performance.now() < end);
      void old.stop(true);
      // Without a descriptor to listen with, the address is taken as soon as there is one again.
      for (; !isOpen && !stopped; isOpen = reopen()) await Bun.sleep(RENEW_TURN_MS);
    },
    /** Stops accepting and waits for the requests under way, at most `withinMs`. */
    stop: async (withinMs: number) => {
      stopped = true;
      const force = setTimeout(() => void server.stop(true), withinMs);
      await server.stop();
      clearTimeout(force);
    },
  };
}

function open(edge: HttpHandler, host: string, port: number): Server<undefined> {
  return Bun.serve({
    hostname: unbracketed(host),
    port,
    maxRequestBodySize: BACKSTOP_BYTES,
    idleTimeout: 60,
    development: false,
    // Two services that shared a port would each get some of what is sent, and neither would know. Bun shares it unless it is told.
    reusePort: false,
    fetch: (request, self) => edge(request, () => self.requestIP(request)?.address ?? ""),
    error: () => new Response(null, { status: 500 }),
  });
}

function reachable(host: string): string {
  if (!isWildcard(host)) return bracketed(host);
  return host === "0.0.0.0" ? "127.0.0.1" : "[::1]";
}

/** Headers that every answer of a listener carries, unless it sets its own. */
const COMMON = {
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "cross-origin-resource-policy": "same-origin",
} as const;

export const INGEST_HEADERS: Readonly<Record<string, string>> = {
  ...COMMON,
  "cache-control": "no-store",
  "content-security-policy": "default-src 'none'",
};

/** Strict: no inline script or style, nothing from elsewhere; htmx 4 works under it without any setting. */
const TOWER_CSP = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "form-action 'self'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
  "object-src 'none'",
].join("; ");

/** The Tower's headers; over https browsers are told to keep to it. */
export function towerHeaders(https: boolean): Readonly<Record<string, string>> {
  return {
    ...COMMON,
    "cache-control": "private, no-cache",
    "content-security-policy": TOWER_CSP,
    "cross-origin-opener-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=(), payment=()",
    "x-frame-options": "DENY",
    ...(https ? { "strict-transport-security": "max-age=31536000" } : {}),
  };
}

/** The tag of a text. Weak: what is answered may be compressed, or leave out what does not count. */
export function tagOf(text: string): string {
  return `W/"${sha256Hex(text).slice(0, 32)}"`;
}

/** Whether an `If-None-Match` header names the tag, also where a proxy that compresses has made it a weak one. */
export function matches(header: string | null, etag: string): boolean {
  const opaque = (tag: string) => tag.trim().replace(/^W\//, "");
  return header?.split(",").some((tag) => ["*", opaque(etag)].includes(opaque(tag))) === true;
}

// Elysia as a plain router. What it answers by itself is taken from it, for two reasons: it knows no 405 with `Allow`, and its errors
// are no problem documents.

/** What a path that is known is refused for; a path that is not is `not-found`. */
export const ROUTER_REFUSALS = ["method-not-allowed"] as const;

/** One route: a method at a path as it is mounted, `:name` for a segment of any text and `*` for the rest. */
export interface Route {
  readonly method: string;
  readonly path: string;
}

/**
 * Makes Elysia a plain router: it answers only what a route answers, and everything it would answer by itself (an unknown path,
 * another method, a thrown error) is thrown as it is, for the edge to answer. It says which routes it has.
 */
export function routerOf(app: AnyElysia) {
  const table = new Map<string, { pattern: RegExp; methods: Set<string> }>();
  for (const { path, method } of app.routes) {
    const entry = table.get(path) ?? { pattern: patternOf(path), methods: new Set<string>() };
    entry.methods.add(method);
    if (method === "GET") entry.methods.add("HEAD");
    table.set(path, entry);
  }
  const thrown = new WeakMap<Request, unknown>();
  // Elysia's hooks hold for the routes that come after them, so the routes are taken into an application that begins with it.
  // It looks for the path behind the eleventh letter of an address otherwise, and `http://nas/` then has none. Bun's are all of http.
  const config = { strictPath: true, handler: { standardHostname: false } };
  const outer = new Elysia(config).onError(({ code, error, request }) => {
    thrown.set(request, code === "NOT_FOUND" ? notFound(request, table) : error);
    return new Response(null, { status: 500 });
  });
  const handle = outer.use(app).compile().fetch;
  const route = async (request: Request): Promise<Response> => {
    const response = await handle(request);
    const error = thrown.get(request);
    if (error !== undefined) throw error;
    return response;
  };
  const routes: readonly Route[] = app.routes.map(({ method, path }) => ({ method, path }));
  return Object.assign(route, { routes });
}

/** Paths as Elysia writes them: `:name` is one segment, `*` is the rest. */
function patternOf(path: string): RegExp {
  const source = path
    .split("/")
    .map((part) =>
      part === "*" ? ".*" : part.startsWith(":") ? "[^/]+" : part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"),
    )
    .join("/");
  return new RegExp(`^${source}$`);
}

function notFound(
  request: Request,
  table: ReadonlyMap<string, { readonly pattern: RegExp; readonly methods: ReadonlySet<string> }>,
): Problem {
  const path = pathOf(request);
  const allowed = new Set<string>();
  for (const { pattern, methods } of table.values()) {
    if (pattern.test(path)) for (const method of methods) allowed.add(method);
  }
  if (allowed.size > 0 && !allowed.has(request.method)) {
    const allow = [...allowed].sort().join(", ");
    return new Problem("method-not-allowed", `Allowed here: ${allow}.`, { headers: { allow } });
  }
  return new Problem("not-found", "There is nothing at this address.");
}

/** The path of a request, as it was sent. */
export function pathOf(request: Request): string {
  const url = request.url;
  const start = url.indexOf("/", url.indexOf("//") + 2);
  if (start < 0) return "/";
  const end = url.indexOf("?", start);
  return end < 0 ? url.slice(start) : url.slice(start, end);
}

// Compressing answers: neither Bun nor Elysia does it. zstd where the browser takes it, else gzip at a low level.

const COMPRESSIBLE = /^(?:text\/|application\/(?:json|problem\+json|javascript)|image\/svg\+xml)/;
/** Below this many bytes compression costs more than it saves. */
const LEAST_BYTES = 1_024;
/** Above this many bytes compression goes to another thread: here it would hold up every other request. */
const MOST_HERE = 64 * 1_024;

const GZIP_LEVEL = 2;
const ZSTD_LEVEL = 3;
const gzipElsewhere = promisify(gzip);

type Pack = (bytes: Uint8Array<ArrayBuffer>) => Uint8Array | Promise<Uint8Array>;
const HERE: Readonly<Record<"zstd" | "gzip", Pack>> = {
  zstd: (bytes) => Bun.zstdCompressSync(bytes, { level: ZSTD_LEVEL }),
  gzip: (bytes) => Bun.gzipSync(bytes, { level: GZIP_LEVEL }),
};
const ELSEWHERE: typeof HERE = {
  zstd: (bytes) => Bun.zstdCompress(bytes, { level: ZSTD_LEVEL }),
  gzip: (bytes) => gzipElsewhere(bytes, { level: GZIP_LEVEL }),
};

/** The answer, compressed when the request takes it and it pays. Bodies are whole in memory, never streams. */
export async function compressed(request: Request, response: Response): Promise<Response> {
  const type = response.headers.get("content-type") ?? "";
  if (response.body === null || response.headers.has("content-encoding") || !COMPRESSIBLE.test(type))
    return response;
  // A route that packs its own large answer comes through here twice.
  if (!/\baccept-encoding\b/.test(response.headers.get("vary") ?? "")) {
    response.headers.append("vary", "accept-encoding");
  }
  const encoding = chosenEncoding(request.headers.get("accept-encoding") ?? "");
  if (encoding === undefined || request.method === "HEAD") return response;
  const bytes = new Uint8Array(await response.arrayBuffer());
  const headers = new Headers(response.headers);
  if (bytes.byteLength < LEAST_BYTES) return new Response(bytes, { status: response.status, headers });
  headers.set("content-encoding", encoding);
  const packed = await (bytes.byteLength > MOST_HERE ? ELSEWHERE : HERE)[encoding](bytes);
  return new Response(packed as Uint8Array<ArrayBuffer>, { status: response.status, headers });
}

/** The encoding to answer with, or undefined; `q=0` refuses one. */
export function chosenEncoding(accept: string): "zstd" | "gzip" | undefined {
  return (["zstd", "gzip"] as const).find((name) => {
    const offered = new RegExp(`(?:^|,)\\s*${name}\\s*(;[^,]*)?(?:,|$)`, "i").exec(accept);
    return offered !== null && Number(/;\s*q=([\d.]+)/i.exec(offered[1] ?? "")?.[1] ?? 1) > 0;
  });
}

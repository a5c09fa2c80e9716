/**
 * Elysia as a plain router. What it answers by itself is taken from it, for two reasons: it knows no 405 with `Allow`, and its errors
 * are no problem documents.
 */

import { type AnyElysia, Elysia } from "elysia";
import { Problem } from "./problem.ts";

/** What a path that is known is refused for; a path that is not is `not-found`. */
export const ROUTER_REFUSALS = ["method-not-allowed"] as const;

/** One route: a method at a path as it is mounted, `:name` for a segment of any text and `*` for the rest. */
export interface Route {
  readonly method: string;
  readonly path: string;
}

/** Answers requests; says which routes it has. */
export interface Router {
  (request: Request): Promise<Response>;
  readonly routes: readonly Route[];
}

/**
 * Makes Elysia a plain router: it answers only what a route answers, and everything it would answer by itself (an unknown path,
 * another method, a thrown error) is thrown as it is, for `http_handler.ts` to answer.
 */
export function routerOf(app: AnyElysia): Router {
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
  const outer = new Elysia(config).onError({ as: "global" }, ({ code, error, request }) => {
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
  return Object.assign(route, { routes: app.routes.map(({ method, path }) => ({ method, path })) });
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
  return new Problem("not-found", "No such path.");
}

/** The path of a request, as it was sent. */
export function pathOf(request: Request): string {
  const url = request.url;
  const start = url.indexOf("/", url.indexOf("//") + 2);
  if (start < 0) return "/";
  const end = url.indexOf("?", start);
  return end < 0 ? url.slice(start) : url.slice(start, end);
}

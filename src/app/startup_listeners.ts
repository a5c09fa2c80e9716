/**
 * What answers while the service starts. The listeners are there at once, however large the database is that is looked through first:
 * until the data is open the service lives and is not ready, and every other request waits a moment and is then asked to come again.
 * After that the Tower answers, whose pages are loaded last.
 */

import { compressed } from "../base/compress.ts";
import { onceLoaded } from "../base/concurrency.ts";
import { type HttpHandler, INGEST_HEADERS, pathOf, routerOf } from "../base/http_handler.ts";
import { Problem } from "../base/problem.ts";
import type { Deps } from "./app.ts";
import { type EdgeDeps, edgeOf, type Ports, towerEdge } from "./ingest_app.ts";
import { healthRoutes } from "./service_routes.ts";

/** Both listeners, from before the data is open. */
export interface StartupListeners {
  readonly ingest: HttpHandler;
  readonly tower: HttpHandler;
  /** The service is there: everything from now on, and everything that waits, is for it to answer. */
  become(service: { readonly ingest: HttpHandler; readonly tower: HttpHandler }): void;
}

/** How long a request waits for the service, in milliseconds. */
const PATIENCE_MS = 2_000;
const RETRY_AFTER = { "retry-after": "2" } as const;
const AT_ONCE = new Map([
  ["/healthz", () => Response.json({ status: "ok" })],
  [
    "/readyz",
    () =>
      Response.json(
        { status: "not ready", reason: "the data is being opened" },
        { status: 503, headers: RETRY_AFTER },
      ),
  ],
]);

export function createStartupListeners(
  deps: EdgeDeps,
  ports: () => Ports,
  patienceMs = PATIENCE_MS,
): StartupListeners {
  const come = Promise.withResolvers<{ readonly ingest: HttpHandler; readonly tower: HttpHandler }>();
  const atOnce = (request: Request) => (request.method === "GET" ? AT_ONCE.get(pathOf(request)) : undefined);
  const notYet = () => {
    throw new Problem("storage-unavailable", "Nothing was stored. Try again shortly.", {
      headers: RETRY_AFTER,
    });
  };
  const before = {
    ingest: edgeOf(deps, ports, {
      listener: "ingest",
      refuseBrowsers: true,
      headers: INGEST_HEADERS,
      route: notYet,
    }),
    tower: edgeOf(deps, ports, {
      ...towerEdge(deps),
      route: (request) => {
        const answer = atOnce(request);
        return answer === undefined ? notYet() : compressed(request, answer());
      },
    }),
  };
  let service: { readonly ingest: HttpHandler; readonly tower: HttpHandler } | undefined;
  const edgeFor =
    (listener: "ingest" | "tower"): HttpHandler =>
    async (request, addressOf) => {
      if (service === undefined && (listener === "ingest" || atOnce(request) === undefined)) {
        await withinPatience(come.promise, patienceMs);
      }
      return (service ?? before)[listener](request, addressOf);
    };
  return {
    ingest: edgeFor("ingest"),
    tower: edgeFor("tower"),
    become: (now) => {
      service = now;
      come.resolve(now);
    },
  };
}

async function withinPatience(come: Promise<unknown>, ms: number): Promise<void> {
  const { promise: over, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, ms);
  await Promise.race([come, over]);
  clearTimeout(timer);
}

/**
 * The Tower from the first moment on: whether the service lives and is ready is answered at once, every other request when the
 * pages are loaded, which takes a fifth of a start. `load` loads them; the first such request does so at the latest.
 */
export function createLazyApp(
  deps: Deps,
  ports: () => Ports,
): { readonly edge: HttpHandler; load(): Promise<void> } {
  const health = routerOf(healthRoutes(deps));
  const atOnce = edgeOf(deps, ports, {
    ...towerEdge(deps),
    route: async (request) => compressed(request, await health(request)),
  });
  let whole: HttpHandler | undefined;
  const load = onceLoaded(async () => {
    const { createTower } = await import("./tower_app.ts");
    whole = createTower(deps, ports);
    return whole;
  });
  return {
    edge: async (request, addressOf) => {
      // What a person's browser is refused it is told on a page, which has to be loaded.
      const isPage = request.headers.get("accept")?.includes("text/html") === true;
      if (whole === undefined && !isPage && request.method === "GET" && AT_ONCE.has(pathOf(request))) {
        return atOnce(request, addressOf);
      }
      return (whole ?? (await load()))(request, addressOf);
    },
    load: async () => void (await load()),
  };
}

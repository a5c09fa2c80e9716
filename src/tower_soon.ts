import type { Deps } from "./deps.ts";
import { healthRoutes } from "./health_routes.ts";
import { edgeOf, type Ports, towerEdge } from "./listener_edge.ts";
import { compressed } from "./platform/compress.ts";
import type { Edge } from "./platform/edge.ts";
import { onceLoaded } from "./platform/once_loaded.ts";
import { pathOf, routerOf } from "./platform/routing.ts";

/** What is answered before the pages are loaded. */
const AT_ONCE = new Set(["/healthz", "/readyz"]);

/**
 * The Tower from the first moment on: whether the service lives and is ready is answered at once, every other request when the
 * pages are loaded, which takes a fifth of a start. `load` loads them; the first such request does so at the latest.
 */
export function createTowerSoon(
  deps: Deps,
  ports: () => Ports,
): { readonly edge: Edge; load(): Promise<void> } {
  const health = routerOf(healthRoutes(deps));
  const atOnce = edgeOf(deps, ports, {
    ...towerEdge(deps),
    route: async (request) => compressed(request, await health(request)),
  });
  let whole: Edge | undefined;
  const load = onceLoaded(async () => {
    const { createTower } = await import("./app.ts");
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

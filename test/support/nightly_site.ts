/** The pages about nightly reports behind the real edge with its real headers; every caller is the operator ada. */
import { join } from "node:path";
import { Elysia } from "elysia";
import { createEdge } from "../../src/platform/edge.ts";
import { towerHeaders } from "../../src/platform/headers.ts";
import { problemResponse } from "../../src/platform/problem.ts";
import { routerOf } from "../../src/platform/routing.ts";
import { assetRoutes } from "../../src/tower/asset/routes.tsx";
import type { ChartAnnotation } from "../../src/tower/component/chart_marks.tsx";
import { nightlyRoutes } from "../../src/tower/nightly/routes.tsx";
import { portfolioRoutes } from "../../src/tower/portfolio/routes.tsx";
import { shellMaker } from "../../src/tower/shell_for.ts";
import { pageAssets, readStatic } from "../../src/tower/static.ts";
import { staticRoutes } from "../../src/tower/static_routes.ts";
import type { TestGround } from "./deps.ts";
import { capturingLog } from "./log.ts";

const HOST = "localhost";

/** A running set of pages. */
export interface NightlySite {
  readonly lines: ReturnType<typeof capturingLog>["lines"];
  ask(path: string, headers?: Readonly<Record<string, string>>): Promise<Response>;
  /** Listens on loopback for a browser; answers the address. */
  listen(): string;
  close(): Promise<void>;
}

/** The pages over a test's ground. The service's own asset is `tower`. */
export function nightlySite(ground: TestGround, annotations: readonly ChartAnnotation[] = []): NightlySite {
  const { store, clock, ids } = ground;
  const { log, lines } = capturingLog();
  const files = readStatic(join(import.meta.dir, "..", "..", "public"));
  const ada = { name: "ada", id: "operator:ada" };
  const deps = {
    db: store.db,
    clock,
    access: { page: () => ada, api: () => ada },
    shellFor: shellMaker({ db: store.db, clock, assets: pageAssets(files), version: "0" }),
    config: { serviceAsset: "tower" },
    silentHoursOf: () => 26,
    annotationsOf: () => annotations,
    destinationOf: (asset: string) => ({
      asset,
      ingest: "http://127.0.0.1:4610",
      token: null,
      loopback: true,
    }),
  };
  const app = new Elysia()
    .use(staticRoutes(files))
    .use(portfolioRoutes(deps))
    .use(assetRoutes(deps))
    .use(nightlyRoutes(deps));
  const hosts = new Set([HOST]);
  const edge = createEdge({
    listener: "tower",
    route: routerOf(app),
    hosts: () => hosts,
    refuseBrowsers: false,
    headers: towerHeaders(false),
    page: (_request, problem, id) => problemResponse(problem, id),
    clock,
    ids,
    log,
  });
  let server: ReturnType<typeof Bun.serve> | undefined;
  return {
    lines,
    ask: async (path, headers = {}) =>
      edge(new Request(`http://${HOST}${path}`, { headers: { ...headers, host: HOST } })),
    listen: () => {
      server = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: (request) => edge(request) });
      hosts.add(`127.0.0.1:${server.port}`);
      return `http://127.0.0.1:${server.port}`;
    },
    close: async () => {
      await server?.stop(true);
    },
  };
}

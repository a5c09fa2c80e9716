import { join } from "node:path";
import { Elysia } from "elysia";
import { type Annotation, appendAnnotation } from "../../../src/annotations/mod.ts";
import { ensureAssets } from "../../../src/assets/mod.ts";
import type { Store } from "../../../src/db/mod.ts";
import type { Access } from "../../../src/platform/access.ts";
import { createEdge } from "../../../src/platform/edge.ts";
import { towerHeaders } from "../../../src/platform/headers.ts";
import { acceptableHosts } from "../../../src/platform/hosts.ts";
import { listen } from "../../../src/platform/listen.ts";
import { Problem } from "../../../src/platform/problem.ts";
import { routerOf } from "../../../src/platform/routing.ts";
import { SiteHeader } from "../../../src/tower/component/site_header.tsx";
import { shellMaker } from "../../../src/tower/shell_for.ts";
import { siteHead } from "../../../src/tower/site_head.ts";
import { pageAssets, readStatic } from "../../../src/tower/static.ts";
import { staticRoutes } from "../../../src/tower/static_routes.ts";
import { timelineRoutes } from "../../../src/tower/timeline/mod.ts";
import { type TestGround, testGround } from "../../support/deps.ts";
import { capturingLog, type Logged } from "../../support/log.ts";

/** The Timeline behind a real edge on a real port, for the operator ada, who is signed in unless `signedIn` says otherwise. */
export interface TimelineTower extends TestGround {
  readonly url: string;
  readonly lines: readonly Logged[];
  /** Stores annotations, ready-made. */
  keep(rows: readonly Annotation[], by?: string): Promise<readonly string[]>;
  /** Adds sites to the portfolio. */
  addSites(ids: readonly string[]): Promise<void>;
  get(path: string, headers?: Readonly<Record<string, string>>): Promise<Response>;
  /** Sends a form. */
  send(path: string, form: Readonly<Record<string, string>>): Promise<Response>;
  stored(): number;
  stop(): Promise<void>;
}

const files = readStatic(join(import.meta.dir, "../../../public"));

export async function timelineTower(
  options: { readonly store?: Store; readonly signedIn?: () => boolean } = {},
): Promise<TimelineTower> {
  const ground = await testGround(options.store);
  ground.clock.at("2026-11-20T14:02:10Z");
  const { log, lines } = capturingLog();
  const { db } = ground.store;
  const page: Access["page"] = () => {
    if (options.signedIn?.() === false) throw new Problem("unauthenticated", "Sign in first.");
    return { name: "ada", id: "operator:ada" };
  };
  const shellFor = shellMaker({ db, clock: ground.clock, assets: pageAssets(files), version: "0.1.0" });
  const app = new Elysia({ strictPath: true }).use(staticRoutes(files)).use(
    timelineRoutes({
      ...ground,
      db,
      access: { page, api: page },
      shellFor,
      siteHeader: (asset) => <SiteHeader site={siteHead(db, asset)} current="overview" />,
      destinationOf: (asset) => ({ asset, ingest: "https://ingest.example", token: null, loopback: false }),
    }),
  );
  let port = 0;
  const edge = createEdge({
    listener: "tower",
    route: routerOf(app),
    hosts: () => acceptableHosts({ bound: "127.0.0.1", port, published: undefined, allowed: [] }),
    refuseBrowsers: false,
    headers: towerHeaders(false),
    clock: ground.clock,
    ids: ground.ids,
    log,
  });
  const listening = listen(edge, "127.0.0.1", 0);
  port = listening.port;
  const by = { name: "ci", newId: ground.ids.uuid };
  return {
    ...ground,
    url: listening.url,
    lines,
    keep: (rows, name = "ci") =>
      ground.writer.write((tx) =>
        rows.map((row) => appendAnnotation(tx, row, { ...by, name, now: ground.clock.now() }).stored.id),
      ),
    addSites: async (ids) => {
      await ground.writer.write((tx) => {
        ensureAssets(tx, ids, { actor: "test", now: ground.clock.now() });
      });
    },
    get: (path, headers = {}) => fetch(`${listening.url}${path}`, { headers }),
    send: (path, form) =>
      fetch(`${listening.url}${path}`, {
        method: "POST",
        body: new URLSearchParams(form),
        redirect: "manual",
      }),
    stored: () =>
      ground.store.raw.query<{ n: number }, []>("SELECT count(*) AS n FROM annotation").get()?.n ?? -1,
    stop: async () => {
      await listening.stop(0);
      ground.store.close();
    },
  };
}

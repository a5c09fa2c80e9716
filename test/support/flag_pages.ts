/**
 * The flag pages behind the real edge with its real headers, and a fake access: who asks is the cookie `operator`. For
 * requests of a test, and for a browser once it listens.
 */
import { join } from "node:path";
import { Elysia } from "elysia";
import { insertOpenFlag, type NewFlag } from "../../src/flags/mod.ts";
import { createEdge } from "../../src/platform/edge.ts";
import { towerHeaders } from "../../src/platform/headers.ts";
import { Problem, problemResponse } from "../../src/platform/problem.ts";
import { routerOf } from "../../src/platform/routing.ts";
import { cookieOf } from "../../src/tower/cookies.ts";
import type { NearAnnotation } from "../../src/tower/flags/mod.ts";
import { flagActs, flagPages } from "../../src/tower/flags/mod.ts";
import { shellMaker } from "../../src/tower/shell_for.ts";
import { pageAssets, readStatic } from "../../src/tower/static.ts";
import { staticRoutes } from "../../src/tower/static_routes.ts";
import { type TestGround, testGround } from "./deps.ts";
import { capturingLog } from "./log.ts";
import { newFlag } from "./make/flag.ts";

const HOST = "localhost";

/** A running set of flag pages. */
export interface FlagSite extends TestGround {
  readonly lines: ReturnType<typeof capturingLog>["lines"];
  /** What the pages say stands near a flag in time. */
  readonly near: NearAnnotation[];
  readonly handle: (request: Request) => Promise<Response>;
  /** Asks as an operator. */
  ask(operator: string, path: string, init?: RequestInit): Promise<Response>;
  /** Sends a form as an operator. */
  send(
    operator: string,
    method: "POST" | "PUT" | "DELETE",
    path: string,
    form?: Readonly<Record<string, string>> | URLSearchParams,
    headers?: Readonly<Record<string, string>>,
  ): Promise<Response>;
  raise(id: string, changes?: Partial<NewFlag>): Promise<void>;
  /** Listens on loopback for a browser; answers the address. */
  listen(): string;
  close(): Promise<void>;
}

/** The flag pages over a database of their own. */
export async function flagSite(): Promise<FlagSite> {
  const ground = await testGround();
  const { store, writer, clock, ids } = ground;
  const { log, lines } = capturingLog();
  const files = readStatic(join(import.meta.dir, "..", "..", "public"));
  const near: NearAnnotation[] = [];
  const access = {
    page: (request: Request) => {
      const name = cookieOf(request, "operator");
      if (name === undefined) throw new Problem("unauthenticated", "Sign in first.");
      return { name, id: `operator:${name}` };
    },
    api: () => ({ name: "ada", id: "operator:ada" }),
  };
  const shellFor = shellMaker({ db: store.db, clock, assets: pageAssets(files), version: "0" });
  const deps = {
    db: store.db,
    writer,
    clock,
    access,
    shellFor,
    config: { serviceAsset: "tower" },
    annotationsNear: (_asset: string, from: number, to: number) =>
      near.filter(({ at }) => at >= from && at <= to),
  };
  const app = new Elysia().use(staticRoutes(files)).use(flagPages(deps)).use(flagActs(deps));
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
  const asked = (operator: string, path: string, init: RequestInit = {}) => {
    const headers = new Headers(init.headers);
    headers.set("cookie", `operator=${operator}`);
    headers.set("host", HOST);
    return edge(new Request(`http://${HOST}${path}`, { ...init, headers }));
  };
  return {
    ...ground,
    lines,
    near,
    handle: edge,
    ask: asked,
    send: (operator, method, path, form, headers) =>
      asked(operator, path, {
        method,
        ...(form === undefined ? {} : { body: new URLSearchParams(form as Record<string, string>) }),
        ...(headers === undefined ? {} : { headers }),
      }),
    raise: (id, changes = {}) =>
      writer.write((tx): void => insertOpenFlag(tx, id, newFlag(changes), clock.now(), "rule")),
    listen: () => {
      server = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: (request) => edge(request) });
      hosts.add(`127.0.0.1:${server.port}`);
      return `http://127.0.0.1:${server.port}`;
    },
    close: async () => {
      await server?.stop(true);
      writer.close();
      store.close();
    },
  };
}

/**
 * The service's own two applications (`createIngest` and `createTower`) over its own wiring, with a fake clock, seeded ids, a real
 * database of the test's own and hashes that cost next to nothing. Every helper that asks the service something stands on it, so
 * that what a test meets is what is served. No timers; listening only where a test asks for it.
 */

import { PasswordHasher } from "../../src/access/passwords.ts";
import type { Deps } from "../../src/app/app.ts";
import { wire } from "../../src/app/boot.ts";
import { type Application, createIngest } from "../../src/app/ingest_app.ts";
import { createTower } from "../../src/app/tower_app.ts";
import { readConfig } from "../../src/base/config.ts";
import type { Files } from "../../src/base/files.ts";
import { type HttpHandler, type Listening, listen } from "../../src/base/http_handler.ts";
import type { Machine } from "../../src/base/machine.ts";
import { ConstantsStore } from "../../src/sites/constants_store.ts";
import { Writer } from "../../src/store/writer.ts";
import { FakeClock } from "./clock.ts";
import { testStore } from "./database.ts";
import { HARBOR_TOKEN } from "./deps.ts";
import { parsed } from "./html.ts";
import { promptHttp } from "./http.ts";
import { seededIds } from "./ids.ts";
import { keysOf } from "./keys.ts";
import { captureLog, type Logged } from "./log.ts";
import { memoryFiles } from "./memory_files.ts";

/** The ports that requests without a socket name. */
export const PORTS = { ingest: 4610, tower: 4611 } as const;
/** The origin of the Tower's own pages. */
export const TOWER_ORIGIN = `http://localhost:${PORTS.tower}`;
/** The header in which a proxy on this machine names the operator, where a test lets it (`PROXY`). */
export const OPERATOR_HEADER = "x-operator";
/** Settings of a service behind a proxy on this machine that signs operators in. */
export const PROXY = { TRUSTED_AUTH_HEADER: OPERATOR_HEADER } as const;

/** What a test may bring of its own; the rest is made. */
export type Ground = Partial<
  Pick<Deps, "store" | "writer" | "ids" | "passwords" | "siteTokens" | "apiTokens" | "sendRates" | "refusals">
> & { readonly clock?: FakeClock };

/** How the Tower is asked, where not with a GET of the operator ada's. */
export interface Asking {
  /** Who asks, as a proxy names her; "" is nobody. */
  readonly as?: string;
  /** Sent as a browser sends a form: a POST unless `method` says otherwise. */
  readonly form?: Readonly<Record<string, string>> | URLSearchParams | FormData;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A service that runs only when it is asked to. */
export interface TestTower {
  readonly deps: Deps & { readonly clock: FakeClock };
  readonly ingest: Application;
  readonly tower: Application;
  /** The origin of the Tower's own pages: `TOWER_ORIGIN`, or another once it listens. */
  readonly origin: string;
  /** What the service logged since. */
  readonly lines: readonly Logged[];
  /** Asks the Tower from this machine, where `PROXY` lets a header name the operator. */
  ask(path: string, asking?: Asking): Promise<Response>;
  /** A page as a browser reads it. @throws Error when the answer is none. */
  open(path: string, asking?: Asking): Promise<ReturnType<typeof parsed>>;
  /** Sends something to the ingest with a site's or a sender's token: an object as JSON, a text as it is. */
  report(path: string, body: unknown, token?: string): Promise<Response>;
  /** Listens on a free port of loopback. `as` names the operator in every request, as a proxy would. */
  listen(listener: "ingest" | "tower", as?: string): Listening;
  /** Stops listening and judging. */
  stop(): Promise<void>;
  /** As `stop`, and closes the database. */
  close(): Promise<void>;
}

/** A machine with room and descriptors for everything, on which nobody else holds a lock. */
const ROOMY: Machine = {
  room: async () => ({ free: 2 ** 40, total: 2 ** 41 }),
  descriptors: async () => ({ open: 10, limit: 1_024 }),
  lockHolders: async () => [],
};

/** Simulated providers need no pauses between two questions. */
export const PROMPT_PACES = {
  analytics: { atOnce: 4, gapMs: 0 },
  "search-console": { atOnce: 1, gapMs: 0 },
  "webmaster-tools": { atOnce: 1, gapMs: 0 },
  serp: { atOnce: 1, gapMs: 0 },
  gatherMs: 0,
} as const;

/** Puts a service together with these settings of its environment. */
export async function testTower(
  options: {
    readonly ground?: Ground;
    readonly settings?: Readonly<Record<string, string>>;
    readonly files?: Files;
    /** The ports that addresses without a socket name. */
    readonly ports?: { readonly ingest?: number; readonly tower?: number };
  } = {},
): Promise<TestTower> {
  const { ground = {}, settings = {} } = options;
  const store = ground.store ?? testStore();
  const clock = ground.clock ?? new FakeClock();
  const writer = ground.writer ?? new Writer(store);
  const config = readConfig({ DATA_DIR: "/nowhere", ...settings });
  const files = options.files ?? memoryFiles(clock);
  const constants = await ConstantsStore.start({
    path: `${config.dataDir}/constants.toml`,
    files,
    clock,
    db: store.db,
    writer,
  });
  const parts = {
    config,
    clock,
    ids: ground.ids ?? seededIds(),
    keys: keysOf(7),
    http: promptHttp(clock),
    store,
    writer,
    constants,
    passwords: ground.passwords ?? new PasswordHasher({ memoryKib: 8, passes: 1 }),
    machine: ROOMY,
    paces: PROMPT_PACES,
  };
  const deps = { ...wire(parts), ...ground, config, clock };
  const ports: { ingest: number; tower: number } = { ...PORTS, ...options.ports };
  // Putting two hundred routes together takes as long as the rest: only where something is asked.
  let [ingest, tower]: [Application?, Application?] = [];
  const edges = {
    get ingest() {
      ingest ??= createIngest(deps, () => ports);
      return ingest;
    },
    get tower() {
      tower ??= createTower(deps, () => ports);
      return tower;
    },
  };
  const log = captureLog();
  const listening: Listening[] = [];
  const originOf = (listener: "ingest" | "tower") => `http://localhost:${ports[listener]}`;
  const ask = async (path: string, { as = "ada", form, headers, ...asking }: Asking = {}) => {
    const method = asking.method ?? (form === undefined ? "GET" : "POST");
    const sent = {
      host: new URL(originOf("tower")).host,
      ...(as === "" ? {} : { [OPERATOR_HEADER]: as }),
      ...(method === "GET" ? {} : { origin: originOf("tower") }),
      ...headers,
    };
    const body =
      form === undefined || form instanceof FormData ? form : new URLSearchParams(form as URLSearchParams);
    const request = new Request(`${originOf("tower")}${path}`, {
      method,
      headers: sent,
      ...(body && { body }),
    });
    return edges.tower(request, () => "127.0.0.1");
  };
  const stop = async () => {
    await Promise.all(listening.map((listener) => listener.stop(0)));
    deps.live.stop();
    await deps.follower.stop();
    await writer.settled();
    log.end();
  };
  return {
    deps,
    get ingest() {
      return edges.ingest;
    },
    get tower() {
      return edges.tower;
    },
    get origin() {
      return originOf("tower");
    },
    lines: log.lines,
    ask,
    open: async (path, asking) => {
      const response = await ask(path, asking);
      const text = await response.text();
      if (response.status !== 200) throw new Error(`${path}: ${response.status} ${text}`);
      return parsed(text);
    },
    report: async (path, body, token = HARBOR_TOKEN) => {
      const headers = {
        host: new URL(originOf("ingest")).host,
        authorization: `Bearer ${token}`,
        "content-type": "application/json",
      };
      const sent = { method: "POST", headers, body: typeof body === "string" ? body : JSON.stringify(body) };
      return edges.ingest(new Request(`${originOf("ingest")}${path}`, sent), () => "127.0.0.1");
    },
    listen: (listener, as) => {
      const edge = as === undefined ? edges[listener] : named(edges[listener], as);
      const started = listen(edge, "127.0.0.1", 0);
      ports[listener] = started.port;
      listening.push(started);
      return started;
    },
    stop,
    close: async () => {
      await stop();
      writer.close();
      store.close();
    },
  };
}

/** An edge behind a proxy that names the operator. */
function named(edge: HttpHandler, operator: string): HttpHandler {
  return (request, addressOf) => {
    const headers = new Headers(request.headers);
    headers.set(OPERATOR_HEADER, operator);
    return edge(new Request(request, { headers }), addressOf);
  };
}

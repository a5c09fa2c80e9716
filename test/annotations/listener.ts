import { Elysia } from "elysia";
import { annotationIngest, annotationReads, authorizeAnnotationToken } from "../../src/annotations/mod.ts";
import type { Store } from "../../src/db/mod.ts";
import { sha256Hex } from "../../src/lib/digest.ts";
import { makeTokenText } from "../../src/lib/token_text.ts";
import { ApiTokenBook, type Scope } from "../../src/operators/mod.ts";
import { createEdge } from "../../src/platform/edge.ts";
import { INGEST_HEADERS } from "../../src/platform/headers.ts";
import { acceptableHosts } from "../../src/platform/hosts.ts";
import { listen } from "../../src/platform/listen.ts";
import { routerOf } from "../../src/platform/routing.ts";
import { type TestGround, testGround } from "../support/deps.ts";
import { seededIds } from "../support/ids.ts";
import { capturingLog, type Logged } from "../support/log.ts";

/** Tokens of operators: with the scope, and without it. */
export const CI_TOKEN = makeTokenText("smc", seededIds(11).bytes).text;
export const READER_TOKEN = makeTokenText("smc", seededIds(12).bytes).text;

/** A valid annotation, half an hour before the listener's clock. */
export function annotation(changes: Readonly<Record<string, unknown>> = {}): Record<string, unknown> {
  return { asset: "harbor", at: "2026-03-01T08:30:00Z", kind: "deploy", ref: "v1.0.0", ...changes };
}

/** The annotation routes behind a real edge on a real port. */
export interface AnnotationListener extends TestGround {
  readonly url: string;
  readonly port: number;
  readonly lines: readonly Logged[];
  readonly apiTokens: ApiTokenBook;
  /** Posts an object as JSON, a string or bytes as they are. */
  post(body: unknown, headers?: Readonly<Record<string, string>>): Promise<Response>;
  /** Reads a list. */
  list(query?: string): Promise<Response>;
  stored(): number;
  stop(): Promise<void>;
}

function tokens(): ApiTokenBook {
  const book = new ApiTokenBook();
  const add = (id: string, token: string, scopes: readonly Scope[]) =>
    book.add({ id, digest: sha256Hex(token), operator: id, scopes });
  add("ci", CI_TOKEN, ["annotations"]);
  add("reader", READER_TOKEN, ["read"]);
  return book;
}

/** Starts a listener on a free port; the ingest refuses browsers, as the real one does. */
export async function annotationListener(
  options: { readonly store?: Store } = {},
): Promise<AnnotationListener> {
  const ground = await testGround(options.store);
  ground.clock.at("2026-03-01T09:00:00Z");
  const { log, lines } = capturingLog();
  const apiTokens = tokens();
  const route = routerOf(
    new Elysia()
      .use(
        annotationIngest({
          ...ground,
          authorize: (request) => authorizeAnnotationToken(request, { ...ground, apiTokens }),
        }),
      )
      .use(annotationReads({ db: ground.store.db, authorizeRead: () => undefined })),
  );
  let port = 0;
  const edge = createEdge({
    listener: "ingest",
    route,
    hosts: () => acceptableHosts({ bound: "127.0.0.1", port, published: undefined, allowed: [] }),
    refuseBrowsers: true,
    headers: INGEST_HEADERS,
    clock: ground.clock,
    ids: ground.ids,
    log,
  });
  const listening = listen(edge, "127.0.0.1", 0);
  port = listening.port;
  const url = `${listening.url}/api/annotations`;
  return {
    ...ground,
    url,
    port,
    lines,
    apiTokens,
    post: (body, headers = {}) =>
      fetch(url, {
        method: "POST",
        headers: { authorization: `Bearer ${CI_TOKEN}`, "content-type": "application/json", ...headers },
        body:
          typeof body === "string" || body instanceof Uint8Array ? (body as BodyInit) : JSON.stringify(body),
      }),
    list: (query = "") => fetch(`${url}${query}`),
    stored: () =>
      ground.store.raw.query<{ n: number }, []>("SELECT count(*) AS n FROM annotation").get()?.n ?? -1,
    stop: async () => {
      await listening.stop(0);
      ground.store.close();
    },
  };
}

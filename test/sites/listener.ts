/** Tokens of operators: with the scope, and without it. */

import type { Scope } from "../../src/access/access.ts";
import type { ApiTokenBook } from "../../src/access/api_tokens.ts";
import { makeTokenText } from "../../src/access/tokens.ts";
import { sha256Hex } from "../../src/base/keys.ts";
import type { Store } from "../../src/store/store.ts";
import { type TestGround, testGround } from "../support/deps.ts";
import { seededIds } from "../support/ids.ts";
import type { Logged } from "../support/log.ts";
import { testTower } from "../support/test_tower.ts";

export const CI_TOKEN = makeTokenText("smc", seededIds(11).bytes).text;
export const READER_TOKEN = makeTokenText("smc", seededIds(12).bytes).text;

/** A valid annotation, half an hour before the listener's clock. */
export function annotation(changes: Readonly<Record<string, unknown>> = {}): Record<string, unknown> {
  return { asset: "harbor", at: "2026-03-01T08:30:00Z", kind: "deploy", ref: "v1.0.0", ...changes };
}

/** Annotations over real ports: posted to the ingest, read at the Tower. */
export interface AnnotationListener extends TestGround {
  /** Where they are posted. */
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

/** Starts both listeners on free ports. */
export async function annotationListener(
  options: { readonly store?: Store } = {},
): Promise<AnnotationListener> {
  const ground = await testGround(options.store);
  ground.clock.at("2026-03-01T09:00:00Z");
  const service = await testTower({ ground });
  const { apiTokens } = service.deps;
  const add = (id: string, token: string, scopes: readonly Scope[]) =>
    apiTokens.add({ id, digest: sha256Hex(token), operator: id, scopes });
  add("ci", CI_TOKEN, ["annotations"]);
  add("reader", READER_TOKEN, ["read"]);
  const { port, url } = service.listen("ingest");
  const tower = service.listen("tower");
  return {
    ...ground,
    url: `${url}/api/annotations`,
    port,
    lines: service.lines,
    apiTokens,
    post: (body, headers = {}) =>
      fetch(`${url}/api/annotations`, {
        method: "POST",
        headers: { authorization: `Bearer ${CI_TOKEN}`, "content-type": "application/json", ...headers },
        body:
          typeof body === "string" || body instanceof Uint8Array ? (body as BodyInit) : JSON.stringify(body),
      }),
    list: (query = "") =>
      fetch(`${tower.url}/api/annotations${query}`, { headers: { authorization: `Bearer ${READER_TOKEN}` } }),
    stored: () =>
      ground.store.raw.query<{ n: number }, []>("SELECT count(*) AS n FROM annotation").get()?.n ?? -1,
    stop: () => service.close(),
  };
}

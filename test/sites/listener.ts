/** Tokens of operators: with the scope, and without it. */

import type { Scope } from "../../src/access/access.ts";
import { makeTokenText } from "../../src/access/tokens.ts";
import { sha256Hex } from "../../src/base/keys.ts";
import type { Store } from "../../src/store/store.ts";
import { testGround } from "../support/deps.ts";
import { poster } from "../support/http.ts";
import { seededIds } from "../support/ids.ts";
import { testTower } from "../support/test_tower.ts";

export const CI_TOKEN = makeTokenText("smc", seededIds(11).bytes).text;
export const READER_TOKEN = makeTokenText("smc", seededIds(12).bytes).text;

/** A valid annotation, half an hour before the listener's clock. */
export function annotation(changes: Readonly<Record<string, unknown>> = {}): Record<string, unknown> {
  return { asset: "harbor", at: "2026-03-01T08:30:00Z", kind: "deploy", ref: "v1.0.0", ...changes };
}

/** Annotations over real ports: posted to the ingest, read at the Tower. */
export async function annotationListener(options: { readonly store?: Store } = {}) {
  const ground = await testGround(options.store);
  ground.clock.at("2026-03-01T09:00:00Z");
  const service = await testTower({ ground });
  const { apiTokens } = service.deps;
  const add = (id: string, token: string, scopes: readonly Scope[]) =>
    apiTokens.add({ id, digest: sha256Hex(token), operator: id, scopes });
  add("ci", CI_TOKEN, ["annotations"]);
  add("reader", READER_TOKEN, ["read"]);
  const listening = service.listen("ingest");
  const tower = service.listen("tower");
  const url = `${listening.url}/api/annotations`;
  const post = poster(CI_TOKEN);
  return {
    ...ground,
    url,
    port: listening.port,
    lines: service.lines,
    apiTokens,
    post: (body: unknown, headers?: Readonly<Record<string, string>>) => post(url, body, headers),
    list: (query = "") =>
      fetch(`${tower.url}/api/annotations${query}`, { headers: { authorization: `Bearer ${READER_TOKEN}` } }),
    stored: () =>
      ground.store.raw.query<{ n: number }, []>("SELECT count(*) AS n FROM annotation").get()?.n ?? -1,
    stop: () => service.close(),
  };
}

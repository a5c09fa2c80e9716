/** The Timeline on a real port, for the operator ada, whom a proxy names unless `signedIn` is false. */

import { appendAnnotation } from "../../../src/sites/annotation_acts.ts";
import type { Annotation } from "../../../src/sites/annotation_schema.ts";
import { ensureAssets } from "../../../src/sites/site_changes.ts";
import type { Store } from "../../../src/store/store.ts";
import { type TestGround, testGround } from "../../support/deps.ts";
import type { Logged } from "../../support/log.ts";
import { PROXY, testTower } from "../../support/test_tower.ts";

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

export async function timelineTower(
  options: { readonly store?: Store; readonly signedIn?: boolean } = {},
): Promise<TimelineTower> {
  const ground = await testGround(options.store);
  ground.clock.at("2026-11-20T14:02:10Z");
  const service = await testTower({
    ground,
    settings: { ...PROXY, INGEST_PUBLIC_URL: "https://ingest.example" },
  });
  const { url } = service.listen("tower", options.signedIn === false ? undefined : "ada");
  const by = { name: "ci", newId: ground.ids.uuid };
  return {
    ...ground,
    url,
    lines: service.lines,
    keep: (rows, name = "ci") =>
      ground.writer.write((tx) =>
        rows.map((row) => appendAnnotation(tx, row, { ...by, name, now: ground.clock.now() }).stored.id),
      ),
    addSites: async (ids) => {
      await ground.writer.write((tx) => {
        ensureAssets(tx, ids, { actor: "test", now: ground.clock.now() });
      });
    },
    get: (path, headers = {}) => fetch(`${url}${path}`, { headers, redirect: "manual" }),
    send: (path, form) =>
      fetch(`${url}${path}`, {
        method: "POST",
        headers: { origin: url },
        body: new URLSearchParams(form),
        redirect: "manual",
      }),
    stored: () =>
      ground.store.raw.query<{ n: number }, []>("SELECT count(*) AS n FROM annotation").get()?.n ?? -1,
    stop: () => service.close(),
  };
}

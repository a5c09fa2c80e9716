/** The Timeline on 20 November 2026 at 14:02:10, with entries ready-made. */

import { type Annotation, appendAnnotation } from "../../../src/sites/annotations.ts";
import { testGround } from "../../support/deps.ts";
import { world } from "../../support/world.ts";

export async function timelineTower() {
  const ground = await testGround();
  ground.clock.at("2026-11-20T14:02:10Z");
  const site = await world({ ground, settings: { INGEST_PUBLIC_URL: "https://ingest.example" } });
  const { writer, store, ids, clock } = site;
  return {
    ...site,
    /** Stores annotations. */
    keep: (rows: readonly Annotation[], name = "ci") =>
      writer.write((tx) =>
        rows.map((row) => appendAnnotation(tx, row, { name, newId: ids.uuid, now: clock.now() }).stored.id),
      ),
    stored: () => store.raw.query<{ n: number }, []>("SELECT count(*) AS n FROM annotation").get()?.n ?? -1,
  };
}

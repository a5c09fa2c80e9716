/** A start of the real service takes up what was left: a report that nobody judged, and a tick that was missed. */

import { afterEach, beforeEach, expect, test } from "bun:test";
import { join } from "node:path";
import type { Opened } from "../src/app/boot.ts";
import { formatInstant } from "../src/base/time.ts";
import { listPulses } from "../src/reports/pulse.ts";
import { listVerdicts } from "../src/rules/verdicts.ts";
import { openStore, type Store } from "../src/store/store.ts";
import { acceptNow, openFolder } from "./support/data_folder.ts";
import { temporaryFolder } from "./support/folder.ts";
import { startService } from "./support/service.ts";
import { until } from "./support/until.ts";

const DAY_MS = 86_400_000;

let folder: ReturnType<typeof temporaryFolder>;
beforeEach(() => {
  folder = temporaryFolder();
});
afterEach(() => folder[Symbol.dispose]());

/** What a service comes to hold that is started over a folder as it was left. */
async function afterStart(
  leave: (opened: Opened) => Promise<unknown>,
  held: (store: Store) => readonly string[],
): Promise<readonly string[]> {
  const settings = {
    DATA_DIR: folder.path,
    INGEST_PORT: "0",
    TOWER_PORT: "0",
    ASSET_TOKENS: "harbor:a-long-token-of-harbor",
  };
  const opened = await openFolder(folder.path, settings);
  await leave(opened);
  opened.close();
  const service = await startService(settings);
  const store = openStore(join(folder.path, "tower.db"));
  try {
    const { seen } = await until(
      async () => held(store),
      (found) => found.length > 0,
    );
    return seen;
  } finally {
    store.close();
    await service.end("SIGKILL");
  }
}

test("a report that was taken and not judged is judged", async () => {
  const judged = await afterStart(
    (opened) =>
      acceptNow(opened, {
        asset: "harbor",
        generatedAt: formatInstant(opened.deps.clock.now()),
        metrics: { orders: { last24h: 7 } },
      }),
    ({ db }) => listVerdicts(db, "harbor").map(({ metric }) => metric),
  );
  expect(judged).toEqual(["orders"]);
});

test("a job whose tick was missed is made up", async () => {
  const sent = await afterStart(
    async ({ deps }) => {
      const began = deps.clock.now() - 2 * DAY_MS;
      await deps.writer.write((tx) => void tx.run(`UPDATE asset SET added_at = ${began} WHERE id = 'tower'`));
    },
    ({ db }) => listPulses(db, { asset: "tower", allRevisions: true }, 9).map(({ asset }) => asset),
  );
  expect(sent).toEqual(["tower"]);
});

/** A start of the real service takes up what was left: a report that nobody judged, and a tick that was missed. */

import { afterAll, beforeAll, expect, test } from "bun:test";
import { statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Opened } from "../../src/app/boot.ts";
import { formatInstant } from "../../src/base/time.ts";
import { listPulses } from "../../src/reports/pulse.ts";
import { listVerdicts } from "../../src/rules/verdicts.ts";
import { settingTokenUses } from "../../src/sites/site_tokens.ts";
import { openStore, type Store } from "../../src/store/store.ts";
import { acceptNow, openFolder } from "../support/data_folder.ts";
import { temporaryFolder } from "../support/folder.ts";
import { fresh } from "../support/fresh.ts";
import { codebaseReport } from "../support/make/codebase_report.ts";
import { type Service, startService } from "../support/service.ts";
import { until } from "../support/until.ts";

const DAY_MS = 86_400_000;

const folder = fresh(temporaryFolder);

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

/** What only a running process shows: its control socket, and its tokens that are read again. */

const SETTING = "harbor-token-of-the-setting";
const BEFORE = "orchard-token-of-before";
const AFTER = "orchard-token-of-after";

const runningServiceTestFolder = temporaryFolder();
const file = join(runningServiceTestFolder.path, "tokens");
let service: Service;
beforeAll(async () => {
  writeFileSync(file, `orchard:${BEFORE}\n`);
  service = await startService({
    DATA_DIR: join(runningServiceTestFolder.path, "data"),
    INGEST_PORT: "0",
    TOWER_PORT: "0",
    ASSET_TOKENS: `harbor:${SETTING}`,
    ASSET_TOKENS_FILE: file,
    LOG_LEVEL: "error",
  });
});
afterAll(async () => {
  await service.end("SIGKILL");
  runningServiceTestFolder[Symbol.dispose]();
});

const statusOf = async (
  asset: string,
  token: string,
  { ingestUrl }: Pick<Service, "ingestUrl"> = service,
) => {
  const response = await fetch(`${ingestUrl}/api/codebase-report`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: JSON.stringify(codebaseReport({ asset })),
  });
  await response.text();
  return response.status;
};

test("the control socket and the data folder are for the service's user alone", () => {
  const mode = (path: string) => statSync(join(runningServiceTestFolder.path, "data", path)).mode & 0o777;
  expect([mode("."), mode("control.sock"), mode("tower.db"), mode("credentials.key")]).toEqual([
    0o700, 0o600, 0o600, 0o600,
  ]);
});

test("an end stores when tokens were last used", async () => {
  const before = Date.now();
  const settings = {
    DATA_DIR: join(folder.path, "data"),
    INGEST_PORT: "0",
    TOWER_PORT: "0",
    ASSET_TOKENS: `harbor:${SETTING}`,
  };
  const ended = await startService(settings);
  expect(await statusOf("harbor", SETTING, ended)).toBe(201);
  await ended.end("SIGTERM");
  const store = openStore(join(settings.DATA_DIR, "tower.db"));
  const [used = 0] = settingTokenUses(store.db).values();
  store.close();
  expect(used).toBeGreaterThanOrEqual(before);
});

test("SIGHUP reads the file of tokens again, beside those of the setting; one that is broken changes nothing", async () => {
  expect([await statusOf("harbor", SETTING), await statusOf("orchard", BEFORE)]).toEqual([201, 201]);
  writeFileSync(file, `orchard:${AFTER}\nmeadow:meadow-token-of-after\n`);
  process.kill(service.pid, "SIGHUP");
  const taken = await until(
    () => statusOf("orchard", AFTER),
    (status) => status === 201,
  );
  expect(taken.seen).toBe(201);
  expect(await statusOf("orchard", BEFORE)).toBe(401);
  expect(await statusOf("harbor", SETTING)).toBe(201);
  expect(await statusOf("meadow", "meadow-token-of-after")).toBe(201);

  writeFileSync(file, "no pair at all\n");
  process.kill(service.pid, "SIGHUP");
  writeFileSync(file, `orchard:${AFTER}\nvalley:valley-token-of-after\n`);
  process.kill(service.pid, "SIGHUP");
  await until(
    () => statusOf("valley", "valley-token-of-after"),
    (status) => status === 201,
  );
  expect(await statusOf("orchard", AFTER)).toBe(201);
  expect(await statusOf("harbor", SETTING)).toBe(201);
});

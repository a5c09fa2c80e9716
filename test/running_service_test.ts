/** What only a running process shows: its control socket, and its tokens that are read again. */

import { afterAll, beforeAll, expect, test } from "bun:test";
import { statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "./support/folder.ts";
import { codebaseReport } from "./support/make/codebase_report.ts";
import { type Service, startService } from "./support/service.ts";
import { until } from "./support/until.ts";

const SETTING = "harbor-token-of-the-setting";
const BEFORE = "orchard-token-of-before";
const AFTER = "orchard-token-of-after";

const folder = temporaryFolder();
const file = join(folder.path, "tokens");
let service: Service;
beforeAll(async () => {
  writeFileSync(file, `orchard:${BEFORE}\n`);
  service = await startService({
    DATA_DIR: join(folder.path, "data"),
    INGEST_PORT: "0",
    TOWER_PORT: "0",
    ASSET_TOKENS: `harbor:${SETTING}`,
    ASSET_TOKENS_FILE: file,
    LOG_LEVEL: "error",
  });
});
afterAll(async () => {
  await service.end("SIGKILL");
  folder[Symbol.dispose]();
});

const statusOf = async (asset: string, token: string) => {
  const response = await fetch(`${service.ingestUrl}/api/codebase-report`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: JSON.stringify(codebaseReport({ asset })),
  });
  await response.text();
  return response.status;
};

test("the control socket and the data folder are for the service's user alone", () => {
  const mode = (path: string) => statSync(join(folder.path, "data", path)).mode & 0o777;
  expect([mode("."), mode("control.sock"), mode("tower.db"), mode("credentials.key")]).toEqual([
    0o700, 0o600, 0o600, 0o600,
  ]);
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

import { expect, test } from "bun:test";
import { join } from "node:path";
import { listRefused, listStreaks } from "../../src/health/refusals.ts";
import { openReadOnly } from "../../src/store/store.ts";
import { temporaryFolder } from "../support/folder.ts";
import { startService } from "../support/service.ts";

const TOKEN = "harbor-token-0123456789";

test("the service counts refusals for /metrics, logs them, and keeps them over its end", async () => {
  using folder = temporaryFolder();
  const service = await startService({
    DATA_DIR: folder.path,
    INGEST_PORT: "0",
    TOWER_PORT: "0",
    ASSET_TOKENS: `harbor:${TOKEN}`,
  });
  const send = (body: string) =>
    fetch(`${service.ingestUrl}/api/pulse`, {
      method: "POST",
      headers: { authorization: `Bearer ${TOKEN}`, "content-type": "application/json" },
      body,
    });
  for (const body of ['{"asset":"harbor"}', '{"asset":"harbor"}', "{"]) await send(body);
  const metrics = await (await fetch(`${service.towerUrl}/metrics`)).text();
  expect(metrics).toContain('tower_refused_reports_total{code="broken-contract"} 2');
  expect(metrics).toContain('tower_refused_reports_total{code="malformed-json"} 1');
  expect(await service.end("SIGTERM")).toBe(0);
  expect(await service.errors()).toContain('"message":"reports were refused"');
  const store = openReadOnly(join(folder.path, "tower.db"));
  const kept = listRefused(store.db, "harbor").map(({ code, count }) => `${code} ${count}`);
  expect(kept.sort()).toEqual(["broken-contract 2", "malformed-json 1"]);
  expect(listStreaks(store.db)).toMatchObject([{ asset: "harbor", count: 3, code: "malformed-json" }]);
  store.close();
});

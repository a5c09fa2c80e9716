/** `GET /api/integrations/health`: who may read it, of what, and when it is told anew. */

import { afterEach, expect, test } from "bun:test";
import { issueServiceToken } from "../../src/access/api_tokens.ts";
import { ensureAssets } from "../../src/sites/site_changes.ts";
import { testGround } from "../support/deps.ts";
import { askHealth, readHealth, targetIn } from "../support/health.ts";
import { setLifecycle } from "../support/sites.ts";
import { PROXY, type TestTower, testTower } from "../support/test_tower.ts";

let tower: TestTower;
afterEach(() => tower.close());

const BY = { actor: "test", now: 0 };

async function started(): Promise<TestTower> {
  tower = await testTower({ ground: await testGround(), settings: PROXY });
  await tower.deps.writer.write((tx) => void ensureAssets(tx, ["tower"], BY));
  return tower;
}

test("a fresh service has nothing set up, and that is no all-clear", async () => {
  tower = await testTower({ settings: PROXY });
  await tower.deps.writer.write((tx) => void ensureAssets(tx, [tower.deps.config.serviceAsset], BY));
  const health = await readHealth(tower);
  expect(health.coverage).toMatchSnapshot();
  expect(health).toMatchObject({ observed_at: null, capabilities: [], events: [], monitoring: [] });
});

test("every site has its nightly report watched, but for the service's own and retired ones", async () => {
  await started();
  await setLifecycle(tower.deps.writer, "orchard", "retired");
  const health = await readHealth(tower);
  expect(health.capabilities.map(({ capability }) => capability)).toEqual(["ingest.nightly"]);
  expect(targetIn(health, "ingest.nightly")).toMatchObject({ asset: "harbor", state: "never_run" });
});

test("a token needs the scope health:read, and no other covers it", async () => {
  await started();
  const token = async (...scopes: ("health:read" | "read")[]) =>
    (await issueServiceToken(tower.deps, `ci-${scopes.length}-${scopes[0]?.length}`, scopes, BY)).token;
  const ask = async (text: string) =>
    (await askHealth(tower, { headers: { authorization: `Bearer ${text}` } })).status;
  expect(await ask(await token("health:read"))).toBe(200);
  expect(await ask(await token("read"))).toBe(403);
  expect(await ask("nobody")).toBe(401);
});

test("one site is told alone; one outside the portfolio is not found, one that nobody watches is empty", async () => {
  await started();
  expect(targetIn(await readHealth(tower, "harbor"), "ingest.nightly")).toMatchObject({ asset: "harbor" });
  expect((await askHealth(tower, { search: "?asset=nowhere" })).status).toBe(404);
  expect((await askHealth(tower, { search: "?asset=" })).status).toBe(400);
  expect((await askHealth(tower, { search: "?site=harbor" })).status).toBe(400);
  await setLifecycle(tower.deps.writer, "orchard", "retired");
  for (const asset of ["orchard", tower.deps.config.serviceAsset]) {
    expect((await readHealth(tower, asset)).coverage).toMatchObject({
      state: "empty",
      reason: "Nothing of this site is watched.",
    });
  }
});

test("the answer is the same for as long as nothing is new, and says so by its tag", async () => {
  await started();
  const first = await askHealth(tower);
  expect(first.headers.get("cache-control")).toBe("private, no-cache");
  const tag = first.headers.get("etag") ?? "";
  const again = () => askHealth(tower, { headers: { "if-none-match": tag } });
  for (let minute = 0; minute < 30; minute++) {
    tower.deps.clock.advance(60_000);
    const answer = await again();
    expect([answer.status, await answer.text()]).toEqual([304, ""]);
  }
  for (const [named, status] of [
    ["*", 304],
    [`"other", ${tag}`, 304],
    ['W/"other"', 200],
  ] as const) {
    expect((await askHealth(tower, { headers: { "if-none-match": named } })).status).toBe(status);
  }
  // A write that changes nothing of it, and one that does.
  await tower.deps.writer.write((tx) => void ensureAssets(tx, ["harbor"], BY));
  expect((await again()).status).toBe(304);
  await tower.deps.writer.write((tx) => void ensureAssets(tx, ["quay"], BY));
  const changed = await again();
  expect(changed.status).toBe(200);
  expect(changed.headers.get("etag")).not.toBe(tag);
});

test("a large answer is compressed as others are", async () => {
  await started();
  const sites = Array.from({ length: 40 }, (_, place) => `site-${place}`);
  await tower.deps.writer.write((tx) => void ensureAssets(tx, sites, BY));
  const answer = await askHealth(tower, { headers: { "accept-encoding": "zstd" } });
  expect(answer.headers.get("content-encoding")).toBe("zstd");
  const text = new TextDecoder().decode(Bun.zstdDecompressSync(await answer.bytes()));
  expect(JSON.parse(text).summary.never_run).toBe(42);
});

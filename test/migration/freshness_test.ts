import { afterEach, beforeEach, expect, test } from "bun:test";
import { findAsset } from "../../src/assets/mod.ts";
import { migrateStore, type Store } from "../../src/db/mod.ts";
import { freshnessDifferences, listFreshness } from "../../src/pulse/mod.ts";
import { landedDatabase } from "../support/landed.ts";

let store: Store;
beforeEach(() => {
  store = landedDatabase();
});
afterEach(() => store.close());

const addSite = (id: string, lifecycle: string) =>
  store.raw.run("INSERT INTO asset (id, lifecycle, added_at, added_by) VALUES (?, ?, 1000, 'ada')", [
    id,
    lifecycle,
  ]);

const wentLiveAt = (id: string) => findAsset(store.db, id)?.wentLiveAt;

test("when a site of before went live is what the audit says; one that always was, or is not, did not", () => {
  addSite("harbor", "live");
  addSite("orchard", "live");
  addSite("kiln", "retired");
  for (const [at, lifecycle] of [
    [2_000, "pre-launch"],
    [5_000, "live"],
    [6_000, undefined],
  ]) {
    const detail = JSON.stringify(lifecycle === undefined ? { url: null } : { lifecycle });
    store.raw.run(
      "INSERT INTO audit (at, actor, act, target, detail, previous_hash, hash) VALUES (?, 'ada', 'asset.change', 'orchard', ?, '', '')",
      [at ?? 0, detail],
    );
  }
  migrateStore(store);
  expect(["harbor", "orchard", "kiln"].map(wentLiveAt)).toEqual([undefined, 5_000, undefined]);
});

test("a site that was muted by a clock once ahead is heard when its last report was accepted", () => {
  addSite("harbor", "live");
  const report = (date: string, at: number) =>
    store.raw.run(
      "INSERT INTO pulse (asset, date, revision, received_at, generated_at, body) VALUES ('harbor', ?, 1, ?, ?, '{}')",
      [date, at, at],
    );
  report("2027-04-05", Date.UTC(2027, 3, 5));
  report("2026-03-02", Date.UTC(2026, 2, 2));
  store.raw.run("INSERT INTO pulse_freshness VALUES ('harbor', ?, '2027-04-05')", [Date.UTC(2027, 3, 5)]);
  migrateStore(store);
  expect(listFreshness(store.db, Date.UTC(2026, 2, 3))).toEqual([
    { asset: "harbor", receivedAt: Date.UTC(2026, 2, 2), isNewlyAhead: false },
  ]);
  expect([...freshnessDifferences(store.db)]).toEqual([]);
});

/** Tuning because of a flag is whole: the constants, their version, its audit row and the flag's note are all there or none is. */

import { expect, test } from "bun:test";
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { listNewest as listAudit } from "../../../src/access/audit.ts";
import { systemFiles } from "../../../src/base/files.ts";
import { findFlag } from "../../../src/flags/queries.ts";
import { insertOpenFlag, readHistory } from "../../../src/flags/store.ts";
import { listVersions } from "../../../src/sites/constants_document.ts";
import { ConstantsStore } from "../../../src/sites/constants_store.ts";
import { addAsset } from "../../../src/sites/site_changes.ts";
import { migrateStore } from "../../../src/store/migrations.ts";
import { openStore, type Store } from "../../../src/store/store.ts";
import { Writer } from "../../../src/store/writer.ts";
import { FakeClock } from "../../support/clock.ts";
import { temporaryFolder } from "../../support/folder.ts";
import { newFlag } from "../../support/make/flag.ts";
import { beforeEachStatement } from "../../support/statements.ts";
import { OPERATOR_HEADER, PROXY, TOWER_ORIGIN, testTower } from "../../support/test_tower.ts";

const FLAG = "repeats";

/** Everything a tuning changes, as one word. */
function standing(store: Store, folder: string): string {
  const file = readFileSync(join(folder, "constants.toml"), "utf8").includes("duplication_percent = 12");
  const version = listVersions(store.db, 9).length;
  const acts = listAudit(store.db, { limit: 99 }).map(({ act }) => act);
  const saved = acts.filter((act) => act === "constants.save").length;
  const told = acts.filter((act) => act === "flag.tune").length;
  const tuned = findFlag(store.db, FLAG)?.tuned_at === null ? "no" : "yes";
  const noted = JSON.stringify(readHistory(store.db, FLAG, 9)).includes("constants version 2");
  return `file ${file}, version ${version}, save ${saved}, tune ${told}, flag ${tuned}, record ${noted}`;
}

const NOTHING = "file false, version 1, save 0, tune 0, flag no, record false";
const ALL = "file true, version 2, save 1, tune 1, flag yes, record true";

/** What the next start makes of a folder. */
async function restarted(folder: string): Promise<string> {
  const store = openStore(join(folder, "tower.db"));
  const writer = new Writer(store);
  const path = join(folder, "constants.toml");
  await ConstantsStore.start({ path, files: systemFiles, clock: new FakeClock(), db: store.db, writer });
  const left = standing(store, folder);
  writer.close();
  store.close();
  return left;
}

test("a kill between any two statements leaves, after the next start, all of it or nothing", async () => {
  using home = temporaryFolder();
  const folder = join(home.path, "data");
  mkdirSync(folder);
  const kills: string[] = [];
  let isArmed = false;
  // What the disk holds as a statement begins is what a process that ends there leaves.
  using _watch = beforeEachStatement(() => {
    if (!isArmed) return;
    const into = join(home.path, `killed-${kills.length}`);
    mkdirSync(into);
    for (const name of readdirSync(folder)) {
      if (!name.endsWith("-shm") && existsSync(join(folder, name)))
        copyFileSync(join(folder, name), join(into, name));
    }
    kills.push(into);
  });
  const store = openStore(join(folder, "tower.db"));
  migrateStore(store);
  const service = await testTower({
    ground: { store },
    files: systemFiles,
    settings: { DATA_DIR: folder, ...PROXY },
  });
  const { writer, clock } = service.deps;
  const shop = { id: "shop", url: null, lifecycle: "live" as const, families: [] };
  await addAsset(writer, shop, { actor: "ada", now: clock.now(), onRetired: () => {} });
  const flag = newFlag({ asset: "shop", rule: "codebase-duplication" });
  await writer.write((tx) => insertOpenFlag(tx, FLAG, flag, 0, "rule"));
  const fields = { duplication_percent: "12", digest: service.deps.constants.document().digest };
  const headers = { host: new URL(TOWER_ORIGIN).host, origin: TOWER_ORIGIN, [OPERATOR_HEADER]: "ada" };
  const request = new Request(`${TOWER_ORIGIN}/flags/${FLAG}/tune`, {
    method: "POST",
    headers,
    body: new URLSearchParams(fields),
  });

  isArmed = true;
  const response = await service.tower(request, () => "127.0.0.1");
  isArmed = false;

  expect(response.status).toBe(303);
  expect(standing(store, folder)).toBe(ALL);
  await service.close();
  const ends: string[] = [];
  for (const killed of kills) ends.push(await restarted(killed));
  expect(new Set(ends)).toEqual(new Set([NOTHING, ALL]));
  // Once it is saved it stays so.
  expect(ends.indexOf(ALL)).toBe(ends.lastIndexOf(NOTHING) + 1);
  expect(kills.length).toBeGreaterThan(20);
});

import { afterAll, beforeAll, expect, test } from "bun:test";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { MacKey } from "../../src/base/keys.ts";
import { checkDatabase } from "../../src/keep/keep.ts";
import { damageOf } from "../../src/store/migrations.ts";
import { openReadOnly } from "../../src/store/store.ts";
import { filledFolder } from "../support/filled_folder.ts";
import { temporaryFolder } from "../support/folder.ts";
import { freshlySeeded } from "../support/random_counts.ts";

const folder = temporaryFolder();
afterAll(() => folder[Symbol.dispose]());
/** Damaged pages in an ordinary run are few; `PAGES=600` looks harder. */
const PAGES = Number(Bun.env["PAGES"] ?? 30);
const PAGE = 4_096;
let good: Buffer;
let stored: string;
let auditKey: MacKey;

beforeAll(async () => {
  const opened = await filledFolder(join(folder.path, "data"));
  const { keys, store } = opened.deps;
  opened.close();
  good = readFileSync(store.path);
  stored = everythingIn(store.path);
  auditKey = keys.forPurpose("audit");
});

test(
  `of ${PAGES} pages filled with other bytes each is found by the start or by check, or held nothing`,
  () => {
    const random = freshlySeeded("damaged pages");
    const outcomes = Array.from({ length: PAGES }, () =>
      outcomeOf(Math.floor((random() * good.length) / PAGE)),
    );
    expect(outcomes.filter((outcome) => outcome.startsWith("MISSED"))).toStrictEqual([]);
    expect(outcomes.filter((outcome) => outcome !== "held nothing").length).toBeGreaterThan(PAGES / 2);
  },
  20_000 + PAGES * 200,
);

function outcomeOf(page: number): string {
  const path = join(folder.path, "damaged.db");
  for (const companion of ["-wal", "-shm"]) rmSync(`${path}${companion}`, { force: true });
  writeFileSync(path, Buffer.from(good).fill(0x5a, page * PAGE, (page + 1) * PAGE));
  if (damageOf(path).length > 0) return "start refused";
  if (checkDatabase(path, auditKey).some(({ faults }) => faults.length > 0)) return "check";
  return everythingIn(path) === stored ? "held nothing" : `MISSED page ${page + 1}`;
}

/** The schema and every row of every table. */
function everythingIn(path: string): string {
  const { raw, close } = openReadOnly(path);
  const tables = raw
    .query<{ name: string }, []>("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name")
    .all();
  const rows = tables.map(({ name }) => raw.query(`SELECT * FROM "${name}"`).values());
  const text = JSON.stringify([
    raw.query("SELECT type, name, tbl_name, sql FROM sqlite_schema").values(),
    rows,
  ]);
  close();
  return text;
}

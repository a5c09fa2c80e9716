/** The rows of each run as a file beside the objects: who can read the archive's place needs no Tower. */

import { expect, test } from "bun:test";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { scrub } from "../../src/archive/scrub.ts";
import { faultLines, verifyArchive } from "../../src/archive/verify_events.ts";
import { StoreFault } from "../../src/store/objects.ts";
import { archivedTower } from "../support/archive_run.ts";
import { fresh } from "../support/fresh.ts";

const archived = fresh(archivedTower);

const names = () => Array.fromAsync(archived.tower.deps.objects.listFiles("manifest/"));
const linesOf = (name: string) =>
  gunzipSync(readFileSync(join(archived.folder, "raw-signals", name)))
    .toString()
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as Record<string, unknown>);

test("each row as the read API tells it, with its property and the path of its object, in the order of attempts", async () => {
  const { run } = await archived.run("analysis");
  expect(await names()).toEqual([`manifest/2026-11-20/${run}.ndjson.gz`]);
  const [name = ""] = await names();
  const told = await archived.list<Record<string, unknown>>("/api/archive/manifest");
  const properties = { analytics: "1001", "search-console": "sc-domain:harbor.example" };
  expect(linesOf(name)).toEqual(
    told.toReversed().map((row) => {
      const object = row["object"] as string | null;
      return {
        ...row,
        property: properties[row["provider"] as keyof typeof properties],
        path: object === null ? null : `objects/${object.slice(0, 2)}/${object}.gz`,
      };
    }),
  );
});

test("one that the store did not take is no failure of its run, and the next run makes it up", async () => {
  const { objects } = archived.tower.deps;
  const putFile = objects.putFile.bind(objects);
  objects.putFile = () => Promise.reject(new StoreFault("unreachable", objects.where));
  const first = await archived.run("analysis");
  expect([first.outcome, await names()]).toEqual(["done", []]);
  objects.putFile = putFile;
  const second = await archived.run("analysis", "command");
  expect((await names()).sort()).toEqual(
    [first.run, second.run].map((run) => `manifest/2026-11-20/${run}.ndjson.gz`).sort(),
  );
  expect((await archived.run("analysis", "command")).outcome).toBe("done");
  expect((await names()).length).toBe(3);
});

const HOUR = 3_600_000;
const fileOf = (name: string) => join(archived.folder, "raw-signals", name);
const WRONG: readonly (readonly [why: string, damage: (path: string) => void, said: string])[] = [
  [
    "flipped",
    (path) => {
      const bytes = readFileSync(path);
      bytes.writeUInt8(bytes.readUInt8(9) ^ 1, 9);
      rewritten(path, bytes);
    },
    "was changed",
  ],
  ["cut", (path) => rewritten(path, readFileSync(path).subarray(0, 100)), "is not as long as it was stored"],
  ["removed", (path) => rmSync(path), "is missing"],
];

/** Stored files are read-only. */
function rewritten(path: string, bytes: Uint8Array): void {
  rmSync(path);
  writeFileSync(path, bytes);
}

test.each(WRONG)(
  "one that is %s is named by verify, read anew once a week, and written again by the next run",
  async (_, damage, said) => {
    const { deps } = archived.tower;
    await archived.run("analysis");
    const [name = ""] = await names();
    const whole = readFileSync(fileOf(name));
    const faults = async () => faultLines(await verifyArchive(deps.store.db, deps.objects));
    expect(await faults()).toStrictEqual([]);
    damage(fileOf(name));
    expect(await faults()).toEqual([`${name} ${said}: the next run of the archive writes it again`]);
    for (let hours = 0; hours < 168; hours += 4) {
      archived.clock.advance(4 * HOUR);
      await scrub(deps, () => undefined);
    }
    await archived.run("analysis");
    expect(readFileSync(fileOf(name)).equals(whole)).toBe(true);
    expect(await faults()).toStrictEqual([]);
  },
);

test("what is wrong names a few objects, how many more there are, and rows without an object", () => {
  const report = { asset: "harbor", provider: "analytics", family: "pages", date: "2026-11-20" };
  const wrong = [{ object: "ab12", fault: "missing", reports: [report], more_reports: true }];
  expect(
    faultLines({ wrong, damaged: 3, wrong_manifest_files: [], unnamed_rows: [7] } as never),
  ).toMatchInlineSnapshot(`
    [
      "object ab12 is missing: harbor analytics pages 2026-11-20 and others",
      "and 2 more objects like these",
      "row 7 of the manifest names an object that has no row",
    ]
  `);
});

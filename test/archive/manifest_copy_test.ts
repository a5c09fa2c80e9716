/** The rows of each run as a file beside the objects: who can read the archive's place needs no Tower. */
import { afterEach, beforeEach, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { StoreFault } from "../../src/objects/mod.ts";
import { type Archived, archivedTower } from "../support/archive_run.ts";

let archived: Archived;
beforeEach(async () => {
  archived = await archivedTower();
});
afterEach(() => archived.close());

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

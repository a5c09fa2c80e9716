/**
 * A backup with its objects, the next one, a drill and a restore, each by the command in a process of its own: how long, and at most
 * how much memory. `bun run bench drill [--objects=40000] [--kilobytes=26] [--sites=300] [--days=250]`; by itself about 1 GiB of
 * objects.
 */

import { mkdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { recordReport } from "../../src/archive/manifest.ts";
import { sha256Hex } from "../../src/base/keys.ts";
import { addDays, utcDayOf } from "../../src/base/time.ts";
import { openObjectStore } from "../../src/store/directory_store.ts";
import { reportOf } from "../support/archive.ts";
import { openFolder } from "../support/data_folder.ts";
import { temporaryFolder } from "../support/folder.ts";
import { spooled } from "../support/objects.ts";
import { bareEnvironment } from "../support/service.ts";
import { seedNightly } from "./parts/nightly_history.ts";

const given = new Map(
  Bun.argv.slice(2).map((option) => option.replace(/^--/, "").split("=") as [string, string]),
);
const OBJECTS = Number(given.get("objects") ?? 40_000);
const KILOBYTES = Number(given.get("kilobytes") ?? 26);
const SITES = Number(given.get("sites") ?? 300);
const DAYS = Number(given.get("days") ?? 250);
const CLI = join(import.meta.dir, "../../src/cli.ts");

/** Rows of a report, of which gzip leaves about a sixth. */
function reportText(number: number): string {
  const rows = Array.from({ length: Math.round(KILOBYTES * 25) }, (_, row) => {
    const figure = Math.imul(number * 7_919 + row, 2_654_435_761) >>> 0;
    return `{"keys":["https://harbor.example/page/${figure % 100_000}","query ${figure % 9_973} of ${row}"],"clicks":${figure % 97},"impressions":${figure % 9_000},"ctr":0.0${figure % 1_000_003},"position":${(figure % 900) / 10}}`;
  });
  return `{"rows":[${rows.join(",")}]}`;
}

using folder = temporaryFolder();
const data = join(folder.path, "data");
mkdirSync(data);
const last = addDays(utcDayOf(Date.now()), -1);
await seedNightly(data, { sites: SITES, days: DAYS, metrics: 12, last });
const opened = await openFolder(data);
const store = openObjectStore(opened.deps.config);
let stored = 0;
for (let number = 0; number < OBJECTS; ) {
  const batch = Array.from({ length: Math.min(200, OBJECTS - number) }, () => {
    const content = Buffer.from(reportText(number++));
    const gzip = gzipSync(content, { level: 1 });
    const named = { sha256: sha256Hex(content), bytes: content.length };
    return { ...named, content, gzip, storedBytes: gzip.length, storedSha256: sha256Hex(gzip) };
  });
  await Promise.all(
    batch.map(async (object) => {
      const file = spooled(folder.path, object);
      await store.put(object, file);
      rmSync(file);
      stored += object.storedBytes;
    }),
  );
  await opened.deps.writer.write((tx) => {
    for (const [place, { sha256, bytes, storedBytes, storedSha256 }] of batch.entries()) {
      const object = { sha256, bytes, storedBytes, storedSha256, content: sha256, rows: 650, secrets: 0 };
      recordReport(tx, reportOf({ date: number + place, attemptedAt: number * 1_000 + place, object }));
    }
  });
}
opened.close();
const megabytes = (bytes: number) => `${(bytes / 2 ** 20).toFixed(0)} MiB`;
const database = statSync(join(data, "tower.db")).size;
console.log(`${OBJECTS} objects, ${megabytes(stored)}; database ${megabytes(database)}`);

/** The most memory that a process ever had, in bytes; 0 where it is gone. */
function peakOf(pid: number): number {
  try {
    const [, kilobytes = "0"] =
      /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
    return Number(kilobytes) * 1_024;
  } catch {
    return 0;
  }
}

/** Runs a command to its end, and prints what it took. */
async function timed(words: readonly string[], settings: Readonly<Record<string, string>>): Promise<void> {
  const begun = performance.now();
  const child = Bun.spawn([process.execPath, CLI, ...words], {
    env: { ...bareEnvironment(), ...settings },
    stdin: "ignore",
    stdout: "pipe",
    stderr: "inherit",
  });
  // What a child is said to have used counts what this process had when it was made.
  let most = 0;
  const looking = setInterval(() => {
    most = Math.max(most, peakOf(child.pid));
  }, 50);
  const out = await new Response(child.stdout).text();
  const code = await child.exited;
  clearInterval(looking);
  const seconds = ((performance.now() - begun) / 1_000).toFixed(1);
  const memory = megabytes(most);
  const archive = out.split("\n").find((line) => line.startsWith("archive: ")) ?? "";
  console.log(`  ${words[0]}: ${seconds} s, exit code ${code}, at most ${memory}; ${archive}`);
}

const here = { DATA_DIR: data };
await timed(["backup", join(folder.path, "one")], here);
await timed(["backup", join(folder.path, "two")], here);
await timed(["drill", join(folder.path, "two"), "--in", folder.path], here);
const key = join(data, "credentials.key");
await timed(["restore", join(folder.path, "two"), "--key-file", key], {
  DATA_DIR: join(folder.path, "restored"),
});

/**
 * The documented query, "the queries of every site that were clicked most within a year", over an archive that the store and the manifest's
 * writer made: `bun run bench archive_query [--properties=200] [--days=365] [--bucket-days=7] [--threads=2]`. First over a directory; then
 * over the S3-compatible server, through s3fs where that is installed (DuckDB's own door to buckets is an extension that is downloaded).
 * Prints how long DuckDB takes, at most how much memory, and what it reads.
 */

import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { documentBlock } from "../support/documents.ts";
import { askDuckDb } from "../support/duckdb.ts";
import { temporaryFolder } from "../support/folder.ts";
import { BUCKET, type S3Server, startS3 } from "../support/s3_server.ts";
import { type MadeArchive, makeArchive } from "./parts/made_archive.ts";

const given = new Map(
  Bun.argv.slice(2).map((option) => option.replace(/^--/, "").split("=") as [string, string]),
);
const PROPERTIES = Number(given.get("properties") ?? 200);
const DAYS = Number(given.get("days") ?? 365);
const BUCKET_DAYS = Number(given.get("bucket-days") ?? 7);
const THREADS = Number(given.get("threads") ?? navigator.hardwareConcurrency);
const SQL = documentBlock("top_queries.sql");
async function asked(what: string, archive: string): Promise<void> {
  const before = [`SET threads = ${THREADS}`, `SET VARIABLE archive = '${archive}'`];
  const { rows, seconds, peak, readMiB, reads } = await askDuckDb({ before, sql: SQL });
  console.log(
    `${what}: ${rows.length} rows in ${seconds.toFixed(1)} s on ${THREADS} threads, at most ${peak.toFixed(0)} MiB; ${readMiB.toFixed(0)} MiB in ${reads} reads; the first ${JSON.stringify(rows[0])}`,
  );
}

const madeWords = ({ objects, bytes, stored, seconds }: MadeArchive) =>
  `${objects} objects, ${(bytes / 2 ** 20).toFixed(0)} MiB of answers, ${(stored / 2 ** 20).toFixed(0)} MiB stored, made in ${seconds.toFixed(0)} s`;

const isMounted = (mount: string) => readFileSync("/proc/mounts", "utf8").includes(` ${mount} fuse.s3fs `);

using folder = temporaryFolder();
const here = join(folder.path, "directory");
console.log(
  `a directory, ${PROPERTIES} properties, ${DAYS} days: ${madeWords(await makeArchive(here, { properties: PROPERTIES, days: DAYS }, {}))}`,
);
await asked("from the directory", join(here, "raw-signals"));
await asked("once more", join(here, "raw-signals"));

const s3 = await startS3(join(folder.path, "s3"));
try {
  const made = await makeArchive(
    join(folder.path, "bucket"),
    { properties: PROPERTIES, days: BUCKET_DAYS },
    s3.environment,
  );
  console.log(`a bucket, ${PROPERTIES} properties, ${BUCKET_DAYS} days: ${madeWords(made)}`);
  await throughMount(s3);
} finally {
  await s3.close();
}

/** Over the bucket, as a file system. */
async function throughMount({ settings }: S3Server): Promise<void> {
  if (Bun.which("s3fs") === null) {
    console.log("s3fs is not on this machine: the bucket is not asked");
    return;
  }
  const mount = join(folder.path, "mounted");
  const keys = join(folder.path, "keys");
  mkdirSync(mount);
  const bucket = new Bun.S3Client({ ...settings, bucket: BUCKET });
  // A file system wants its folders; a bucket has none.
  const below = readdirSync(join(folder.path, "s3", BUCKET), { recursive: true, withFileTypes: true });
  for (const { name, parentPath } of below.filter((entry) => entry.isDirectory())) {
    const path = relative(join(folder.path, "s3", BUCKET), join(parentPath, name));
    await bucket.write(`${path}/`, "", { type: "application/x-directory" });
  }
  writeFileSync(keys, `${settings.accessKeyId}:${settings.secretAccessKey}\n`, { mode: 0o600 });
  const words = [
    `${BUCKET}`,
    mount,
    "-f",
    "-o",
    `url=${settings.endpoint},use_path_request_style,passwd_file=${keys},ro`,
  ];
  const mounted = Bun.spawn(["s3fs", ...words], { stdin: "ignore", stdout: "inherit", stderr: "inherit" });
  try {
    for (let waited = 0; !isMounted(mount); waited += 50) {
      if (waited > 30_000 || mounted.exitCode !== null) throw new Error("s3fs did not mount the bucket");
      await Bun.sleep(50);
    }
    await asked("from the bucket, through s3fs", join(mount, "raw"));
  } finally {
    await Bun.spawn(["umount", mount], { stdout: "ignore", stderr: "inherit" }).exited;
    await mounted.exited;
  }
}

/**
 * The job of the archive over `--sites=200` properties of each provider, from ten rows a report to a quarter of a million, against the
 * simulated providers in a process of their own; then the same once more, when nothing is new. Prints how long each takes, the requests,
 * the most memory (the worker that reads is a thread of the process), the bytes stored beside those answered, and what an ingest's answer
 * takes meanwhile beside what it takes at rest. Then the memory of a run over one site of 1, 10 and 100 times as many rows, each in a
 * process of its own. Pauses between questions are left out.
 */

import type { Database } from "bun:sqlite";
import { createIngest } from "../../src/app/ingest_app.ts";
import { listen } from "../../src/base/http_handler.ts";
import { temporaryFolder } from "../support/folder.ts";
import { archiveGround, PROBE_TOKEN } from "./parts/archive_ground.ts";
import type { Measured } from "./parts/archive_memory.ts";
import { startProviders, worldOf } from "./parts/archive_world.ts";
import { probing } from "./parts/sense_probe.ts";

const SITES = Number(Bun.argv.find((word) => word.startsWith("--sites="))?.slice("--sites=".length) ?? 200);
/** Pages of the lone site; page events have eight rows each. */
const PAGES = [310, 3_100, 31_000];
const megabytes = (bytes: number) => `${(bytes / 2 ** 20).toFixed(1)} MiB`;
const words = (ms: number) => (ms < 100 ? `${ms.toFixed(1)} ms` : `${(ms / 1_000).toFixed(2)} s`);

await portfolio();
for (const pages of PAGES) await lone(pages);

async function portfolio(): Promise<void> {
  using folder = temporaryFolder();
  const order = { sites: SITES, keys: folder.path };
  const providers = await startProviders(order);
  const world = worldOf(order, Date.now());
  const ground = await archiveGround(folder.path, { world, providers: providers.settings });
  const { deps } = ground;
  const edge = createIngest(deps, () => ({ ingest: ingest.port, tower: 0 }));
  const ingest = listen(edge, "127.0.0.1", 0);
  const probe = { url: `http://127.0.0.1:${ingest.port}`, token: PROBE_TOKEN, asset: "probe", everyMs: 10 };
  const [, rest] = await probing(probe, 10_000, async () => undefined);
  console.log(
    `at rest an ingest answers within ${words(rest.p50)} at the median, ${words(rest.p99)} at the 99th percentile`,
  );
  for (const what of ["the first run", "the same again"]) {
    const before = stored(deps.store.raw);
    ground.asked.requests = 0;
    Bun.gc(true);
    const resident = () => process.memoryUsage.rss();
    const begin = resident();
    let peak = begin;
    const watch = setInterval(() => {
      peak = Math.max(peak, resident());
    }, 100);
    const cpu = process.cpuUsage();
    const begun = performance.now();
    let wall = 0;
    const [report, probed] = await probing(probe, 0, async () => {
      const run = await ground.run();
      wall = performance.now() - begun;
      return run;
    });
    clearInterval(watch);
    const used = process.cpuUsage(cpu);
    const now = stored(deps.store.raw);
    console.log(
      `${what}: ${JSON.stringify(report.reports)} in ${words(wall)}; ${ground.asked.requests} requests; processor ${((used.user + used.system) / 1e6).toFixed(1)} s with the probe's answers; memory ${megabytes(begin)}, at most ${megabytes(peak)}`,
    );
    console.log(
      `  ${now.rows - before.rows} rows in ${now.objects - before.objects} new objects: ${megabytes(now.bytes - before.bytes)} answered, ${megabytes(now.stored - before.stored)} stored; ${megabytes(now.spared - before.spared)} were not stored again (${megabytes(now.sparedStored - before.sparedStored)} packed)`,
    );
    console.log(
      `  an ingest meanwhile: ${words(probed.p50)} at the median, ${words(probed.p99)} at the 99th percentile (${(probed.p99 / rest.p99).toFixed(1)} times that at rest), at most ${words(probed.max)}, ${probed.refused} refused of ${probed.answers}`,
    );
  }
  const [, after] = await probing(probe, 10_000, async () => undefined);
  console.log(`at rest again: ${words(after.p50)} at the median, ${words(after.p99)} at the 99th percentile`);
  await ingest.stop(0);
  await ground.close();
  providers.end();
}

interface Stored {
  readonly objects: number;
  readonly rows: number;
  readonly bytes: number;
  readonly stored: number;
  /** Of reports that say what is stored already. */
  readonly spared: number;
  readonly sparedStored: number;
}

function stored(raw: Database): Stored {
  const [row] = raw
    .query<Stored, []>(
      `SELECT o.*, s.* FROM
         (SELECT count(*) AS objects, coalesce(sum(rows), 0) AS rows, coalesce(sum(bytes), 0) AS bytes,
            coalesce(sum(stored_bytes), 0) AS stored FROM archive_object) o,
         (SELECT coalesce(sum(bytes), 0) AS spared, coalesce(sum(stored_bytes), 0) AS sparedStored
            FROM archive_report r JOIN archive_object o ON o.id = r.object
            WHERE r.id NOT IN (SELECT min(id) FROM archive_report WHERE object IS NOT NULL GROUP BY object)) s`,
    )
    .all();
  if (row === undefined) throw new Error("nothing was counted");
  return row;
}

async function lone(pages: number): Promise<void> {
  using folder = temporaryFolder();
  const order = { pages, keys: folder.path };
  const providers = await startProviders(order);
  const child = Bun.spawn([process.execPath, new URL("parts/archive_memory.ts", import.meta.url).pathname], {
    stdin: new Blob([JSON.stringify({ ...order, providers: providers.settings })]),
    stdout: "pipe",
    stderr: "inherit",
  });
  const text = await new Response(child.stdout).text();
  providers.end();
  const { before, peak, rows, most, seconds } = JSON.parse(text) as Measured;
  console.log(
    `one site of ${pages} pages: ${rows} rows, at most ${most} in a report, in ${seconds.toFixed(1)} s; memory ${before.toFixed(0)} MiB before the run, at most ${peak.toFixed(0)} MiB in it`,
  );
}

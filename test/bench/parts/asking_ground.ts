/**
 * The service of `bench sense` and `bench archive`: its properties attached, and its jobs, whose questions are counted, while one small
 * report after the other is sent to its ingest.
 */

import { join } from "node:path";
import { openData } from "../../../src/app/boot.ts";
import { createIngest } from "../../../src/app/ingest_app.ts";
import { mapConcurrent } from "../../../src/base/concurrency.ts";
import { readConfig } from "../../../src/base/config.ts";
import type { HttpClient } from "../../../src/base/http_client.ts";
import { listen } from "../../../src/base/http_handler.ts";
import type { World } from "../../../src/demo/simulator/world.ts";
import type { Provider } from "../../../src/providers/adapter.ts";
import { readCredentialFile } from "../../../src/providers/given_file.ts";
import { addCredential, attachProperty } from "../../../src/signals/credential_changes.ts";
import { ensureAssets } from "../../../src/sites/site_changes.ts";
import { startCheckpointer } from "../../../src/store/checkpoint.ts";
import type { Jobs } from "../../../src/store/jobs.ts";
import { PROMPT_PACES } from "../../support/test_tower.ts";
import { probing } from "./sense_probe.ts";

/** Without a pause: as much at once as can be. */
export const UNPACED = { ...PROMPT_PACES, gatherMs: 250 } as const;

const TOKEN = "bench-token-of-the-probe";

export async function askingGround(
  folder: string,
  { world, settings }: { readonly world: World; readonly settings: Readonly<Record<string, string>> },
) {
  const config = readConfig({
    DATA_DIR: join(folder, "data"),
    ASSET_TOKENS: `probe:${TOKEN}`,
    INGEST_BURST: "1000000",
    INGEST_BYTES_PER_DAY: "1000000000000",
    INGEST_PER_SECOND: "100000",
    LOG_LEVEL: "error",
    ...settings,
  });
  const opened = await openData(config);
  const { deps } = opened;
  const checkpointer = startCheckpointer(deps.store);
  const by = { actor: "bench", now: deps.clock.now() };
  await deps.writer.write(
    (tx) =>
      void ensureAssets(
        tx,
        world.sites.map(({ name }) => name),
        by,
      ),
  );
  const add = async (provider: Provider, file: string) => {
    const text = await Bun.file(join(folder, file)).text();
    const read = await readCredentialFile(provider, text, config.providers);
    if (!read.ok) throw new Error(read.faults.join());
    const added = await addCredential(deps, { provider, secret: read.secret, label: undefined }, by);
    if (!added.ok) throw new Error(added.why);
    return added.credential.id;
  };
  const google = await add("analytics", "google-key.json");
  await add("search-console", "google-key.json");
  const hasWebmaster = world.sites.some(({ webmasterTools }) => webmasterTools !== undefined);
  const webmaster = hasWebmaster ? await add("webmaster-tools", "webmaster-key.txt") : "";
  // The writer takes so many at once.
  await mapConcurrent(world.sites, 200, async ({ name: asset, ...site }) => {
    const attach = async (provider: Provider, credential: string, property: string | undefined) => {
      if (property === undefined) return;
      await attachProperty(deps, { asset, provider, credential, property, replace: false }, by);
    };
    await attach("analytics", google, site.analytics?.property);
    await attach("search-console", google, site.searchConsole?.property);
    await attach("webmaster-tools", webmaster, site.webmasterTools?.property);
  });

  const flight = { now: 0, most: 0, requests: 0 };
  /** The door to the outside, with how many questions are under way. */
  const http: HttpClient = {
    request: async (request) => {
      flight.requests++;
      flight.most = Math.max(flight.most, ++flight.now);
      return deps.http.request(request).finally(() => flight.now--);
    },
  };
  // A service has loaded it by the time of a run.
  await deps.metrics.load();
  const edge = createIngest(deps, () => ({ ingest: ingest.port, tower: 0 }));
  const ingest = listen(edge, "127.0.0.1", 0);
  const probe = { url: `http://127.0.0.1:${ingest.port}`, token: TOKEN, asset: "probe", everyMs: 10 };
  let calm = 0;
  return {
    deps,
    config,
    http,
    /** What an ingest takes when nothing runs. */
    rest: async (when: string, leastMs: number) => {
      const [, rest] = await probing(probe, leastMs, async () => undefined);
      if (calm === 0) calm = rest.p99;
      console.log(
        `${when} an ingest answers within ${words(rest.p50)} at the median, ${words(rest.p99)} at the 99th percentile`,
      );
    },
    /** Runs a job once; what is to be said of it, and of an ingest meanwhile. */
    run: async (entry: Omit<Parameters<Jobs["runEntry"]>[0], "recorded">) => {
      Object.assign(flight, { most: 0, requests: 0 });
      Bun.gc(true);
      const resident = () => process.memoryUsage.rss() / 2 ** 20;
      const before = resident();
      let peak = before;
      // What the kernel knows anyway: more would be paid by the answers that are timed.
      const watch = setInterval(() => {
        peak = Math.max(peak, resident());
      }, 100);
      const cpu = process.cpuUsage();
      const begun = performance.now();
      let wall = 0;
      const [{ reports }, probed] = await probing(probe, 0, async () => {
        const run = await deps.jobs.runEntry({ ...entry, recorded: true }, "command");
        wall = performance.now() - begun;
        return run;
      });
      const used = process.cpuUsage(cpu);
      clearInterval(watch);
      const { requests, most } = flight;
      return {
        run: `${JSON.stringify(reports)} in ${words(wall)}; ${requests} requests, at most ${most} at once; processor ${((used.user + used.system) / 1e6).toFixed(1)} s with the probe's answers; memory ${before.toFixed(0)} MiB, at most ${peak.toFixed(0)}`,
        meanwhile: `an ingest meanwhile: ${words(probed.p50)} at the median, ${words(probed.p99)} at the 99th percentile (${(probed.p99 / calm).toFixed(1)} times that at rest), at most ${words(probed.max)}, ${probed.refused} refused of ${probed.answers}`,
      };
    },
    close: async () => {
      await ingest.stop(0);
      await deps.follower.stop();
      await checkpointer.stop(3_000);
      opened.close();
    },
  };
}

export function words(ms: number): string {
  return ms < 100 ? `${ms.toFixed(1)} ms` : `${(ms / 1_000).toFixed(2)} s`;
}

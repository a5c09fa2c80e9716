/** The service of `bench archive`: its properties attached, and its job, asked without pauses between questions. */

import { join } from "node:path";
import { openData } from "../../../src/app/boot.ts";
import { Archive } from "../../../src/archive/archive.ts";
import { readConfig } from "../../../src/base/config.ts";
import type { HttpClient } from "../../../src/base/http_client.ts";
import type { World } from "../../../src/demo/simulator/world.ts";
import type { Provider } from "../../../src/providers/adapter.ts";
import { readCredentialFile } from "../../../src/providers/given_file.ts";
import { attachProperty } from "../../../src/signals/connections.ts";
import { addCredential } from "../../../src/signals/credential_changes.ts";
import { Pulls } from "../../../src/signals/signals.ts";
import { ensureAssets } from "../../../src/sites/site_changes.ts";
import { startCheckpointer } from "../../../src/store/checkpoint.ts";

const PACES = {
  analytics: { atOnce: 4, gapMs: 0 },
  "search-console": { atOnce: 1, gapMs: 0 },
  "webmaster-tools": { atOnce: 1, gapMs: 0 },
  serp: { atOnce: 1, gapMs: 0 },
  gatherMs: 250,
} as const;

export const PROBE_TOKEN = "bench-token-of-the-probe";

export async function archiveGround(
  folder: string,
  { world, providers }: { readonly world: World; readonly providers: Readonly<Record<string, string>> },
) {
  const config = readConfig({
    DATA_DIR: join(folder, "data"),
    ASSET_TOKENS: `probe:${PROBE_TOKEN}`,
    INGEST_BURST: "1000000",
    INGEST_BYTES_PER_DAY: "1000000000000",
    INGEST_PER_SECOND: "100000",
    LOG_LEVEL: "error",
    ...providers,
  });
  const opened = await openData(config);
  const { deps } = opened;
  const checkpointer = startCheckpointer(deps.store);
  const by = { actor: "bench", now: deps.clock.now() };
  const names = world.sites.map(({ name }) => name);
  await deps.writer.write((tx) => void ensureAssets(tx, names, by));
  const add = async (provider: Provider, file: string) => {
    const read = await readCredentialFile(
      provider,
      await Bun.file(join(folder, file)).text(),
      config.providers,
    );
    if (!read.ok) throw new Error(read.faults.join());
    const added = await addCredential(deps, { provider, secret: read.secret, label: undefined }, by);
    if (!added.ok) throw new Error(added.why);
    return added.credential.id;
  };
  const credential = await add("analytics", "google-key.json");
  await add("search-console", "google-key.json");
  const webmaster = await add("webmaster-tools", "webmaster-key.txt");
  for (const { name, analytics, searchConsole, webmasterTools } of world.sites) {
    const attach = async (provider: Provider, id: string, property = "") => {
      const wanted = { asset: name, provider, credential: id, property, replace: false };
      await attachProperty(deps, wanted, by);
    };
    await attach("analytics", credential, analytics?.property);
    await attach("search-console", credential, searchConsole?.property);
    await attach("webmaster-tools", webmaster, webmasterTools?.property);
  }
  const asked = { requests: 0 };
  const http: HttpClient = {
    request: (request) => {
      asked.requests++;
      return deps.http.request(request);
    },
  };
  const pulls = new Pulls({ ...deps, paces: PACES, http, onChanged: () => undefined });
  const archive = new Archive({ ...deps, http, pulls });
  return {
    deps,
    asked,
    /** Runs the job once. */
    run: () =>
      deps.jobs.runEntry(
        { name: "analysis", at: "15 12 * * *", recorded: true, work: (handle) => archive.run(handle) },
        "command",
      ),
    close: async () => {
      await deps.follower.stop();
      await checkpointer.stop(3_000);
      opened.close();
    },
  };
}

/** A month of the demo's sites in a service of its own, under a clock that jumps: everything that a channel is sent, in order. */

import { judgeFreshness } from "../../src/app/schedule.ts";
import { readContract } from "../../src/base/contract.ts";
import { annotationsOf, codebaseReports } from "../../src/demo/fill.ts";
import { ACCOUNTS, counterOf, demoWorld, nightlyReport, SEED } from "../../src/demo/history.ts";
import { PORTFOLIO } from "../../src/demo/portfolio.ts";
import { startSimulators } from "../../src/demo/simulator/simulators.ts";
import type { ChannelRules } from "../../src/notices/channel_settings.ts";
import { readCredentialFile } from "../../src/providers/given_file.ts";
import { addCredential, attachProperty } from "../../src/signals/credential_changes.ts";
import { annotationSchema, postAnnotation } from "../../src/sites/annotations.ts";
import { ensureAssets } from "../../src/sites/site_changes.ts";
import { FakeClock } from "../support/clock.ts";
import { PROXY, testTower } from "../support/test_tower.ts";
import { type Arrived, ensureChannel, runOnce } from "./world.ts";

const MADE_AT = Date.UTC(2026, 10, 22, 8, 15);
const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;
const FROM = MADE_AT - 30 * DAY_MS;

export interface SentThen extends Arrived {
  readonly at: number;
}

/** `everyMinutes`: how often the jobs run in the month itself. */
export async function monthOfDemo(
  rules: Partial<ChannelRules>,
  { withProviders, everyMinutes }: { readonly withProviders: boolean; readonly everyMinutes: number },
): Promise<SentThen[]> {
  const clock = new FakeClock(new Date(MADE_AT - 120 * DAY_MS).toISOString());
  const world = demoWorld(MADE_AT);
  const simulators = startSimulators({ now: () => clock.now(), seed: SEED, world });
  const token = (id: string) => `token-of-site-${id}`;
  const tower = await testTower({
    ground: { clock },
    settings: {
      ...simulators.settings,
      ...PROXY,
      ASSET_TOKENS: PORTFOLIO.map(({ id }) => `${id}:${token(id)}`).join(","),
      TOWER_PUBLIC_URL: "https://tower.example.org",
    },
  });
  const { deps } = tower;
  await deps.writer.write((tx) =>
    ensureAssets(tx, [...PORTFOLIO.map(({ id }) => id), "tower"], { actor: "test", now: clock.now() }),
  );
  for (const { id, lifecycle } of PORTFOLIO) {
    if (lifecycle !== "live")
      deps.store.raw.run("UPDATE asset SET lifecycle = ? WHERE id = ?", [lifecycle, id]);
  }
  const post = async (path: string, site: string, body: object) => {
    const request = new Request(`http://localhost:4610${path}`, {
      method: "POST",
      headers: {
        authorization: `Bearer ${token(site)}`,
        "content-type": "application/json",
        host: "localhost:4610",
      },
      body: JSON.stringify(body),
    });
    const answer = await tower.ingest(request, () => "127.0.0.1");
    if (answer.status !== 201) throw new Error(`${site}: ${answer.status} ${await answer.text()}`);
  };
  const happenings = [
    ...PORTFOLIO.flatMap((site) => {
      const { reports } = site;
      const simulated = world.sites.find(({ name }) => name === site.id);
      if (reports === undefined || simulated === undefined || site.lifecycle === "retired") return [];
      const counter = counterOf(site, simulated, MADE_AT);
      const first = Math.floor(MADE_AT / DAY_MS);
      return Array.from({ length: (reports.to ?? 0) - reports.from + 1 }, (_, night) => {
        const at = (first + reports.from + night) * DAY_MS + reports.minute * MINUTE_MS;
        return { at, happen: () => post("/api/pulse", site.id, nightlyReport(site, counter, at)) };
      });
    }),
    ...PORTFOLIO.flatMap((site) =>
      site.lifecycle === "retired"
        ? []
        : codebaseReports(site, MADE_AT).map((report) => ({
            at: Date.parse((report as { generatedAt: string }).generatedAt) + 5_000,
            happen: () => post("/api/codebase-report", site.id, report),
          })),
    ),
    ...annotationsOf(MADE_AT, MADE_AT).map((note) => ({
      at: Date.parse((note as { at: string }).at) + 5_000,
      happen: async () => {
        const read = readContract(
          annotationSchema(() => clock.now()),
          note,
        );
        if (read.ok) await postAnnotation(deps, read.value, "demo-ci");
      },
    })),
  ].sort((one, other) => one.at - other.at);
  const arrived: SentThen[] = [];
  let next = 0;
  let isConnected = false;
  const step = async (now: number, isMonth: boolean) => {
    for (let one = happenings[next]; one !== undefined && one.at <= now; one = happenings[++next]) {
      clock.advance(one.at - clock.now());
      await one.happen();
    }
    clock.advance(now - clock.now());
    await deps.follower.settle();
    await judgeFreshness(deps);
    if (isMonth && withProviders) {
      if (!isConnected) await connect();
      isConnected = true;
      await deps.jobs.run("sense", "schedule");
      const minutes = (now / MINUTE_MS) % 1_440;
      if (minutes >= 150 && minutes < 150 + everyMinutes) await deps.jobs.run("webmaster-tools", "schedule");
      await deps.follower.settle();
    }
    const settled = { ...deps, follower: { settle: async () => {} } };
    await runOnce(
      settled,
      () => ({ ok: true, receipt: "250" }),
      (one) => arrived.push({ ...one, at: now }),
    );
  };
  const connect = async () => {
    const by = { actor: "test", now: clock.now() };
    const add = async (provider: "analytics" | "search-console" | "webmaster-tools", text: string) => {
      const read = await readCredentialFile(provider, text, deps.config.providers);
      if (!read.ok) throw new Error(read.faults.join());
      const added = await addCredential(deps, { provider, secret: read.secret, label: undefined }, by);
      if (!added.ok) throw new Error(added.why);
      return added.credential.id;
    };
    const most = await add("analytics", simulators.serviceAccount({ account: ACCOUNTS.most }));
    await add("search-console", simulators.serviceAccount({ account: ACCOUNTS.most }));
    const webmaster = await add("webmaster-tools", simulators.webmasterKey(ACCOUNTS.most));
    for (const { id, account, analytics, searchConsole, webmasterTools } of PORTFOLIO) {
      if (account !== undefined) continue;
      const of = { asset: id, replace: false };
      if (analytics)
        await attachProperty(
          deps,
          { ...of, credential: most, provider: "analytics", property: analytics.property },
          by,
        );
      if (searchConsole)
        await attachProperty(
          deps,
          { ...of, credential: most, provider: "search-console", property: searchConsole.property },
          by,
        );
      if (webmasterTools)
        await attachProperty(
          deps,
          { ...of, credential: webmaster, provider: "webmaster-tools", property: webmasterTools.property },
          by,
        );
    }
  };
  for (let at = MADE_AT - 120 * DAY_MS; at < FROM; at += DAY_MS) await step(at, false);
  await ensureChannel(deps, "ops", rules, "mail");
  for (let at = FROM; at <= MADE_AT; at += everyMinutes * MINUTE_MS) await step(at, true);
  await simulators.stop();
  await tower.close();
  return arrived;
}

/** A service that pulls from simulated providers over real HTTP, all of it under one clock that the test moves. */

import { dayNumber, dayOfNumber, type UtcDay } from "../../src/base/time.ts";
import { startSimulators } from "../../src/demo/simulator/simulators.ts";
import type { World } from "../../src/demo/simulator/world.ts";
import { dailyScope } from "../../src/health/health.ts";
import { findEvidence, listHealthEvents } from "../../src/health/state_store.ts";
import type { Provider } from "../../src/providers/adapter.ts";
import { findConnection } from "../../src/providers/credentials.ts";
import { FAILURE_CATEGORIES } from "../../src/providers/faults.ts";
import { readCredentialFile } from "../../src/providers/given_file.ts";
import { listBlocks, listSeries, readBlock } from "../../src/reports/series.ts";
import { daysOf } from "../../src/reports/series_days.ts";
import { PULL_OUTCOMES } from "../../src/signals/attempts.ts";
import { addCredential, attachProperty } from "../../src/signals/credential_changes.ts";
import { ensureAssets } from "../../src/sites/site_changes.ts";
import type { AskedBy } from "../../src/store/job_runs.ts";
import { FakeClock } from "./clock.ts";
import { figureText } from "./signals.ts";
import { type Ground, PROXY, testTower } from "./test_tower.ts";

/** The moment at which a pulled service begins: the evening of 20 November in California, the 21st in Europe. */
export const PULLED_AT = "2026-11-20T20:00:00Z";
const DAY = dayNumber("2026-11-20" as UtcDay);

/** A site with all three providers, three months old; its figures are the same in every run. */
export function pulledWorld(names: readonly string[] = ["harbor.example"], firstDay = DAY - 90): World {
  return {
    sites: names.map((name, place) => ({
      name,
      visitsPerDay: 120,
      firstDay,
      analytics: { property: String(1_001 + place), timeZone: "America/Los_Angeles" },
      searchConsole: { property: `sc-domain:${name}` },
      webmasterTools: { property: `https://${name}/` },
    })),
  };
}

/** Starts both, stores the credentials and attaches every property of the world to the site that bears its name. */
export async function pulledTower(
  options: {
    readonly world?: World;
    readonly at?: string;
    readonly ground?: Omit<Ground, "clock">;
    readonly settings?: Readonly<Record<string, string>>;
  } = {},
) {
  const { world = pulledWorld(), at = PULLED_AT, ground = {}, settings = {} } = options;
  const clock = new FakeClock(at);
  const simulators = startSimulators({ now: () => clock.now(), seed: 7, world });
  const tower = await testTower({
    ground: { ...ground, clock },
    settings: { ...simulators.settings, ...PROXY, ...settings },
  });
  const { deps } = tower;
  const { store, writer } = deps;
  const by = { actor: "test", now: clock.now() };
  await writer.write((tx) => {
    ensureAssets(tx, [...world.sites.map(({ name }) => name), "tower"], by);
  });
  const add = async (provider: Provider, text: string): Promise<string> => {
    const read = await readCredentialFile(provider, text, deps.config.providers);
    if (!read.ok) throw new Error(read.faults.join());
    const added = await addCredential(deps, { provider, secret: read.secret, label: undefined }, by);
    if (!added.ok) throw new Error(added.why);
    return added.credential.id;
  };
  const google = await add("analytics", simulators.serviceAccount());
  await add("search-console", simulators.serviceAccount());
  const webmaster = await add("webmaster-tools", simulators.webmasterKey());
  for (const { name, analytics, searchConsole } of world.sites) {
    const of = { asset: name, credential: google, replace: false };
    if (analytics !== undefined) {
      await attachProperty(deps, { ...of, provider: "analytics", property: analytics.property }, by);
    }
    if (searchConsole !== undefined) {
      await attachProperty(deps, { ...of, provider: "search-console", property: searchConsole.property }, by);
    }
  }
  let seen = 0;
  let told = 0;
  const { workspace } = deps.config;
  const scopeOf = (provider: Provider, asset: string) => {
    const site = world.sites.find(({ name }) => name === asset);
    const property = {
      analytics: site?.analytics?.property,
      "search-console": site?.searchConsole?.property,
      "webmaster-tools": site?.webmasterTools?.property,
    }[provider];
    const credential = provider === "webmaster-tools" ? webmaster : google;
    const connectionRevision = findConnection(store.db, credential) ?? "";
    return dailyScope(workspace, { asset, provider, connectionRevision, property: property ?? "" });
  };
  return {
    tower,
    clock,
    simulators,
    world,
    /** Ids of the two credentials. */
    credentials: { google, webmaster },
    /** Runs a job as the schedule does, or as somebody else. */
    run: (job: "sense" | "webmaster-tools" | "analysis", by: AskedBy = "schedule") => deps.jobs.run(job, by),
    /** The attempts since the last time this was asked; `wait` is milliseconds from its end to the next permitted one. */
    attempts: () => {
      const rows = store.raw
        .query<
          {
            id: number;
            asset: string;
            provider: string;
            outcome: number;
            category: number | null;
            ended: number;
            next: number | null;
            requests: number;
            changed: number;
          },
          [number]
        >(
          `SELECT a.id, t.asset, t.provider, a.outcome, a.category, a.started_at + a.took_ms AS ended, a.next_retry_at AS next,
             a.requests, a.changed FROM pull_attempt a JOIN pull_target t ON t.id = a.target WHERE a.id > ? ORDER BY a.id`,
        )
        .all(seen);
      seen = rows.at(-1)?.id ?? seen;
      return rows.map(({ asset, provider, outcome, category, ended, next, requests, changed }) => ({
        asset,
        provider,
        outcome: PULL_OUTCOMES[outcome] ?? "?",
        category: category === null ? null : (FAILURE_CATEGORIES[category] ?? "?"),
        wait: next === null ? null : next - ended,
        requests,
        changed,
      }));
    },
    /** What health knows of a provider's daily figures: of a site, or of everything over the connection (""). */
    health: (provider: Provider, asset = world.sites[0]?.name ?? "") =>
      findEvidence(store.db, scopeOf(provider, asset)),
    /** The events of health since the last time this was asked, oldest first: `analytics.daily harbor.example first_failure access`. */
    events: () => {
      const all = listHealthEvents(store.db, { limit: 10_000, isShown: () => true });
      const news = all.slice(0, all.length - told);
      told = all.length;
      return news
        .reverse()
        .map(
          ({ scope, change, category }) => `${scope.capability} ${scope.asset || "-"} ${change} ${category}`,
        );
    },
    /** Every stored day of every figure of a provider, one line each. */
    stored: (provider: Provider, asset = world.sites[0]?.name ?? "") =>
      listSeries(store.db, asset, provider).flatMap(({ id, metric }) =>
        listBlocks(store.db, id).flatMap((block) =>
          [...daysOf(readBlock(store.db, id, block), block)].map(
            ([day, figure]) => `${metric} ${dayOfNumber(day)} ${figureText(figure)}`,
          ),
        ),
      ),
    /** Everything that a list of the API holds, over all its pages. */
    list: async <Row>(path: string, limit = 500) => {
      const rows: Row[] = [];
      for (let cursor: string | null = ""; cursor !== null; ) {
        const mark = path.includes("?") ? "&" : "?";
        const next: string = cursor === "" ? "" : `&cursor=${cursor}`;
        const answer = await tower.ask(`${path}${mark}limit=${limit}${next}`);
        if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
        const page = (await answer.json()) as { items: Row[]; next: string | null };
        rows.push(...page.items);
        cursor = page.next;
      }
      return rows;
    },
    /** How many observations there are, of one provider where it is named. */
    observations: (provider?: Provider) =>
      store.raw
        .query<{ n: number }, [string | null]>(
          "SELECT count(*) AS n FROM observation o JOIN pull_target t ON t.id = o.target WHERE t.provider = coalesce(?, t.provider)",
        )
        .all(provider ?? null)[0]?.n ?? 0,
    close: async () => {
      simulators.stop();
      await tower.close();
    },
  };
}

export type Pulled = Awaited<ReturnType<typeof pulledTower>>;

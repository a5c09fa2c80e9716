/** The story told to a real service: what its sites send, what its operator does, what befalls the computer. */

import { appendFileSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { FlagRow } from "../../src/flags/flags.ts";
import { FakeClock } from "../support/clock.ts";
import { seededIds } from "../support/ids.ts";
import { codebaseReport } from "../support/make/codebase_report.ts";
import { SimulatedService } from "../support/simulated_service.ts";
import { DAYS, dateOf, hoursOf, SITES, type StorySite, tell } from "./portfolio_story.ts";

const HOUR_MS = 3_600_000;
const LARGEST = Number.MAX_SAFE_INTEGER;

/** What came of the walk. */
export interface Walked {
  readonly service: SimulatedService;
  /** Statuses that the sites were answered with, counted. */
  readonly answers: ReadonlyMap<number, number>;
  /** What was looked at on the way, by its name. */
  readonly seen: ReadonlyMap<string, unknown>;
}

const tokenOf = (site: string) => `token-of-${site}-0123456789`;

/** Walks through the whole story in a data folder; the service is left running at its end. */
export async function walkPortfolio(dataDir: string, seed: number): Promise<Walked> {
  const clock = new FakeClock(`${dateOf(0)}T00:00:00Z`);
  const tokens = SITES.map(({ id }) => `${id}:${tokenOf(id)}`).join(",");
  const service = new SimulatedService({ DATA_DIR: dataDir, ASSET_TOKENS: tokens }, clock, seededIds(seed));
  const counts = tell(seed);
  const totals = new Map<string, number>();
  const answers = new Map<number, number>();
  const seen = new Map<string, unknown>();
  const constantsPath = join(dataDir, "constants.toml");

  const flags = (query: string) => service.list<FlagRow>(`/api/flags?${query}`);
  const act = async (id: string, noun: string, fields: Readonly<Record<string, string>> = {}) => {
    const { status } = await service.operate(`/flags/${id}/${noun}`, fields);
    if (status !== 303) throw new Error(`${noun} of ${id} was answered ${status}`);
  };
  const lifecycle = async (site: string, stage: string) => {
    const { status } = await service.operate(`/sites/${site}/settings`, { url: "", lifecycle: stage });
    if (status !== 303) throw new Error(`${site} did not become ${stage}: ${status}`);
  };
  const restart = async (downHours = 0) => {
    await service.stop();
    clock.advance(downHours * HOUR_MS);
    await service.start();
  };
  const send = async (
    site: string,
    report: unknown,
    path: "/api/pulse" | "/api/codebase-report" = "/api/pulse",
  ) => {
    const { status } = await service.send(path, tokenOf(site), report);
    answers.set(status, (answers.get(status) ?? 0) + 1);
  };

  const nightly = (site: StorySite, day: number) => {
    const metrics = (counts.get(site.id)?.[day] ?? []).map(([metric, count]) => {
      const key = `${site.id} ${metric}`;
      const jump = site.id === "growing" && day === 275 ? 4_000_000 : 0;
      totals.set(key, (totals.get(key) ?? 0) + count + jump);
      const last24h =
        site.id === "poison" && metric === "visits" && day >= 130 && day <= 132 ? LARGEST : count;
      return [metric, { last24h, ...(site.id === "growing" ? { total: totals.get(key) } : {}) }] as const;
    });
    const told =
      site.id === "telling" && day >= 80 && day <= 89
        ? [
            {
              severity: "warn",
              kind: "anomaly",
              metric: "orders",
              msg: `The queue is ${day - 79} days behind.`,
            },
          ]
        : undefined;
    return {
      asset: site.id,
      generatedAt: `${dateOf(day)}T02:30:00Z`,
      metrics: site.id === "refused" && day >= 160 && day <= 165 ? [] : Object.fromEntries(metrics),
      ...(told === undefined ? {} : { flags: told }),
    };
  };

  /** What happens on a day beside its reports, after them. */
  const events: Readonly<Record<number, () => Promise<void>>> = {
    0: () => lifecycle("launching", "pre-launch"),
    60: () => restart(),
    61: () => restart(),
    90: () => lifecycle("launching", "live"),
    120: async () => {
      const [flag] = await flags("asset=outage&status=open&metric=bookings");
      if (flag === undefined) return;
      await act(flag.id, "acknowledgement");
      await act(flag.id, "incident", { text: "INC-7" });
    },
    130: async () => {
      seen.set("failures", service.deps.store.raw.query("SELECT * FROM monitoring_failure").all());
      seen.set("poisoned site", (await service.operate("/sites/poison")).status);
    },
    140: async () => {
      const metrics = Object.fromEntries(Array.from({ length: 50 }, (_, i) => [`m${i}`, { last24h: i }]));
      for (let i = 0; i < 300; i++) {
        await send("flood", { asset: "flood", generatedAt: `${dateOf(140)}T02:35:00Z`, metrics });
      }
    },
    170: async () => {
      seen.set("good constants", readFileSync(constantsPath, "utf8"));
      appendFileSync(constantsPath, "\n[flow_rules\n");
    },
    171: async () => {
      await restart();
      seen.set("flags page under broken constants", await (await service.operate("/flags")).text());
    },
    172: async () => writeFileSync(constantsPath, String(seen.get("good constants"))),
    180: () => lifecycle("retired", "retired"),
    200: () => restart(30),
    225: async () => {
      const site = SITES.find(({ id }) => id === "late");
      if (site === undefined) return;
      for (let day = 220; day <= 224; day++) await send("late", nightly(site, day));
    },
    280: async () => {
      clock.advance(400 * 24 * HOUR_MS);
      await send("steady", {
        asset: "steady",
        generatedAt: new Date(clock.now()).toISOString(),
        metrics: {},
      });
      await service.hour();
      clock.advance(-400 * 24 * HOUR_MS);
    },
    300: () => lifecycle("retired", "live"),
    350: () => restart(),
  };

  /** What is looked at on the evening of a day. */
  const notes: ReadonlyMap<number, () => void> = new Map([
    [141, () => seen.set("judged on day 140", judgedOn(140))],
  ]);
  const judgedOn = (day: number) =>
    service.deps.store.raw
      .query<{ asset: string }, [string]>(
        "SELECT DISTINCT asset FROM flow_tally WHERE date = ? ORDER BY asset",
      )
      .all(dateOf(day))
      .map(({ asset }) => asset);

  await service.start();
  for (let day = 0; day < DAYS; day++) {
    for (const hour of hoursOf(day)) {
      const at = new Date(`${dateOf(day)}T00:00:00Z`).getTime() + hour * HOUR_MS + 35 * 60_000;
      // Time goes on while the service is down.
      if (clock.now() < at || hour > 0) clock.advance(Math.max(0, at - clock.now()));
      if (hour === 2) {
        for (const site of SITES) if (site.reports?.(day) !== false) await send(site.id, nightly(site, day));
        if (day % 7 === 0) await send("code", weekly(day), "/api/codebase-report");
        await service.deps.follower.settle();
        await events[day]?.();
      }
      if (hour === 4) await service.job("own-pulse");
      await service.hour();
    }
    notes.get(day)?.();
  }
  return { service, answers, seen };
}

/** The site's code: it grows slowly, once by a third, and repeats itself for a while. */
function weekly(day: number) {
  return codebaseReport({
    asset: "code",
    generatedAt: `${dateOf(day)}T02:30:00Z`,
    measures: {
      code_lines: Math.round(10_000 * 1.002 ** (day / 7) * (day >= 300 ? 1.35 : 1)),
      duplication_percent: day >= 60 && day <= 200 ? 9 + (day % 3) : 4,
      unused_files: 2,
      unused_dependencies: 0,
      complex_functions: 12,
      vulnerable_dependencies: day >= 100 && day < 130 ? 2 : 0,
    },
  });
}

/**
 * The whole service over 400 days of 20 sites, and what its operator finds in the end. `WALK_TABLE=1` prints every lasting thing on
 * a line of its own, to be read.
 */

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { listMonitoringFailures } from "../../src/health/monitoring.ts";
import { checkEverything } from "../../src/keep/keep.ts";
import { temporaryFolder } from "../support/folder.ts";
import { dayNumberOf } from "./day_of_story.ts";
import { type Chain, chainsOf, tableOf } from "./flag_table.ts";
import { DAYS, SITES } from "./portfolio_story.ts";
import { type Walked, walkPortfolio } from "./portfolio_walk.ts";

const SEED = Number(Bun.env["WALK_SEED"] ?? 7);
const folder = temporaryFolder();

let walked: Walked;
let chains: readonly Chain[];
beforeAll(async () => {
  walked = await walkPortfolio(folder.path, SEED);
  chains = await chainsOf(walked);
  if (Bun.env["WALK_TABLE"] !== undefined) console.log(tableOf(chains));
}, 600_000);
afterAll(async () => {
  await walked?.service.stop();
  folder[Symbol.dispose]();
});

const of = (asset: string, rule: string, subject?: string): Chain[] =>
  chains.filter(
    (chain) => chain.asset === asset && chain.rule === rule && (subject ?? chain.subject) === chain.subject,
  );
const from = (chain: Chain | undefined): number => dayNumberOf(chain?.flags[0]?.raised_at);
const to = (chain: Chain | undefined): number => dayNumberOf(chain?.flags.at(-1)?.resolved_at);
const silence = (site: string, day: number): Chain[] =>
  of("tower", "stale-ingest", site).filter(
    (chain) => from(chain) <= day && to(chain) >= day && from(chain) <= DAYS,
  );

describe(`400 days of ${SITES.length} sites, seed ${SEED}`, () => {
  test("five dead nights are one thing, acknowledged and linked once", () => {
    const [dead, ...more] = of("outage", "flow-drop", "bookings").filter((chain) => from(chain) === 120);
    expect(more).toEqual([]);
    expect([from(dead), to(dead), dead?.flags.length]).toEqual([120, 125, 5]);
    expect(dead?.flags.every(({ acked_by, incident }) => acked_by === "ada" && incident === "INC-7")).toBe(
      true,
    );
    expect(dead?.flags.at(-1)?.message).toEndWith(", fifth day in a row");
  });

  test("a change of level is one thing for its first days, and over when it is the habit", () => {
    for (const [site, rule, day] of [
      ["halved", "flow-drop", 150],
      ["doubled", "flow-rise", 200],
    ] as const) {
      const [change] = of(site, rule).filter((chain) => from(chain) <= day && to(chain) >= day + 2);
      expect(change?.flags.length).toBeGreaterThan(2);
      expect(to(change)).toBeLessThan(day + 28);
    }
  });

  test("one odd day is told, and makes no drop on the four same weekdays after it", () => {
    expect(of("odd", "flow-rise").some((chain) => from(chain) === 240)).toBe(true);
    for (const week of [1, 2, 3, 4]) {
      expect(of("odd", "flow-drop").filter((chain) => from(chain) === 240 + 7 * week)).toEqual([]);
    }
  });

  test("where nothing happens, fewer than three tests in a hundred flag", () => {
    for (const site of ["steady", "quiet", "wide", "weekends"]) {
      const metrics = Object.keys(SITES.find(({ id }) => id === site)?.metrics ?? {}).length;
      const told = chains.filter(({ asset, rule }) => asset === site && rule.startsWith("flow-")).length;
      expect(told).toBeLessThan(metrics * (DAYS - 28) * 0.03);
    }
  });

  test("silence is one thing from its 26th hour to the next report, with a reading an hour", () => {
    for (const [site, first, last] of [
      ["silent", 100, 103],
      ["silent", 250, 260],
      ["late", 220, 225],
    ] as const) {
      const [told, ...more] = silence(site, first + 1);
      expect(more).toEqual([]);
      expect([from(told), to(told), told?.flags.length]).toEqual([first, last, 1]);
      // From the 26th hour on, one reading for each full hour.
      expect(told?.evidence).toBe((last - first + 1) * 24 - 26);
      expect(told?.flags[0]?.resolution).toBe("reporting_again");
    }
  });

  test("a site that is refused nightly does not merely look silent", () => {
    const [told] = silence("refused", 161);
    expect(told?.flags[0]?.message).toMatch(/; 6 reports refused since/);
    expect(walked.answers.get(422)).toBe(6);
  });

  test("a site that goes live has its hours from then, whatever it tested before", () => {
    const [told] = silence("launching", 91);
    expect([from(told), to(told)]).toEqual([91, 93]);
    expect(of("tower", "stale-ingest", "launching").filter((chain) => from(chain) <= 90)).toEqual([]);
  });

  test("Tower's own downtime stands in what it says of the silence it made", () => {
    const [told] = silence("steady", 201);
    expect(told?.flags[0]?.message).toContain("Tower itself was down for 30 h of that time");
  });

  test("retiring ends what is open, and nothing is told of the site until it is back", () => {
    const during = chains.filter(
      (chain) => chain.asset === "retired" && to(chain) >= 180 && from(chain) < 300 && from(chain) > 170,
    );
    expect(during.map(({ flags }) => flags.at(-1)?.resolution)).toEqual(["retired"]);
    expect(to(during[0])).toBe(180);
    expect(of("tower", "stale-ingest", "retired").filter((chain) => to(chain) > 180)).toEqual([]);
  });

  test("a poison count stops its metric alone, is told while it lasts, and ends", () => {
    expect(walked.seen.get("failures")).toEqual([
      expect.objectContaining({ kind: "rule", asset: "poison", source: "pulse", subject: "visits" }),
    ]);
    expect(walked.seen.get("poisoned site")).toBe(200);
    expect(listMonitoringFailures(walked.service.deps.store.db)).toEqual([]);
    const after = (metric: string, day: number) =>
      walked.service.deps.store.raw
        .query<{ n: number }, [string, string]>(
          "SELECT count(*) AS n FROM flow_verdict WHERE asset = 'poison' AND metric = ? AND date >= ?",
        )
        .all(metric, new Date(Date.UTC(2025, 0, 1 + day)).toISOString().slice(0, 10));
    expect(after("visits", DAYS - 1)).toEqual([{ n: 1 }]);
    expect(after("orders", DAYS - 1)).toEqual([{ n: 1 }]);
  });

  test("a flood of one site leaves every other judged the same day", () => {
    const judged = walked.seen.get("judged on day 140") as string[];
    const sending = SITES.filter(({ id, reports }) => id !== "newborn" && reports?.(140) !== false);
    expect(sending.map(({ id }) => id).filter((id) => !judged.includes(id))).toEqual([]);
  });

  test("constants that are not in effect are said over a restart, and forgotten when they are mended", () => {
    const page = String(walked.seen.get("flags page under broken constants"));
    expect(page).toContain("constants.toml");
    expect(listMonitoringFailures(walked.service.deps.store.db, { kind: "constants" })).toEqual([]);
  });

  test("of milestones passed at once the highest is told; a codebase condition is one thing for months", () => {
    expect(of("growing", "milestone-total").map(({ flags }) => flags[0]?.message.split(" by ")[0])).toEqual([
      "Signups passed 1,000 in total",
      "Signups passed 2,000 in total",
      "Signups passed 5,000 in total",
      "Signups passed 2,000,000 in total",
    ]);
    expect(
      of("code", "codebase-duplication").map((chain) => [from(chain), to(chain), chain.flags.length]),
    ).toEqual([[63, 203, 20]]);
    expect(of("telling", "(sent)").map((chain) => [from(chain), to(chain), chain.evidence])).toEqual([
      [80, 90, 9],
    ]);
  });

  test("an hour under a clock 400 days ahead is said to have been one, and mutes nothing after it", () => {
    const ahead = chains.filter((chain) => from(chain) > DAYS);
    expect(ahead.length).toBeGreaterThan(0);
    expect(new Set(ahead.flatMap(({ flags }) => flags.map(({ resolution }) => resolution)))).toEqual(
      new Set(["clock_set_back"]),
    );
    const late = chains.filter((chain) => from(chain) > 281 && from(chain) < DAYS);
    expect(late.length).toBeGreaterThan(10);
  });

  test("everything stored is as it was written, and every read model is what it is made of", () => {
    const { store } = walked.service.deps;
    expect(checkEverything(store).flatMap(({ faults }) => faults)).toEqual([]);
  });
});

import { describe, expect, test } from "bun:test";
import { addDays, formatInstant, utcDayOf } from "../../src/base/time.ts";
import { listFlags } from "../../src/flags/queries.ts";
import { acceptNow, openFolder } from "../support/data_folder.ts";
import { temporaryFolder } from "../support/folder.ts";
import { pullSignals, told } from "../support/signals.ts";
import { run } from "./run.ts";

const DAY_MS = 86_400_000;

describe("rules run (decisions 2, command line)", () => {
  test("judges what was accepted and not judged yet, then the silence, and prints what was raised and resolved", async () => {
    using folder = temporaryFolder();
    const opened = await openFolder(folder.path);
    const { deps } = opened;
    await run(opened, "asset add harbor");
    const report = (daysAgo: number, total: number) =>
      acceptNow(opened, {
        asset: "harbor",
        generatedAt: formatInstant(deps.clock.now() - daysAgo * DAY_MS),
        metrics: { signups: { last24h: 3, total } },
      });
    await report(2, 900);
    await report(1, 1_200);
    const first = await run(opened, "rules run");
    expect(first.exitCode).toBe(0);
    expect(first.stdout).toStartWith(
      "judged 2 nightly reports and the silence of every site; 1 raised, 1 resolved\n",
    );
    expect(first.stdout).toContain("raised    harbor  milestone-total  info  ");

    const settled = addDays(utcDayOf(deps.clock.now()), -3);
    await pullSignals(
      deps,
      { asset: "harbor", source: "search-console" },
      { last: settled, days: 60 },
      {
        clicks: (back) => told(back === 0 ? 2 : 50),
      },
    );
    const judged = await run(opened, "rules run");
    expect(judged.stdout).toStartWith(
      "judged 0 nightly reports, the figures of 1 property and the silence of every site; 1 raised, 0 resolved\n",
    );
    expect(judged.stdout).toContain("harbor  flow-drop  warn  Search console clicks down 96% (2 on ");

    deps.store.raw.run("UPDATE pulse_freshness SET received_at = received_at - ?", [40 * DAY_MS]);
    const silent = await run(opened, "rules run");
    expect(silent.stdout).toContain(
      "judged 0 nightly reports and the silence of every site; 1 raised, 0 resolved",
    );
    expect(silent.stdout).toContain("raised    tower  stale-ingest  error  ");
    await report(0, 1_210);
    expect((await run(opened, "rules run")).stdout).toContain("resolved  tower  stale-ingest");
    expect((await run(opened, "rules run now")).exitCode).toBe(2);

    deps.store.raw.run("UPDATE pulse_freshness SET received_at = received_at - ?", [40 * DAY_MS]);
    await run(opened, "rules run");
    await run(opened, "asset add harbor --lifecycle retired");
    const [silence] = listFlags(deps.store.db, { rule: "stale-ingest" }, 1);
    expect(silence).toMatchObject({ status: "resolved", resolution: "retired" });
    opened.close();
  });
});

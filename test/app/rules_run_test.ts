import { describe, expect, test } from "bun:test";
import { addDays, formatInstant, utcDayOf } from "../../src/base/time.ts";
import { listFlags } from "../../src/flags/queries.ts";
import { acceptNow, openNewFolder } from "../support/data_folder.ts";
import { pullSignals, told } from "../support/signals.ts";
import { run } from "./run.ts";

const DAY_MS = 86_400_000;

/** What the command says is recorded (`run.ts`). */
describe("rules run (decisions 2, command line)", () => {
  test("judges what was accepted and not judged yet, then the silence, and prints what was raised and resolved", async () => {
    using opened = await openNewFolder();
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
    await run(opened, "rules run");
    const settled = addDays(utcDayOf(deps.clock.now()), -3);
    await pullSignals(
      deps,
      { asset: "harbor", source: "search-console" },
      { last: settled, days: 60 },
      {
        clicks: (back) => told(back === 0 ? 2 : 50),
      },
    );
    await run(opened, "rules run");
    deps.store.raw.run("UPDATE pulse_freshness SET received_at = received_at - ?", [40 * DAY_MS]);
    await run(opened, "rules run");
    await report(0, 1_210);
    for (const words of ["rules run", "rules run now"]) await run(opened, words);

    deps.store.raw.run("UPDATE pulse_freshness SET received_at = received_at - ?", [40 * DAY_MS]);
    await run(opened, "rules run");
    await run(opened, "asset add harbor --lifecycle retired");
    const [silence] = listFlags(deps.store.db, { rule: "stale-ingest" }, 1);
    expect(silence).toMatchObject({ status: "resolved", resolution: "retired" });
  });
});

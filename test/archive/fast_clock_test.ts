/** A clock that ran ahead, by minutes or by days: what was archived meanwhile stands only until it is asked for again. */

import { expect, test } from "bun:test";
import { siteInsights } from "../../src/archive/site_insights.ts";
import { checkEverything } from "../../src/keep/keep.ts";
import { archivedTower } from "../support/archive_run.ts";
import { differing } from "../support/read_models.ts";

const MINUTE = 60_000;
const DAY = 86_400_000;

test.each([
  ["four minutes", 4 * MINUTE],
  ["ten days", 10 * DAY],
])("a clock that ran %s ahead leaves no damage in the archive", async (_, ahead) => {
  const { clock, run, rows, tower, close } = await archivedTower();
  const { store, health } = tower.deps;
  const faults = () => checkEverything(store).flatMap((one) => one.faults);
  const rowsOf = (sql: string) => store.raw.query<Record<string, unknown>, []>(sql).all();
  /** What is shown of the site's reports: of dates to come nothing may be. */
  const shown = () => {
    const today = new Date(clock.now()).toISOString().slice(0, 10);
    const reports = siteInsights(store.db, "harbor.example", clock.now());
    const dates = reports.flatMap((report) => report.shown?.insight.date ?? []);
    expect(dates.filter((date) => date > today)).toEqual([]);
    return dates.length;
  };
  const unknown = () =>
    health
      .read(clock.now())
      .capabilities.filter(({ capability, state }) => capability.endsWith(".archive") && state === "unknown");
  try {
    await run("webmaster-tools");
    await run("analysis");
    clock.advance(DAY);
    const kept = shown();
    clock.advance(ahead);
    await run("webmaster-tools");
    await run("analysis");
    clock.advance(-ahead);
    // As soon as the clock is right again, before anything is asked for anew.
    expect([shown(), faults()]).toEqual([kept, []]);

    clock.advance(MINUTE);
    await run("webmaster-tools");
    await run("analysis", "command");
    rows();
    await run("analysis", "command");
    expect(rows().filter(({ outcome }) => outcome === "stored")).toEqual([]);
    expect([shown(), faults(), unknown()]).toEqual([kept, [], []]);
    const standing = rowsOf(
      `SELECT t.family FROM archive_standing s JOIN archive_report r ON r.id = s.latest JOIN archive_target t ON t.id = s.target
       WHERE r.attempted_at > ${clock.now()}`,
    );
    expect(standing).toEqual([]);

    expect(differing(store.db)).toEqual([]);
  } finally {
    await close();
  }
});

/**
 * Four months of the demo's portfolio, judged night by night: which flags were raised, what they say and how they ended, what every
 * metric's last day came to, and what a channel was sent in the last month. After a change that is meant, `--update-snapshots` writes it anew; the difference is to be read like code.
 */

import { expect, test } from "bun:test";
import { judgeFreshness } from "../../src/app/schedule.ts";
import { formatInstant } from "../../src/base/time.ts";
import { annotationsOf, codebaseReports } from "../../src/demo/fill.ts";
import { counterOf, DAY_MS, dayAt, demoWorld, nightlyReport } from "../../src/demo/history.ts";
import { PORTFOLIO } from "../../src/demo/portfolio.ts";
import { listFlags } from "../../src/flags/queries.ts";
import type { Notice } from "../../src/notices/channel_settings.ts";
import type { CodebaseReport } from "../../src/reports/measures.ts";
import type { Pulse } from "../../src/reports/pulse.ts";
import { postAnnotation } from "../../src/sites/annotations.ts";
import { ensureAssets } from "../../src/sites/site_changes.ts";
import { ensureChannel, runOnce } from "../notices/world.ts";
import { brief } from "../support/brief.ts";
import { testGround } from "../support/deps.ts";
import { accept, acceptCodebase, declare } from "../support/nightly.ts";
import { testTower } from "../support/test_tower.ts";

const NOW = Date.UTC(2026, 10, 22, 8, 15);
/** Days before now: all that happens to the portfolio came later. */
const FIRST_DAY = -130;

const ground = await testGround();
const { deps, close } = await testTower({ ground });
const { clock, writer, store } = deps;
const world = demoWorld(NOW);
const sites = PORTFOLIO.map((site) => {
  const simulated = world.sites.find(({ name }) => name === site.id);
  if (simulated === undefined) throw new RangeError(site.id);
  return { site, counter: counterOf(site, simulated, NOW), code: codebaseReports(site, NOW) };
});
await writer.write((tx): void => {
  ensureAssets(
    tx,
    PORTFOLIO.map(({ id }) => id),
    { actor: "test", now: NOW + FIRST_DAY * DAY_MS },
  );
});
for (const { id, families = [] } of PORTFOLIO) {
  await declare(
    writer,
    id,
    families.map((family) => family.split("=")[0] ?? ""),
  );
}
/** What a channel of a person's own hours is sent in the last month. */
const CHANNEL = {
  quiet: { from: "22:00", to: "07:00" },
  zone: "Europe/Berlin",
  digest: "08:00",
  resolved: true,
};
const sent: { readonly day: number; readonly notice: Notice }[] = [];
const notes = annotationsOf(NOW) as readonly Parameters<typeof postAnnotation>[1][];
for (let day = FIRST_DAY; day <= 0; day++) {
  const night = dayAt(NOW, day) * DAY_MS;
  clock.at(formatInstant(night + 6 * 3_600_000));
  for (const note of notes)
    if (Date.parse(note.at) >= night - DAY_MS && Date.parse(note.at) < night)
      await postAnnotation(deps, note, "ci");
  for (const { site, counter, code } of sites) {
    const { reports } = site;
    if (reports !== undefined && day >= reports.from && day <= (reports.to ?? 0)) {
      await accept(deps, nightlyReport(site, counter, night + reports.minute * 60_000) as Pulse);
    }
    const measured = code.find(
      ({ generatedAt }) => Math.floor(Date.parse(generatedAt) / DAY_MS) === night / DAY_MS,
    );
    if (measured !== undefined) await acceptCodebase(deps, measured as CodebaseReport);
  }
  await deps.follower.settle();
  await judgeFreshness(deps);
  if (day === -30) await ensureChannel(deps, "ops", CHANNEL, "mail");
  // In its quiet hours, and when the digest is due.
  for (const hour of [6, 8]) {
    clock.at(formatInstant(night + hour * 3_600_000));
    await runOnce(
      { ...deps, follower: { settle: async () => {} } },
      () => ({ ok: true, receipt: "250" }),
      ({ notice }) => sent.push({ day, notice }),
    );
  }
}

test.each(PORTFOLIO.map(({ id }) => id).concat("tower"))("the flags of %s", (asset) => {
  const flags = listFlags(store.db, { asset }, 500).map(({ id: _, renews, ...flag }) => ({
    ...flag,
    renews: renews !== null,
  }));
  expect(flags.map((flag) => brief(JSON.stringify(flag), 1_200))).toMatchSnapshot();
  const verdicts = store.raw.query<Record<string, unknown>, [string]>(
    "SELECT * FROM flow_verdict WHERE asset = ?",
  );
  expect(verdicts.all(asset).map((row) => brief(JSON.stringify(row), 900))).toMatchSnapshot();
});

test("a month of them is a digest a day and at most five messages on any; each site's trouble is told once", () => {
  const days = Map.groupBy(sent, ({ day }) => day);
  expect(days.size).toBe(31);
  expect([...days.values()].filter(({ length }) => length > 5)).toStrictEqual([]);
  const told = sent.map(({ day, notice }) => `${day}: ${notice.subject}\n${notice.text.split("\n--\n")[0]}`);
  expect(told).toMatchSnapshot();
});

test("how many tests were made each day, and how many flags were expected", async () => {
  const tallies = store.raw.query<Record<string, unknown>, []>(
    "SELECT * FROM flow_tally ORDER BY date, asset, source",
  );
  expect(
    brief(
      tallies
        .all()
        .map((row) => Object.values(row).join(" "))
        .join("\n"),
      4_000,
    ),
  ).toMatchSnapshot();
  await close();
});

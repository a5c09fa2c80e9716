/** Why a list of flags is empty, of a site and of all, recorded from the first site on: it is no all-clear while a rule should have run and did not. */

import { expect, test } from "bun:test";
import { formatInstant, type UtcDay } from "../../../src/base/time.ts";
import {
  listMonitoringFailures,
  type Monitored,
  monitoringFailure,
  noteFailure,
} from "../../../src/health/monitoring.ts";
import { ensureAssets } from "../../../src/sites/site_changes.ts";
import { Writer } from "../../../src/store/writer.ts";
import { concernsRules, readWhyEmpty } from "../../../src/tower/flags/inbox.ts";
import { testStore } from "../../support/database.ts";
import { testGround } from "../../support/deps.ts";
import { codebaseReport } from "../../support/make/codebase_report.ts";
import { accept, acceptCodebase, judgeAll, sendNights } from "../../support/nightly.ts";
import { pullSignals, told } from "../../support/signals.ts";

const OWN = "tower";
const LAST = "2026-03-30" as UtcDay;
/** What keeps a rule from judging, and, in the end, what does not: a job that packs, constants of which the last good ones are used. */
const FAILURES: readonly Partial<Monitored>[] = [
  { subject: "freshness" },
  { subject: "sense" },
  // It brings what webmaster tools report as issues.
  { subject: "analysis" },
  { kind: "rule", asset: "harbor", source: "pulse", subject: "visits" },
  { subject: "bodies" },
  { kind: "constants", subject: "constants.toml" },
];

test("an empty list says what it is", async () => {
  const bare = testStore();
  const add = (writer: Writer, asset: string) =>
    writer.write((tx) => ensureAssets(tx, [asset], { actor: "test", now: 0 }));
  await add(new Writer(bare), OWN);
  const said: unknown[] = [readWhyEmpty(bare.db, { site: undefined, except: OWN }, [], 0)];
  bare.close();

  const ground = await testGround();
  const { db } = ground.store;
  ground.clock.at("2026-03-31T01:00:00Z");
  const look = (what: string) => {
    const unwatched = listMonitoringFailures(db).filter(concernsRules);
    for (const site of [undefined, "harbor", "orchard", "inn"])
      said.push([what, site, readWhyEmpty(db, { site, except: OWN }, unwatched, ground.clock.now())]);
  };
  const metrics = { visits: { last24h: 50 } };
  const nights = (asset: string, days: number) =>
    sendNights(ground, asset, { last: LAST, days }, () => ({ metrics }));
  for (const asset of [OWN, "inn"]) await add(ground.writer, asset);
  await nights(OWN, 1);
  await judgeAll(ground);
  look("Tower's own report is none");
  await nights("harbor", 3);
  await judgeAll(ground);
  look("three nights");
  await nights("harbor", 30);
  await nights("orchard", 1);
  const report = { asset: "orchard", generatedAt: `${LAST}T02:00:00Z`, measures: { files: 1 } };
  await acceptCodebase(ground, codebaseReport(report));
  const search = { asset: "inn", source: "search-console" } as const;
  const days = { last: LAST, days: 40 };
  await pullSignals(ground, search, days, { clicks: () => told(50), ctr: () => told(0.5) });
  await judgeAll(ground);
  look("thirty nights, one and a measured codebase, a provider's figures of which one is a ratio");
  for (const of of FAILURES) {
    const failing = { kind: "job", asset: "", source: "", subject: "", ...of } as const;
    await ground.writer.write((tx) => noteFailure(tx, failing, { reason: "broke", now: 0 }));
    look(JSON.stringify(of));
    await ground.writer.write((tx) => void tx.delete(monitoringFailure).run());
  }
  await accept(
    ground,
    { asset: "harbor", generatedAt: formatInstant(ground.clock.now()), metrics },
    ground.clock.now(),
  );
  look("a report waits");
  ground.clock.advance(10 * 60_000);
  look("for ten minutes");
  expect(said).toMatchSnapshot();
  ground.store.close();
});

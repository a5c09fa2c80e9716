import { describe, expect, test } from "bun:test";
import { addDays, type UtcDay } from "../../src/base/time.ts";
import { performAct } from "../../src/flags/acts.ts";
import { listSnoozes, type NewFlag } from "../../src/flags/flags.ts";
import { findFlag, listFlags } from "../../src/flags/queries.ts";
import { holdOpen } from "../../src/flags/reconcile.ts";
import { retireFlags } from "../../src/flags/site_flags.ts";
import { insertOpenFlag, readHistory } from "../../src/flags/store.ts";
import { findLatest } from "../../src/reports/codebase.ts";
import { findLatestPulse } from "../../src/reports/pulse.ts";
import { listVerdicts } from "../../src/rules/verdicts.ts";
import { changeAsset } from "../../src/sites/site_changes.ts";
import type { Lifecycle } from "../../src/sites/sites.ts";
import { testGround } from "../support/deps.ts";
import { fresh } from "../support/fresh.ts";
import { codebaseReport } from "../support/make/codebase_report.ts";
import { newFlag } from "../support/make/flag.ts";
import { accept, acceptCodebase, followerOn, sendNights } from "../support/nightly.ts";
import { expectWholeFlags } from "../support/read_models.ts";

const ADA = { name: "ada", id: "operator:ada" };

const ground = fresh(testGround, expectWholeFlags);

const raise = (id: string, changes: Partial<NewFlag> = {}) =>
  ground.writer.write((tx): void => insertOpenFlag(tx, id, newFlag(changes), ground.clock.now(), "rule"));
const silent = (subject: string) =>
  ground.writer.write((tx) =>
    holdOpen(tx, {
      rule: "stale-ingest",
      asset: "tower",
      subject,
      severity: "error",
      kind: "anomaly",
      message: `No nightly report from ${subject}.`,
      inputs: {},
      reading: {},
      now: ground.clock.now(),
      newId: ground.ids.uuid,
    }),
  );
const snooze = (id: string) =>
  ground.writer.write((tx) => {
    const now = ground.clock.now();
    return performAct(tx, "snooze", { id, by: ADA, now, until: now + 9e9 });
  });
const move = (lifecycle: Lifecycle, asset = "harbor") => {
  ground.clock.advance(60_000);
  const by = { actor: ADA.id, now: ground.clock.now() };
  return changeAsset(
    ground.writer,
    asset,
    { lifecycle },
    { ...by, onRetired: (tx) => retireFlags(tx, { asset, serviceAsset: "tower", ...by }) },
  );
};
const open = () =>
  listFlags(ground.store.db, { status: "open" }, 99)
    .map(({ asset, rule, subject }) => `${asset} ${rule} ${subject}`)
    .sort();

describe("retiring a site (decisions 5, Lifecycle)", () => {
  test("resolves all its open flags as retired, and what is said of its silence; other sites' stay", async () => {
    await raise("rule");
    await raise("sent", { rule: null, origin: "site", subject: "errors", metric: "errors" });
    await raise("other", { asset: "orchard" });
    // A metric of the service's own that happens to have the site's name.
    await raise("own", {
      asset: "tower",
      rule: "flow-drop",
      source: "pulse",
      subject: "harbor",
      metric: "harbor",
    });
    const { id: silence } = await silent("harbor");
    await silent("orchard");
    await move("retired");
    for (const id of ["rule", "sent", silence]) {
      expect(findFlag(ground.store.db, id)).toMatchObject({ status: "resolved", resolution: "retired" });
      expect(readHistory(ground.store.db, id, 9).acts[0]).toMatchObject({ type: "resolved", actor: ADA.id });
    }
    expect(open()).toMatchSnapshot();
  });

  test("another change of the site resolves nothing", async () => {
    await raise("rule");
    await move("pre-launch");
    expect(open()).toEqual(["harbor codebase-growth "]);
  });

  test("a retired site is not judged: its reports are kept, and raise nothing", async () => {
    const last = "2026-02-28" as UtcDay;
    await sendNights(ground, "harbor", { last, days: 40 }, () => ({
      metrics: { signups: { last24h: 20, total: 900 } },
    }));
    await followerOn(ground).settle();
    const judged = listVerdicts(ground.store.db, "harbor")[0]?.date;
    await move("retired");
    const answer = await accept(ground, {
      asset: "harbor",
      generatedAt: `${addDays(last, 1)}T03:00:00Z`,
      metrics: { signups: { last24h: 0, total: 5_000 } },
      flags: [{ severity: "error", kind: "anomaly", msg: "down" }],
    });
    await followerOn(ground).settle();
    const report = codebaseReport({ asset: "harbor", measures: { duplication_percent: 90 } });
    const { alerts } = await acceptCodebase(ground, report);
    expect(alerts).toEqual({ raised: [], resolved: [] });
    expect(open()).toStrictEqual([]);
    expect(
      listFlags(ground.store.db, { asset: "harbor" }, 9).map(({ id, resolution }) => [id, resolution]),
    ).toEqual([[answer.flags[0] ?? "", "retired"]]);
    expect(findLatestPulse(ground.store.db, "harbor", ground.clock.now())?.date).toBe(addDays(last, 1));
    expect(findLatest(ground.store.db, "harbor", ground.clock.now())).toBeDefined();
    expect(listVerdicts(ground.store.db, "harbor")[0]?.date).toBe(judged);
  });

  test("a site that comes back starts clean: no snooze runs on, and no flag goes on with one from before", async () => {
    await raise("kept", { rule: "codebase-unused" });
    await snooze("kept");
    await ground.writer.write((tx): void => {
      const now = ground.clock.now();
      insertOpenFlag(tx, "gone", newFlag({ rule: null, origin: "site" }), now, "site");
    });
    await snooze("gone");
    const { id: silence } = await silent("harbor");
    await snooze(silence);
    await raise("other", { asset: "orchard" });
    await snooze("other");
    await move("retired");
    expect(listSnoozes(ground.store.db).map(({ asset }) => asset)).toEqual(["orchard"]);
    await move("live");
    await raise("anew", { rule: "codebase-unused" });
    expect(findFlag(ground.store.db, "anew")).toMatchObject({ snoozed_until: null, renews: null });
  });
});

/** Exactly once, wherever the process ends. */

import { afterEach, expect, test } from "bun:test";
import { addDays, type UtcDay } from "../../src/base/time.ts";
import { findBacklog } from "../../src/reports/pulse.ts";
import { FlowFollower } from "../../src/rules/rules.ts";
import { listVerdicts } from "../../src/rules/verdicts.ts";
import { type Db, openImage } from "../../src/store/store.ts";
import { type TestGround, testGround } from "../support/deps.ts";
import { dyingWriter } from "../support/dying.ts";
import { accept, followerOn, placeAll, sendNights } from "../support/nightly.ts";
import { differing, flagFaults } from "../support/read_models.ts";
import { DEFAULT_FLOW_THRESHOLDS } from "../support/thresholds.ts";

const LAST = "2026-02-28" as UtcDay;
/** So many that their flags and milestones take several transactions. */
const METRICS = Array.from({ length: 60 }, (_, place) => `m${String(place).padStart(2, "0")}`);

const grounds: TestGround[] = [];
afterEach(() => {
  for (const ground of grounds.splice(0)) ground.store.close();
});

async function groundOf(image?: Uint8Array): Promise<TestGround> {
  const ground = await testGround(image === undefined ? undefined : openImage(image));
  grounds.push(ground);
  return ground;
}

/** A month of history, then two nights of harbor on which everything stops and every total leaps, and one of orchard. */
async function waiting(): Promise<Uint8Array> {
  const ground = await groundOf();
  await sendNights(ground, "harbor", { last: LAST, days: 29 }, () => ({
    metrics: Object.fromEntries(METRICS.map((metric) => [metric, { last24h: 20, total: 900 }])),
  }));
  await placeAll(ground);
  for (const [asset, after, last24h, total] of [
    ["harbor", 1, 0, 5_000],
    ["orchard", 1, 3, 4],
    ["harbor", 2, 20, 9_000_000],
  ] as const) {
    const metrics = Object.fromEntries(METRICS.map((metric) => [metric, { last24h, total }]));
    await accept(ground, { asset, generatedAt: `${addDays(LAST, after)}T03:00:00Z`, metrics });
  }
  return ground.store.raw.serialize();
}

/** Everything judging leaves behind, without ids and times. */
function leftBehind(db: Db) {
  const rows = (text: string) => db.all<unknown>(text);
  return {
    flags: rows(
      "SELECT asset, rule, metric, status, resolution, rule_inputs FROM flag ORDER BY 1, 2, 3, 4, 6",
    ),
    records: rows("SELECT type, count(*) AS n FROM flag_record GROUP BY type ORDER BY type"),
    verdicts: ["harbor", "orchard"].map((asset) =>
      listVerdicts(db, asset).map(({ metric, date, verdict }) => ({ metric, date, verdict })),
    ),
    tallies: rows("SELECT asset, source, tests, not_tested, raised, expected FROM flow_tally"),
    progress: rows("SELECT * FROM flow_progress"),
    readings: differing(db, "readings"),
    backlog: findBacklog(db),
  };
}

test("every accepted report is judged exactly once: a process killed at any of its writes leaves a database from which the next one comes to the same", async () => {
  const image = await waiting();
  const whole = await groundOf(image);
  await followerOn(whole).settle();
  const expected = leftBehind(whole.store.db);
  expect(expected.flags).toHaveLength(3 * METRICS.length);
  expect(expected.tallies).toHaveLength(2);
  expect(expected.backlog).toEqual({ reports: 0, since: undefined });

  let survived = 0;
  for (; survived < 100; survived++) {
    const ground = await groundOf(image);
    const { writer, died } = dyingWriter(ground.writer, survived);
    const dying = new FlowFollower({
      ...ground,
      writer,
      thresholdsOf: () => DEFAULT_FLOW_THRESHOLDS,
      isJudgedElsewhere: () => false,
    });
    const settled = dying.settle().then(() => "settled" as const);
    const end = await Promise.race([settled, died]);
    // Writes that were under way when it died are committed.
    await ground.writer.write(() => undefined, { lowPriority: true });
    await followerOn(ground).settle();
    expect(leftBehind(ground.store.db)).toEqual(expected);
    expect(flagFaults(ground.store.db)).toStrictEqual([]);
    if (end === "settled") break;
  }
  // Three placings, and each night of harbor in more than one transaction.
  expect(survived).toBeGreaterThan(3 + 1 + 2 + 2);
  expect(survived).toBeLessThan(100);
});

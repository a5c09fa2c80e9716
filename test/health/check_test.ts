/** What `check` finds of the health of integrations. */

import { expect, test } from "bun:test";
import type { Observation, Scope } from "../../src/health/health.ts";
import { recordOutcome } from "../../src/health/record.ts";
import { healthFaults } from "../../src/health/state_store.ts";
import { Writer } from "../../src/store/writer.ts";
import { testStore } from "../support/database.ts";
import { recordEach } from "../support/mixtures.ts";

const scope = (asset: string): Scope => ({
  workspace: "default",
  provider: "search-console",
  connectionRevision: "0199-first",
  capability: "search-console.daily",
  asset,
  target: "p",
  family: "",
});
const outcome = (startedAt: number, ok: boolean): Observation => ({
  attempt: `pull:${startedAt}`,
  startedAt,
  observedAt: startedAt + 1,
  result: ok ? { ok, coveredDate: null } : { ok, category: "network", code: null, nextRetryAt: null },
});

async function filled() {
  const store = testStore();
  await new Writer(store).write((tx) => {
    for (const [startedAt, ok] of [
      [1, true],
      [2, false],
      [3, true],
      [4, false],
    ] as const) {
      recordOutcome(tx, scope("failing.example"), outcome(startedAt, ok));
      if (startedAt < 4) recordOutcome(tx, scope("working.example"), outcome(startedAt, ok));
    }
    recordOutcome(tx, scope("quiet.example"), outcome(1, true));
  });
  return store;
}

test("what the recorder wrote agrees with itself", async () => {
  expect([...healthFaults((await filled()).db)]).toStrictEqual([]);
});

const DAMAGES = [
  "INSERT INTO health_state (target, latest_attempt, latest_started_at, recorded_at) VALUES (9, 'x', 1, 1)",
  "DELETE FROM health_state WHERE target = 2",
  // A failure that was made green, one of another category, and one that nobody was told of.
  "UPDATE health_state SET category = NULL WHERE target = 1",
  "UPDATE health_state SET category = 'access' WHERE target = 1",
  "UPDATE health_state SET category = 'access' WHERE target = 3",
  // Half a success.
  "UPDATE health_state SET success_started_at = NULL WHERE target = 3",
];

test("what is damaged is found, recorded", async () => {
  const { raw, db } = await filled();
  recordEach(DAMAGES, (sql) => {
    raw.run("SAVEPOINT whole");
    raw.run(sql);
    const faults = [...healthFaults(db)];
    raw.run("ROLLBACK TO whole");
    return faults;
  });
});

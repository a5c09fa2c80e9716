/** A filled database of the first release opens, its flags tell lasting things as chains, and their records say the same. */
import { afterEach, beforeEach, expect, test } from "bun:test";
import { migrateStore, type Store, Writer } from "../../src/db/mod.ts";
import {
  acknowledgeFlag,
  flagFaults,
  latestMilestone,
  listChainedFlags,
  listFlags,
  reconcileFlags,
  wakeFlag,
} from "../../src/flags/mod.ts";
import { listSnoozes } from "../../src/flags/snooze_store.ts";
import { landedDatabase } from "../support/landed.ts";
import { FIRES, judgedRule } from "../support/make/flag.ts";

let store: Store;
let at = Date.parse("2026-03-01T03:00:00Z");
beforeEach(() => {
  store = landedDatabase();
});
afterEach(() => store.close());

const record = (flag: string, type: string, actor: string, data: object) =>
  store.raw.run("INSERT INTO flag_record (flag, at, type, actor, data) VALUES (?, ?, ?, ?, ?)", [
    flag,
    at,
    type,
    actor,
    JSON.stringify(data),
  ]);

/** Raises as the first release did: its records name no source and no chain. */
function raise(id: string, rule: string | null, subject = "", inputs: object = {}) {
  const asset = rule === "stale-ingest" ? "tower" : "harbor";
  const metric = subject === "" ? null : subject;
  const milestone = rule === "milestone-total";
  const [kind, severity] = milestone ? ["milestone", "info"] : ["anomaly", "warn"];
  store.raw.run(
    `INSERT INTO flag (id, asset, rule, subject, origin, severity, kind, metric, message, status, rule_inputs, raised_at)
     VALUES (?, ?, ?, ?, 'rule', ?, ?, ?, 'It fired.', 'open', ?, ?)`,
    [id, asset, rule, subject, severity, kind, metric, JSON.stringify(inputs), at],
  );
  record(id, "raised", "rule", {
    asset,
    rule,
    subject,
    origin: "rule",
    severity,
    kind,
    metric,
    message: "It fired.",
    rule_inputs: inputs,
  });
}

function resolve(id: string, resolution: string) {
  store.raw.run("UPDATE flag SET status = 'resolved', resolved_at = ?, resolution = ? WHERE id = ?", [
    at,
    resolution,
    id,
  ]);
  record(id, "resolved", "rule", { resolution });
}

function snooze(id: string, rule: string, subject: string, until: number) {
  store.raw.run("UPDATE flag SET snoozed_until = ? WHERE id = ?", [until, id]);
  record(id, "act", "operator:ada", { act: "snooze", set: { snoozed_until: until } });
  store.raw.run("INSERT INTO flag_snooze VALUES (?, 'harbor', ?, ?, ?, 'operator:ada')", [
    rule,
    subject,
    until,
    at,
  ]);
}

const night = () => {
  at += 86_400_000;
};
const flags = () => new Map(listChainedFlags(store.db, {}, 50).map((flag) => [flag.id, flag]));
const chainOf = (id: string) => {
  const flag = flags().get(id);
  return [flag?.renews ?? null, flag?.chain.first, flag?.chain.reports, flag?.chain.renewed_by ?? null];
};

test("what followed report by report becomes one chain; what paused, was resolved by hand or is another rule's does not", () => {
  raise("a1", "codebase-growth");
  raise("b1", "codebase-unused");
  for (const [before, after] of [
    ["a1", "a2"],
    ["a2", "a3"],
  ] as const) {
    night();
    resolve(before, "renewed");
    raise(after, "codebase-growth");
  }
  // A report in the same millisecond: by their instants alone these could not be told apart.
  resolve("a3", "renewed");
  raise("a4", "codebase-growth");
  resolve("b1", "cleared");
  raise("b2", "codebase-unused");
  resolve("b2", "operator");
  raise("b3", "codebase-unused");
  const before = listIds();
  migrateStore(store);
  expect(["a1", "a2", "a3", "a4"].map(chainOf)).toEqual([
    [null, "a1", 1, "a2"],
    ["a1", "a1", 2, "a3"],
    ["a2", "a1", 3, "a4"],
    ["a3", "a1", 4, null],
  ]);
  expect(["b1", "b2", "b3"].map(chainOf)).toEqual([
    [null, "b1", 1, null],
    [null, "b2", 1, null],
    [null, "b3", 1, null],
  ]);
  expect(flags().get("a4")?.chain.since).toBe("2026-03-01T03:00:00.000Z");
  expect(listIds()).toEqual(before);
  expect(flagFaults(store.db)).toEqual([]);
});

const listIds = () =>
  store.raw.query("SELECT id, status, raised_at, resolved_at, resolution FROM flag ORDER BY id").all();

test("flags of a series get its source, and the highest milestone is found", () => {
  raise("d", "flow-drop", "signups");
  raise("s", "stale-ingest", "orchard");
  raise("n", null, "signups");
  for (const milestone of [1_000, 5_000, 2_000]) {
    raise(`m${milestone}`, "milestone-total", "signups", { milestone });
    resolve(`m${milestone}`, "milestone");
  }
  migrateStore(store);
  expect(
    listFlags(store.db, { source: "pulse" }, 9)
      .map(({ id }) => id)
      .sort(),
  ).toEqual(["d", "m1000", "m2000", "m5000"]);
  expect(flags().get("s")?.source).toBeNull();
  expect(latestMilestone(store.db, "harbor", "pulse", "signups")).toBe(5_000);
  expect(latestMilestone(store.db, "harbor", "analytics", "signups")).toBeUndefined();
  expect(flagFaults(store.db)).toEqual([]);
});

test("snoozes stay; of the two rules that tell a drop the later one's is kept", () => {
  raise("g", "codebase-growth");
  snooze("g", "codebase-growth", "", at + 9e9);
  raise("d", "flow-drop", "signups");
  snooze("d", "flow-drop", "signups", at + 9e9);
  resolve("d", "cleared");
  night();
  raise("p", "percent-drop", "signups");
  snooze("p", "percent-drop", "signups", at + 9e9);
  migrateStore(store);
  expect(listSnoozes(store.db).map(({ rule, source }) => [rule, source])).toEqual([
    ["codebase-growth", ""],
    ["percent-drop", "pulse"],
  ]);
  expect(flagFaults(store.db)).toEqual([]);
});

test("what a retired site left open ends when it was retired, its silence too", () => {
  const site = (id: string, lifecycle: string) =>
    store.raw.run("INSERT INTO asset (id, lifecycle, added_at, added_by) VALUES (?, ?, 0, 'test')", [
      id,
      lifecycle,
    ]);
  site("harbor", "retired");
  site("orchard", "live");
  raise("own", "codebase-growth");
  raise("silence", "stale-ingest", "harbor");
  raise("other", "stale-ingest", "orchard");
  night();
  store.raw.run(
    "INSERT INTO audit (at, actor, act, target, detail, previous_hash, hash) VALUES (?, 'operator:ada', 'asset.change', 'harbor', ?, '', '')",
    [at, '{"lifecycle":"retired"}'],
  );
  migrateStore(store);
  for (const id of ["own", "silence"]) {
    expect(flags().get(id)).toMatchObject({
      status: "resolved",
      resolution: "retired",
      resolved_at: new Date(at).toISOString(),
    });
  }
  expect(flags().get("other")?.status).toBe("open");
  expect(flagFaults(store.db)).toEqual([]);
});

test("the chain goes on with the next report, and with acts", async () => {
  raise("a1", "codebase-growth");
  night();
  resolve("a1", "renewed");
  raise("a2", "codebase-growth");
  snooze("a2", "codebase-growth", "", at + 9e9);
  migrateStore(store);
  const writer = new Writer(store);
  const by = { name: "ada", id: "operator:ada" };
  await writer.write((tx) => acknowledgeFlag(tx, { id: "a2", by, now: at }));
  await writer.write((tx) => wakeFlag(tx, { id: "a2", by, now: at }));
  await writer.write((tx) =>
    reconcileFlags(tx, {
      asset: "harbor",
      origin: "rule",
      judged: [judgedRule("codebase-growth", FIRES)],
      now: at + 1,
      actor: "rule",
      newId: () => "a3",
    }),
  );
  expect(flags().get("a3")).toMatchObject({
    renews: "a2",
    acked_by: "ada",
    snoozed_until: null,
    chain: { first: "a1", reports: 3 },
  });
  expect(flagFaults(store.db)).toEqual([]);
});

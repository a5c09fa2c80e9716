import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { listAudit } from "../../src/audit/mod.ts";
import type { Tx } from "../../src/db/mod.ts";
import {
  type ActOutcome,
  type ActRequest,
  acknowledgeFlag,
  dropHypothesis,
  findFlag,
  flagFaults,
  linkIncident,
  noteHypothesis,
  readHistory,
  recordTune,
  resolveByHand,
  snoozeFlag,
  unacknowledgeFlag,
  unlinkIncident,
  versionOf,
  wakeFlag,
} from "../../src/flags/mod.ts";
import { listRecords } from "../../src/flags/record_store.ts";
import { insertOpenFlag, resolveFlag } from "../../src/flags/store.ts";
import { instant } from "../support/clock.ts";
import { type TestGround, testGround } from "../support/deps.ts";
import { newFlag } from "../support/make/flag.ts";

const ADA = { name: "ada", id: "operator:ada" };
const BEN = { name: "ben", id: "operator:ben" };
const UNTIL = instant("2026-03-08T09:00:00Z");

let ground: TestGround;
beforeEach(async () => {
  ground = await testGround();
  await ground.writer.write((tx): void => insertOpenFlag(tx, "f", newFlag(), ground.clock.now(), "rule"));
  ground.clock.advance(60_000);
});
afterEach(() => {
  expect(flagFaults(ground.store.db)).toEqual([]);
  ground.store.close();
});

type Act = (tx: Tx, request: ActRequest) => ActOutcome;
const act = (perform: Act, by = ADA, seen?: string) =>
  ground.writer.write((tx) => perform(tx, { id: "f", by, now: ground.clock.now(), seen }));
const snooze: Act = (tx, request) => snoozeFlag(tx, { ...request, until: UNTIL });
const incident: Act = (tx, request) => linkIncident(tx, { ...request, text: "INC-7" });
const hypothesis: Act = (tx, request) => noteHypothesis(tx, { ...request, text: "a crawler" });
const tune: Act = (tx, request) => recordTune(tx, { ...request, text: "alpha 0.005" });
const row = () => findFlag(ground.store.db, "f");
const version = () => {
  const flag = row();
  if (flag === undefined) throw new Error("no flag");
  return versionOf(flag);
};
const NOW = "2026-03-01T12:01:00.000Z";

describe("each act sets its columns and is appended with who, when and the text (decisions 5)", () => {
  for (const [name, perform, set, text] of [
    ["acknowledge", acknowledgeFlag, { acked_at: NOW, acked_by: "ada" }, undefined],
    ["snooze", snooze, { snoozed_until: "2026-03-08T09:00:00.000Z" }, undefined],
    ["incident", incident, { incident: "INC-7" }, "INC-7"],
    ["hypothesis", hypothesis, { hypothesis: "a crawler" }, "a crawler"],
    ["tune", tune, { tuned_at: NOW }, "alpha 0.005"],
    ["resolve", resolveByHand, { status: "resolved", resolved_at: NOW, resolution: "operator" }, undefined],
  ] as const) {
    test(name, async () => {
      const before = row();
      expect((await act(perform)).state).toBe("done");
      expect(row() as unknown).toEqual({ ...before, ...set });
      const data = { act: name, set, ...(text === undefined ? {} : { text }) };
      expect(listRecords(ground.store.db, "f", 9).at(-1) as unknown).toEqual({
        at: NOW,
        type: "act",
        actor: "operator:ada",
        data,
      });
      const [audited] = listAudit(ground.store.db, { limit: 1 });
      expect(audited).toMatchObject({ actor: "operator:ada", act: `flag.${name}`, target: "flag:f" });
    });
  }

  for (const [name, perform, undo] of [
    ["acknowledge", acknowledgeFlag, unacknowledgeFlag],
    ["snooze", snooze, wakeFlag],
    ["incident", incident, unlinkIncident],
    ["hypothesis", hypothesis, dropHypothesis],
  ] as const) {
    test(`${name} can be undone by any operator, and both stay in the record`, async () => {
      const before = row();
      await act(perform);
      expect((await act(undo, BEN)).state).toBe("done");
      expect(row()).toEqual(before);
      expect(listRecords(ground.store.db, "f", 9).map(({ actor }) => actor)).toEqual([
        "rule",
        ADA.id,
        BEN.id,
      ]);
    });
  }

  test("the operator's words stay out of the audit: they could hold anything", async () => {
    await act((tx, request) => linkIncident(tx, { ...request, text: "Bearer abc" }));
    expect(JSON.stringify(listAudit(ground.store.db, { limit: 9 }))).not.toContain("Bearer");
  });
});

describe("a resolved flag is history and never reopened (spec, Volume-aware flow rules 7)", () => {
  beforeEach(() =>
    ground.writer.write((tx): void => resolveFlag(tx, "f", "cleared", ground.clock.now(), "rule")),
  );

  for (const [name, perform] of [
    ["acknowledge", acknowledgeFlag],
    ["unacknowledge", unacknowledgeFlag],
    ["snooze", snooze],
    ["wake", wakeFlag],
    ["resolve", resolveByHand],
  ] as const) {
    test(`${name} is refused and changes nothing`, async () => {
      const before = row();
      expect(await act(perform)).toMatchObject({ state: "conflict", reason: "resolved", flag: { id: "f" } });
      expect(row()).toEqual(before);
    });
  }

  test("an incident, a hypothesis and tuning may still be noted, and leave it resolved", async () => {
    for (const perform of [incident, hypothesis, tune]) expect((await act(perform)).state).toBe("done");
    expect(row()).toMatchObject({ status: "resolved", resolution: "cleared", incident: "INC-7" });
  });
});

describe("two operators race", () => {
  test("the one who saw an older version gets a conflict with the current row", async () => {
    const seen = version();
    await act(acknowledgeFlag, ADA, seen);
    expect(await act(snooze, BEN, seen)).toMatchObject({
      state: "conflict",
      reason: "changed",
      flag: { acked_by: "ada", snoozed_until: null },
    });
    expect(await act(acknowledgeFlag, BEN, seen)).toMatchObject({
      state: "conflict",
      reason: "acknowledged",
    });
    expect(await act(resolveByHand, BEN, seen)).toMatchObject({ state: "conflict", reason: "changed" });
  });

  for (const [name, perform] of [
    ["acknowledges", acknowledgeFlag],
    ["snoozes", snooze],
    ["links an incident", incident],
    ["notes a hypothesis", hypothesis],
    ["tunes", tune],
  ] as const) {
    test(`one ${name}: who saw it before may not resolve it unseen`, async () => {
      const seen = version();
      await act(perform, ADA, seen);
      expect(await act(resolveByHand, BEN, seen)).toMatchObject({ state: "conflict", reason: "changed" });
    });
  }

  test("both resolve: the second gets a conflict", async () => {
    const seen = version();
    expect((await act(resolveByHand, ADA, seen)).state).toBe("done");
    expect((await act(resolveByHand, BEN, seen)).state).toBe("conflict");
  });

  for (const [name, perform] of [
    ["acknowledges", acknowledgeFlag],
    ["snoozes", snooze],
    ["resolves", resolveByHand],
    ["links an incident", incident],
  ] as const) {
    test(`a double click ${name} once and is no conflict`, async () => {
      const seen = version();
      const states = await Promise.all([act(perform, ADA, seen), act(perform, ADA, seen)]);
      expect(states.map(({ state }) => state)).toEqual(["done", "same"]);
      expect(readHistory(ground.store.db, "f", 9).acts).toHaveLength(2);
    });
  }

  test("an act on a flag that is not there is missing", async () => {
    const outcome = await ground.writer.write((tx) =>
      acknowledgeFlag(tx, { id: "nothing", by: ADA, now: ground.clock.now() }),
    );
    expect(outcome).toEqual({ state: "missing" });
  });
});

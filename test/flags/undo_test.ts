import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { changeAsset } from "../../src/assets/mod.ts";
import { listAudit } from "../../src/audit/mod.ts";
import type { Tx } from "../../src/db/mod.ts";
import { findLastOfChain, listEarlier } from "../../src/flags/chain_store.ts";
import {
  type ActOutcome,
  type ActRequest,
  acknowledgeFlag,
  dropHypothesis,
  findChainedFlag,
  findFlag,
  flagFaults,
  linkIncident,
  noteHypothesis,
  readHistory,
  reconcileFlags,
  recordTune,
  resolveByHand,
  retireFlags,
  snoozeFlag,
  unacknowledgeFlag,
  undoActs,
  unlinkIncident,
  wakeFlag,
} from "../../src/flags/mod.ts";
import { findRunningSnooze } from "../../src/flags/snooze_store.ts";
import { insertOpenFlag, resolveFlag } from "../../src/flags/store.ts";
import { instant } from "../support/clock.ts";
import { type TestGround, testGround } from "../support/deps.ts";
import { type CLEAR, FIRES, judgedRule, newFlag } from "../support/make/flag.ts";

const ADA = { name: "ada", id: "operator:ada" };
const BEN = { name: "ben", id: "operator:ben" };
const RULE = "codebase-growth";
const UNTIL = instant("2026-03-08T09:00:00Z");
const LATER = instant("2026-03-20T09:00:00Z");

let ground: TestGround;
beforeEach(async () => {
  ground = await testGround();
  await raise("f");
  ground.clock.advance(60_000);
});
afterEach(() => {
  expect(flagFaults(ground.store.db)).toEqual([]);
  ground.store.close();
});

const now = () => ground.clock.now();
const raise = (id: string, changes = {}) =>
  ground.writer.write((tx): void => insertOpenFlag(tx, id, newFlag(changes), now(), "rule"));
type Act = (tx: Tx, request: ActRequest) => ActOutcome;
const act = (perform: Act, by = ADA, id = "f") =>
  ground.writer.write((tx) => perform(tx, { id, by, now: now() }));
/** Acts and answers what the way back names. */
async function made(perform: Act, by = ADA, id = "f") {
  const outcome = await act(perform, by, id);
  if (outcome.state !== "done") throw new Error(outcome.state);
  return { first: outcome.record, last: outcome.record };
}
const undo = (acts: { first: number; last: number }, by = ADA, hasReported = false) =>
  ground.writer.write((tx) =>
    undoActs(tx, { acts, by, now: now(), newId: ground.ids.uuid, hasReported: () => hasReported }),
  );
const judge = (verdict: typeof FIRES | typeof CLEAR) =>
  ground.writer.write((tx) =>
    reconcileFlags(tx, {
      asset: "harbor",
      origin: "rule",
      judged: [judgedRule(RULE, verdict)],
      now: now(),
      actor: "rule",
      newId: () => "g",
    }),
  );
const row = (id = "f") => findFlag(ground.store.db, id);
const running = () =>
  findRunningSnooze(ground.store.db, { rule: RULE, asset: "harbor", source: null, subject: "" }, now());

const snooze: Act = (tx, request) => snoozeFlag(tx, { ...request, until: UNTIL });
const longer: Act = (tx, request) => snoozeFlag(tx, { ...request, until: LATER });
const incident: Act = (tx, request) => linkIncident(tx, { ...request, text: "INC-7" });
const hypothesis: Act = (tx, request) => noteHypothesis(tx, { ...request, text: "a crawler" });
const tune: Act = (tx, request) => recordTune(tx, { ...request, text: "alpha 0.005" });

describe("an act that is undone leaves the flag as it was, and both in the record", () => {
  for (const [name, before, perform] of [
    ["acknowledge", [], acknowledgeFlag],
    ["unacknowledge", [acknowledgeFlag], unacknowledgeFlag],
    ["snooze", [], snooze],
    ["snooze", [snooze], longer],
    ["wake", [snooze], wakeFlag],
    ["incident", [incident], (tx, request) => linkIncident(tx, { ...request, text: "INC-8" })],
    ["unlink_incident", [incident], unlinkIncident],
    ["hypothesis", [], hypothesis],
    ["drop_hypothesis", [hypothesis], dropHypothesis],
    ["tune", [tune], tune],
  ] as const satisfies readonly (readonly [string, readonly Act[], Act])[]) {
    test(`${name} after ${before.length} acts`, async () => {
      for (const earlier of before) await act(earlier);
      const [was, slept] = [row(), running()];
      ground.clock.advance(60_000);
      const acts = await made(perform);
      expect(row()).not.toEqual(was);
      ground.clock.advance(10_000);
      const undone = await undo(acts);
      expect(undone).toMatchObject({ act: name, kept: [] });
      expect(row()).toEqual(was);
      expect(running()).toBe(slept as number);
      const [last, undoneAct] = readHistory(ground.store.db, "f", 9).acts;
      expect(last).toMatchObject({ actor: ADA.id, data: { act: "undo", undone: name, undoes: acts.first } });
      expect(undoneAct?.data["act"]).toBe(name);
      const [audited] = listAudit(ground.store.db, { limit: 1 });
      expect(audited).toMatchObject({ actor: ADA.id, act: "flag.undo", target: "flag:f" });
    });
  }
});

describe("a flag that was resolved by hand is never reopened: taking that back raises it again", () => {
  test("as a flag that renews it, over as many reports, with all it was given", async () => {
    for (const perform of [acknowledgeFlag, snooze, incident, hypothesis, tune]) await act(perform);
    const was = findChainedFlag(ground.store.db, "f");
    const acts = await made(resolveByHand);
    ground.clock.advance(10_000);
    const { flags } = await undo(acts);
    expect(row()).toMatchObject({ status: "resolved", resolution: "operator" });
    const [again] = flags;
    if (was === undefined || again === undefined) throw new Error("not raised again");
    const { chain, id: _id, raised_at: _at, renews, ...same } = again;
    expect(was).toMatchObject(same);
    expect(renews).toBe("f");
    expect(chain).toEqual({ ...was.chain, first: "f", renewed_by: null });
    expect(findLastOfChain(ground.store.db, "f")?.id).toBe(again.id);
    expect(listEarlier(ground.store.db, again, 9).map(({ id }) => id)).toEqual(["f"]);
  });

  test("again and again, and the next report goes on with the last one", async () => {
    let id = "f";
    for (let i = 0; i < 3; i++) {
      const acts = await made(resolveByHand, ADA, id);
      ground.clock.advance(1_000);
      id = (await undo(acts)).flags[0]?.id ?? "";
      expect(findLastOfChain(ground.store.db, "f")?.id).toBe(id);
    }
    await judge(FIRES);
    expect(findChainedFlag(ground.store.db, "g")).toMatchObject({
      renews: id,
      chain: { first: "f", reports: 2 },
    });
  });

  test("not where the rule raised it anew meanwhile: one flag of a rule and subject is open", async () => {
    const acts = await made(resolveByHand);
    await judge(FIRES);
    expect(await undo(acts)).toMatchObject({ flags: [], kept: ["raised"] });
  });

  test("not where another flow rule tells the metric meanwhile", async () => {
    await raise("drop", { rule: "flow-drop", source: "pulse", subject: "signups", metric: "signups" });
    const acts = await made(resolveByHand, ADA, "drop");
    await raise("percent", { rule: "percent-drop", source: "pulse", subject: "signups", metric: "signups" });
    expect(await undo(acts)).toMatchObject({ flags: [], kept: ["raised"] });
  });

  test("not where the site reported meanwhile, nor where it was retired", async () => {
    const acts = await made(resolveByHand);
    expect(await undo(acts, ADA, true)).toMatchObject({ flags: [], kept: ["reported"] });
    const by = { actor: ADA.id, now: now() };
    const onRetired = (tx: Tx) => retireFlags(tx, { asset: "harbor", serviceAsset: "tower", ...by });
    await changeAsset(ground.writer, "harbor", { lifecycle: "retired" }, { ...by, onRetired });
    expect(await undo(acts)).toMatchObject({ flags: [], kept: ["retired"] });
    expect(row()?.status).toBe("resolved");
  });
});

describe("an undo says what it does not undo", () => {
  test("what somebody changed meanwhile; what they did beside it stays too, and is no hindrance", async () => {
    const acked = await made(acknowledgeFlag);
    await act(hypothesis, BEN);
    await undo(acked);
    expect(row()).toMatchObject({ acked_by: null, hypothesis: "a crawler" });
    const noted = await made(incident);
    await act((tx, request) => linkIncident(tx, { ...request, text: "INC-9" }), BEN);
    expect(await undo(noted)).toMatchObject({ flags: [], kept: ["changed"] });
    expect(row()?.incident).toBe("INC-9");
  });

  test("a flag that a reading resolved or raised anew meanwhile", async () => {
    const cleared = await made(acknowledgeFlag);
    await ground.writer.write((tx): void => resolveFlag(tx, "f", "cleared", now(), "rule"));
    expect(await undo(cleared)).toMatchObject({ flags: [], kept: ["resolved"] });
    await raise("h", { subject: "h" });
    const renewed = await made(snooze, ADA, "h");
    await ground.writer.write((tx) =>
      reconcileFlags(tx, {
        asset: "harbor",
        origin: "rule",
        judged: [judgedRule(RULE, FIRES, "h")],
        now: now(),
        actor: "rule",
        newId: () => "g",
      }),
    );
    expect(await undo(renewed)).toMatchObject({ flags: [], kept: ["raised"] });
    expect(row("g")?.snoozed_until).toBe("2026-03-08T09:00:00.000Z");
  });

  test("a snooze that retiring the site ended stays ended", async () => {
    const acts = await made(snooze);
    const retired = { asset: "harbor", serviceAsset: "tower", now: now(), actor: ADA.id };
    await ground.writer.write((tx): void => retireFlags(tx, retired));
    expect(await undo(acts)).toMatchObject({ flags: [], kept: ["resolved"] });
    expect(running()).toBeUndefined();
  });

  test("what was done too long ago; a minute is not", async () => {
    const acts = await made(acknowledgeFlag);
    ground.clock.advance(60_000);
    expect(await undo(acts)).toMatchObject({ kept: [] });
    const late = await made(acknowledgeFlag);
    ground.clock.advance(120_000);
    expect(await undo(late)).toMatchObject({ flags: [], kept: ["late"] });
    expect(row()?.acked_by).toBe("ada");
  });

  test("what another operator did, what is no act, and what is undone already", async () => {
    const acts = await made(acknowledgeFlag);
    const nothing = { act: undefined, flags: [], kept: [] };
    expect(await undo(acts, BEN)).toEqual(nothing);
    expect(await undo({ first: 1, last: 1 })).toEqual(nothing);
    expect(await undo({ first: 1, last: 100_000 })).toEqual(nothing);
    await undo(acts);
    expect(await undo(acts)).toEqual({ act: "acknowledge", flags: [], kept: [] });
    const [last] = readHistory(ground.store.db, "f", 1).acts;
    expect(last?.data["act"]).toBe("undo");
  });
});

test("an undone snooze gives back the one that another flag of the same thing was given", async () => {
  await raise("a", { rule: null, origin: "site", subject: "m", metric: "m" });
  await raise("b", { rule: null, origin: "site", subject: "m", metric: "m" });
  const of = { rule: null, asset: "harbor", source: null, subject: "m" };
  await act(snooze, BEN, "a");
  const acts = await made(longer, ADA, "b");
  expect(findRunningSnooze(ground.store.db, of, now())).toBe(LATER);
  await undo(acts);
  expect(findRunningSnooze(ground.store.db, of, now())).toBe(UNTIL);
  expect([row("a")?.snoozed_until, row("b")?.snoozed_until]).toEqual(["2026-03-08T09:00:00.000Z", null]);
});

test("several flags of one form are undone together, and those that changed stay", async () => {
  const others = ["one", "two", "three"];
  for (const id of others) await raise(id, { subject: id });
  const acts = await ground.writer.write((tx) => {
    const records = others.map((id) => acknowledgeFlag(tx, { id, by: ADA, now: now() }));
    const ids = records.flatMap((outcome) => (outcome.state === "done" ? [outcome.record] : []));
    return { first: ids[0] ?? 0, last: ids.at(-1) ?? 0 };
  });
  await act(unacknowledgeFlag, BEN, "two");
  expect(await undo(acts)).toMatchObject({ flags: [{ id: "one" }, { id: "three" }], kept: ["changed"] });
  expect(others.map((id) => row(id)?.acked_by)).toEqual([null, null, null]);
});

test("ids written by hand over two forms undo the first alone: a tune is never taken back without its document", async () => {
  await raise("g", { subject: "g" });
  const acked = await made(acknowledgeFlag, ADA, "g");
  const tuned = await made(tune);
  expect(await undo({ first: acked.first, last: tuned.last })).toMatchObject({
    flags: [{ id: "g" }],
    kept: [],
  });
  expect(row()?.tuned_at).not.toBeNull();
  const later = await made(acknowledgeFlag, ADA, "g");
  ground.clock.advance(1_000);
  await made(acknowledgeFlag);
  expect(await undo({ first: later.first, last: later.last + 1 })).toMatchObject({ flags: [{ id: "g" }] });
  expect(row()?.acked_by).toBe("ada");
});

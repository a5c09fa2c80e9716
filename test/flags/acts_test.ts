import { beforeEach, describe, expect, test } from "bun:test";
import { listNewest as listAudit } from "../../src/access/audit.ts";
import { ACTS, type ActName, performAct, versionOf } from "../../src/flags/acts.ts";
import { findChainedFlag, findFlag, findLastOfChain, listEarlier } from "../../src/flags/queries.ts";
import { reconcileFlags } from "../../src/flags/reconcile.ts";
import { retireFlags } from "../../src/flags/site_flags.ts";
import { appendRecord, insertOpenFlag, readHistory, resolveFlag } from "../../src/flags/store.ts";
import { changeAsset } from "../../src/sites/site_changes.ts";
import type { Tx } from "../../src/store/store.ts";
import { instant } from "../support/clock.ts";
import { testGround } from "../support/deps.ts";
import { fresh } from "../support/fresh.ts";
import { FIRES, judgedRule, newFlag } from "../support/make/flag.ts";
import { expectWholeFlags } from "../support/read_models.ts";

const ADA = { name: "ada", id: "operator:ada" };
const BEN = { name: "ben", id: "operator:ben" };
const DAY = 86_400_000;
const WORDS = "INC-7";
const UNTIL = instant("2026-03-08T09:00:00Z");

const ground = fresh(testGround, expectWholeFlags);
beforeEach(async () => {
  await ground.writer.write((tx): void => insertOpenFlag(tx, "f", newFlag(), ground.clock.now(), "rule"));
  ground.clock.advance(60_000);
});

const act = (name: ActName, by = ADA, seen?: string, id = "f") => {
  const asked = { text: WORDS, until: UNTIL, newId: ground.ids.uuid };
  return ground.writer.write((tx) =>
    performAct(tx, name, { ...asked, id, by, now: ground.clock.now(), seen }),
  );
};
const row = () => findFlag(ground.store.db, "f");
const version = () => {
  const flag = row();
  if (flag === undefined) throw new Error("no flag");
  return versionOf(flag);
};

/** What has to be done before an act can be. */
const BEFORE: Readonly<Partial<Record<ActName, ActName>>> = {
  unacknowledge: "acknowledge",
  wake: "snooze",
  unlink_incident: "incident",
  drop_hypothesis: "hypothesis",
  reopen: "resolve",
};

test("each act: what it sets, what is appended and audited, and what comes of it again, unseen and too late: recorded (decisions 5)", async () => {
  const told: Record<string, unknown> = {};
  for (const name of Object.keys(ACTS) as ActName[]) {
    const open = (id: string) =>
      ground.writer.write((tx): void => {
        insertOpenFlag(tx, id, newFlag({ asset: `${id}.example` }), ground.clock.now(), "rule");
      });
    const [id, late] = [`${name}-open`, `${name}-late`];
    for (const one of [id, late]) await open(one);
    const prior = BEFORE[name];
    if (prior !== undefined) await act(prior, ADA, undefined, id);
    const flag = () => findFlag(ground.store.db, id) ?? expect.unreachable();
    const before = flag();
    const seen = versionOf(before);
    const twice = await Promise.all([act(name, BEN, seen, id), act(name, BEN, seen, id)]);
    const was = Object.values(before).map((value) => JSON.stringify(value));
    const set = Object.entries(flag()).filter(([, value], at) => JSON.stringify(value) !== was[at]);
    const [audited] = listAudit(ground.store.db, { limit: 1 });
    const acts = readHistory(ground.store.db, id, 9).acts;
    const [unseen, afterwards] = [await act("resolve", ADA, seen, id), await act(name, ADA, undefined, id)];
    await ground.writer.write((tx): void => resolveFlag(tx, late, "cleared", ground.clock.now(), "rule"));
    const tooLate = await act(name, ADA, undefined, late);
    const brief = (outcome: Awaited<ReturnType<typeof act>>) =>
      outcome.state === "conflict" ? outcome.reason : outcome.state;
    told[name] = {
      twice: twice.map(brief),
      set: JSON.stringify(Object.fromEntries(set)),
      appended: acts
        .filter(({ actor }) => actor !== "rule")
        .map(({ actor, data }) => `${actor} ${JSON.stringify(data)}`),
      audited: `${audited?.actor} ${audited?.act} ${audited?.target} ${audited?.detail}`,
      "to resolve it unseen": brief(unseen),
      "by another afterwards": brief(afterwards),
      "on one that its rule resolved": brief(tooLate),
    };
  }
  expect(told).toMatchSnapshot();
  // The operator's words could hold anything.
  expect(JSON.stringify(listAudit(ground.store.db, { limit: 99 }))).not.toContain(WORDS);
});

test("an act is told in a history, to who did it to one flag, and to who did it to several", () => {
  const told = Object.values(ACTS).map(({ words: { did, one, several } }) => `${did} | ${one} | ${several}`);
  expect(told.join("\n")).toMatchSnapshot();
});

describe("two operators race", () => {
  test("the same act again is the same, also where a report came between", async () => {
    await act("acknowledge");
    const evidence = {
      flag: "f",
      at: ground.clock.now(),
      type: "evidence",
      actor: "rule",
      data: {},
    } as const;
    await ground.writer.write((tx) => appendRecord(tx, evidence));
    expect(await act("acknowledge")).toMatchObject({ state: "same" });
  });

  test("the one who saw an older version gets a conflict with the current row", async () => {
    const seen = version();
    await act("acknowledge", ADA, seen);
    expect(await act("snooze", BEN, seen)).toMatchSnapshot();
    expect(await act("acknowledge", BEN, seen)).toMatchObject({
      state: "conflict",
      reason: "acknowledged",
    });
    expect(await act("resolve", BEN, seen)).toMatchObject({ state: "conflict", reason: "changed" });
  });
});

describe("a flag that was resolved by hand is never opened again: reopening raises it anew", () => {
  const judge = (verdict: typeof FIRES) =>
    ground.writer.write((tx) =>
      reconcileFlags(tx, {
        asset: "harbor",
        origin: "rule",
        judged: [judgedRule("codebase-growth", verdict)],
        now: ground.clock.now(),
        actor: "rule",
        newId: () => "g",
      }),
    );
  const reopened = async (id = "f") => {
    const outcome = await act("reopen", BEN, undefined, id);
    if (outcome.state !== "done") throw new Error(outcome.state);
    return outcome.flag;
  };

  test("as a flag that renews it, over as many reports, with all it was given, however late", async () => {
    for (const name of ["acknowledge", "snooze", "incident", "hypothesis", "tune"] as const) await act(name);
    const was = findChainedFlag(ground.store.db, "f");
    await act("resolve");
    ground.clock.advance(5 * DAY);
    const again = await reopened();
    expect(row()).toMatchObject({ status: "resolved", resolution: "operator" });
    const { chain, id: _id, raised_at: _at, renews, ...same } = again;
    expect(was).toMatchObject(same);
    expect(renews).toBe("f");
    expect(chain).toEqual({ first: "f", since: was?.raised_at ?? "", reports: 1, renewed_by: null });
    expect(findLastOfChain(ground.store.db, "f")?.id).toBe(again.id);
    expect(listEarlier(ground.store.db, again, 9).map(({ id }) => id)).toEqual(["f"]);
    const [, act0] = readHistory(ground.store.db, "f", 9).acts;
    expect(act0).toMatchObject({ actor: BEN.id, data: { act: "reopen" } });
    const [audited] = listAudit(ground.store.db, { limit: 1 });
    expect(audited).toMatchObject({ actor: BEN.id, act: "flag.reopen", target: "flag:f" });
  });

  test("again and again, and the next report goes on with the last one", async () => {
    let id = "f";
    for (let i = 0; i < 3; i++) {
      await act("resolve", ADA, undefined, id);
      ground.clock.advance(1_000);
      id = (await reopened(id)).id;
      expect(findLastOfChain(ground.store.db, "f")?.id).toBe(id);
    }
    await judge(FIRES);
    expect(findChainedFlag(ground.store.db, "g")).toMatchObject({
      renews: id,
      chain: { first: "f", reports: 2 },
    });
  });

  test("a double click raises one flag", async () => {
    await act("resolve");
    const again = await reopened();
    expect(await act("reopen", BEN)).toMatchObject({ state: "same", flag: { id: again.id } });
    expect(await act("reopen", ADA)).toMatchObject({ state: "conflict", reason: "renewed" });
  });

  test("not where its rule, or another flow rule of its metric, raised one meanwhile", async () => {
    await act("resolve");
    await judge(FIRES);
    expect(await act("reopen")).toMatchObject({ state: "conflict", reason: "raised" });
    const of = { source: "pulse", subject: "signups", metric: "signups" } as const;
    const raise = (id: string, rule: string) =>
      ground.writer.write((tx): void =>
        insertOpenFlag(tx, id, newFlag({ ...of, rule }), ground.clock.now(), "rule"),
      );
    await raise("drop", "flow-drop");
    await act("resolve", ADA, undefined, "drop");
    await raise("percent", "percent-drop");
    expect(await act("reopen", ADA, undefined, "drop")).toMatchObject({ reason: "raised" });
  });

  test("not of a site that was retired", async () => {
    await act("resolve");
    const by = { actor: ADA.id, now: ground.clock.now() };
    const onRetired = (tx: Tx) => retireFlags(tx, { asset: "harbor", serviceAsset: "tower", ...by });
    await changeAsset(ground.writer, "harbor", { lifecycle: "retired" }, { ...by, onRetired });
    expect(await act("reopen")).toMatchObject({ state: "conflict", reason: "retired" });
    expect(row()?.status).toBe("resolved");
  });
});

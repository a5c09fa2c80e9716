import { describe, expect, test } from "bun:test";
import { performAct } from "../../src/flags/acts.ts";
import type { RuleInputs } from "../../src/flags/flags.ts";
import { findFlag, listFlags } from "../../src/flags/queries.ts";
import { holdOpen, release } from "../../src/flags/reconcile.ts";
import { readHistory } from "../../src/flags/store.ts";
import { testGround } from "../support/deps.ts";
import { fresh } from "../support/fresh.ts";
import { expectWholeFlags } from "../support/read_models.ts";

const ground = fresh(testGround, expectWholeFlags);

const held = { rule: "asset-pull-failed", asset: "tower", subject: "" };
const run = (failed: number) => {
  ground.clock.advance(1_000);
  return ground.writer.write((tx) =>
    holdOpen(tx, {
      ...held,
      severity: "error",
      kind: "anomaly",
      message: `The pull failed for ${failed} sites.`,
      inputs: { failed },
      reading: { failed, run: failed },
      now: ground.clock.now(),
      newId: ground.ids.uuid,
    }),
  );
};

describe("a lasting condition holds one open flag (spec, Flag)", () => {
  test("ten runs are one flag and ten evidence rows, each with its own reading", async () => {
    const results = [];
    for (let failed = 1; failed <= 10; failed++) results.push(await run(failed));
    expect(new Set(results.map(({ id }) => id)).size).toBe(1);
    expect(results.map(({ raised }) => raised)).toEqual([true, ...Array<boolean>(9).fill(false)]);
    const [flag, ...others] = listFlags(ground.store.db, {}, 9);
    expect(others).toStrictEqual([]);
    expect(flag).toMatchSnapshot();
    const { evidence, runs } = readHistory(ground.store.db, flag?.id ?? "", 50);
    expect(runs).toBe(10);
    expect(evidence.map(({ data }) => data["reading"])).toEqual(
      Array.from({ length: 10 }, (_, i) => ({ failed: 10 - i, run: 10 - i })),
    );
  });

  test("a run that says the same appends its reading and changes no column", async () => {
    await run(3);
    await run(3);
    const [flag] = listFlags(ground.store.db, {}, 9);
    const { evidence } = readHistory(ground.store.db, flag?.id ?? "", 9);
    expect(evidence.map(({ data }) => "set" in data)).toEqual([false, false]);
  });

  test("what changed of the inputs is recorded, and what stays is not written again", async () => {
    const urls = Array.from({ length: 50 }, (_, n) => `https://x/${n}`);
    const see = (inputs: RuleInputs, message = "m") =>
      ground.writer.write((tx) =>
        holdOpen(tx, {
          ...held,
          severity: "info",
          kind: "opportunity",
          message,
          inputs,
          reading: {},
          now: ground.clock.now(),
          newId: ground.ids.uuid,
        }),
      );
    const { id } = await see({ urls, seen: 1 });
    await see({ urls, seen: 2 });
    await see({ urls: urls.slice(1), seen: 3 }, "n");
    // A name that came, and one that went.
    await see({ urls: urls.slice(1), seen: 3, more: true });
    await see({ seen: 4 });
    // Of an object what changed within it, unless a name went.
    await see({ seen: 4, test: { mean: 1, tails: { low: 0, high: 1 } } });
    await see({ seen: 4, test: { mean: 1, tails: { low: 0, high: 2 } } });
    await see({ seen: 4, test: { mean: 1 } });
    expect(findFlag(ground.store.db, id)?.rule_inputs).toEqual({ seen: 4, test: { mean: 1 } });
    const { evidence } = readHistory(ground.store.db, id, 9);
    expect(evidence.map(({ data }) => [data["changed"] ?? null, data["set"] ?? null])).toEqual([
      [null, { rule_inputs: { seen: 4, test: { mean: 1 } } }],
      [{ test: { tails: { high: 2 } } }, null],
      [{ test: { mean: 1, tails: { low: 0, high: 1 } } }, null],
      [null, { rule_inputs: { seen: 4 } }],
      [{ more: true }, { message: "m" }],
      [{ urls: urls.slice(1), seen: 3 }, { message: "n" }],
      [{ seen: 2 }, null],
      [null, null],
    ]);
  });

  test("an operator's act stays through later runs", async () => {
    const { id } = await run(1);
    const by = { name: "ada", id: "operator:ada" };
    await ground.writer.write((tx) => performAct(tx, "acknowledge", { id, by, now: ground.clock.now() }));
    await run(2);
    expect(findFlag(ground.store.db, id)).toMatchObject({ acked_by: "ada", rule_inputs: { failed: 2 } });
  });

  test("when it is over the flag is resolved, and a later failure raises a new one", async () => {
    const first = await run(1);
    const freed = await ground.writer.write((tx) => release(tx, { ...held, now: ground.clock.now() }) ?? "");
    expect(freed).toBe(first.id);
    expect(findFlag(ground.store.db, first.id)).toMatchObject({ status: "resolved", resolution: "cleared" });
    const second = await run(2);
    expect(second.raised).toBe(true);
    expect(second.id).not.toBe(first.id);
  });

  test("releasing what is not held does nothing", async () => {
    expect(
      await ground.writer.write((tx) => release(tx, { ...held, now: ground.clock.now() }) ?? "none"),
    ).toBe("none");
  });

  test("the newest entries are read of a long record, the acts never lost among the runs", async () => {
    for (let failed = 1; failed <= 8; failed++) await run(failed);
    const [flag] = listFlags(ground.store.db, {}, 9);
    const history = readHistory(ground.store.db, flag?.id ?? "", 3);
    expect(history.acts.map(({ type }) => type)).toEqual(["raised"]);
    expect(history.evidence).toHaveLength(3);
    expect(history).toMatchObject({ runs: 8, more: 5 });
    expect(history.record.map(({ type }) => type)).toEqual(["raised", "evidence", "evidence", "evidence"]);
  });
});

import { describe, expect, test } from "bun:test";
import { listFlags } from "../../src/flags/queries.ts";
import { type JudgedRule, reconcileFlags } from "../../src/flags/reconcile.ts";
import { insertOpenFlag, readHistory } from "../../src/flags/store.ts";
import { testGround } from "../support/deps.ts";
import { fresh } from "../support/fresh.ts";
import { CLEAR, FIRES, judgedRule, NOT_RUN, newFlag } from "../support/make/flag.ts";
import { flagFaults } from "../support/read_models.ts";

const ground = fresh(testGround);

function reconcile(judged: readonly JudgedRule[], asset = "harbor") {
  const { clock, ids, writer } = ground;
  return writer.write((tx) =>
    reconcileFlags(tx, { asset, origin: "rule", judged, now: clock.now(), actor: "rule", newId: ids.uuid }),
  );
}

const open = () =>
  listFlags(ground.store.db, { status: "open" }, 50).map(({ rule, subject }) => `${rule}/${subject}`);

describe("each rule first resolves its own open flag, then raises a new one if it fires (spec, Codebase alert)", () => {
  test("nothing open and nothing fired changes nothing", async () => {
    expect(await reconcile([judgedRule("a", CLEAR), judgedRule("b", NOT_RUN)])).toEqual({
      raised: [],
      resolved: [],
    });
  });

  test("a renewed flag keeps the earlier one's history and has an id of its own", async () => {
    const first = await reconcile([judgedRule("a", FIRES)]);
    ground.clock.advance(60_000);
    const second = await reconcile([judgedRule("a", FIRES)]);
    expect(second.resolved).toEqual(first.raised);
    expect(second.raised[0]?.id).not.toBe(first.raised[0]?.id);
    const [record, closing] = readHistory(ground.store.db, first.raised[0]?.id ?? "", 10).record;
    expect(record).toMatchObject({ type: "raised", at: "2026-03-01T12:00:00.000Z" });
    expect(closing).toMatchSnapshot();
  });

  test("a rule resolves only its own flag about its own subject", async () => {
    await reconcile([judgedRule("a", FIRES, "x"), judgedRule("a", FIRES, "y"), judgedRule("b", FIRES, "x")]);
    await reconcile([judgedRule("a", CLEAR, "x")]);
    expect(open().sort()).toEqual(["a/y", "b/x"]);
  });

  test("a rule that did not run leaves its flag open", async () => {
    await reconcile([judgedRule("a", FIRES)]);
    expect(await reconcile([judgedRule("a", NOT_RUN)])).toEqual({ raised: [], resolved: [] });
    expect(open()).toEqual(["a/"]);
  });

  test("flags that a site sent are never resolved by a rule", async () => {
    await ground.writer.write((tx) =>
      insertOpenFlag(
        tx,
        "sent",
        newFlag({ rule: null, origin: "site", subject: "clicks" }),
        ground.clock.now(),
        "harbor",
      ),
    );
    await reconcile([judgedRule("a", CLEAR, "clicks")]);
    expect(open()).toEqual(["null/clicks"]);
  });

  test("flags match their records afterwards", async () => {
    for (const verdict of [FIRES, NOT_RUN, FIRES, CLEAR, FIRES])
      await reconcile([judgedRule("a", verdict), judgedRule("b", FIRES)]);
    expect(flagFaults(ground.store.db)).toEqual([]);
  });
});

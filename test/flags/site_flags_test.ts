import { beforeEach, describe, expect, test } from "bun:test";
import type { UtcDay } from "../../src/base/time.ts";
import { performAct } from "../../src/flags/acts.ts";
import { findFlag, listFlags } from "../../src/flags/queries.ts";
import { applySiteFlags, type SentFlag } from "../../src/flags/site_flags.ts";
import { readHistory } from "../../src/flags/store.ts";
import { testGround } from "../support/deps.ts";
import { fresh } from "../support/fresh.ts";
import { expectWholeFlags } from "../support/read_models.ts";

const ground = fresh(testGround, expectWholeFlags);
let newest: string;
let revisions: Map<string, number>;
beforeEach(() => {
  newest = "";
  revisions = new Map();
});

/** Sends a report as the service receives it: the next revision of its day. */
const report = (date: string, ...flags: SentFlag[]): Promise<readonly string[]> => {
  const revision = (revisions.get(date) ?? 0) + 1;
  revisions.set(date, revision);
  const isNewestDay = date >= newest;
  if (isNewestDay) newest = date;
  ground.clock.advance(1_000);
  return ground.writer.write((tx) =>
    applySiteFlags(tx, {
      asset: "harbor",
      date: date as UtcDay,
      revision,
      isNewestDay,
      flags,
      now: ground.clock.now(),
      newId: ground.ids.uuid,
    }),
  );
};
const sent = (metric: string | undefined, msg = "seen", changes: Partial<SentFlag> = {}): SentFlag => ({
  severity: "warn",
  kind: "anomaly",
  ...(metric === undefined ? {} : { metric }),
  msg,
  ...changes,
});
const find = (id: string | undefined) => findFlag(ground.store.db, id ?? "");
const openIds = () => listFlags(ground.store.db, { status: "open" }, 99).map(({ id }) => id);

describe("a flag a site sent lives while the site repeats it (decisions 5)", () => {
  test("a newer report repeats it: same row, new message, one more evidence entry", async () => {
    const [first] = await report("2026-03-01", sent("errors", "3 errors"));
    const [second] = await report("2026-03-02", sent("errors", "9 errors"));
    expect(second).toBe(first ?? "");
    expect(find(first)).toMatchObject({
      status: "open",
      subject: "errors",
      rule: null,
      origin: "site",
      message: "9 errors",
      rule_inputs: {
        report: { date: "2026-03-02", revision: 1 },
        first_report: { date: "2026-03-01", revision: 1 },
      },
    });
    const { evidence } = readHistory(ground.store.db, first ?? "", 9);
    expect(evidence.map(({ data }) => data["reading"])).toEqual([
      { report: { date: "2026-03-02", revision: 1 }, message: "9 errors" },
    ]);
  });

  test("a newer report without it resolves it as not repeated", async () => {
    const [first] = await report("2026-03-01", sent("errors"));
    await report("2026-03-02");
    expect(find(first)).toMatchObject({ status: "resolved", resolution: "not_repeated" });
  });

  for (const [what, changes] of [
    ["severity", { severity: "error" }],
    ["kind", { kind: "opportunity" }],
    ["metric", { metric: "refunds" }],
  ] as const) {
    test(`another ${what} is another flag`, async () => {
      const [first] = await report("2026-03-01", sent("errors"));
      const [second] = await report("2026-03-02", sent("errors", "seen", changes));
      expect(find(first)?.resolution).toBe("not_repeated");
      expect(openIds()).toEqual([second ?? ""]);
    });
  }

  test("the next revision of the same day supersedes that day's rows, sent again or not", async () => {
    const [a, b] = await report("2026-03-01", sent("a"), sent("b"));
    const [again] = await report("2026-03-01", sent("a"));
    expect([find(a)?.resolution, find(b)?.resolution]).toEqual(["superseded", "superseded"]);
    expect(openIds()).toEqual([again ?? ""]);
  });

  test("what the next revision of the day sends again renews its row: what an operator made of it stays", async () => {
    const [first = ""] = await report("2026-03-01", sent("a", "3 errors"), sent("b"));
    const by = { name: "ada", id: "operator:ada" };
    const now = ground.clock.now();
    await ground.writer.write((tx) => performAct(tx, "acknowledge", { id: first, by, now }));
    const [again] = await report(
      "2026-03-01",
      sent("a", "4 errors"),
      sent("b", "seen", { severity: "error" }),
    );
    expect(find(again)).toMatchObject({ renews: first, acked_by: "ada", message: "4 errors" });
    expect(listFlags(ground.store.db, { status: "open" }, 9).map(({ renews }) => renews)).toEqual([
      null,
      first,
    ]);
  });

  test("a revision does not supersede a flag that an earlier day raised: it repeats it or ends it", async () => {
    const [a, b] = await report("2026-03-01", sent("a"), sent("b"));
    await report("2026-03-02", sent("a"), sent("b"));
    expect(await report("2026-03-02", sent("a"))).toEqual([a ?? ""]);
    expect(find(a)?.status).toBe("open");
    expect(find(b)?.resolution).toBe("not_repeated");
  });

  test("a milestone is resolved at once, each time it is sent", async () => {
    const milestone = sent(undefined, "1,000 members", { severity: "info", kind: "milestone" });
    const [first] = await report("2026-03-01", milestone);
    const [second] = await report("2026-03-02", milestone);
    expect(second).not.toBe(first ?? "");
    for (const id of [first, second])
      expect(find(id)).toMatchObject({ status: "resolved", resolution: "milestone" });
  });

  test("a report for an older day stores its flags resolved and changes nothing that is open", async () => {
    const [open] = await report("2026-03-02", sent("a"));
    const [late] = await report("2026-03-01", sent("a"), sent("b"));
    expect(find(late)).toMatchObject({ status: "resolved", resolution: "older_report" });
    expect(openIds()).toEqual([open ?? ""]);
  });

  test("ids come in the order sent, also with repeats between", async () => {
    const [b] = await report("2026-03-01", sent("b"));
    const ids = await report("2026-03-02", sent("a"), sent("b"), sent("c"));
    expect(ids.map((id) => find(id)?.metric)).toEqual(["a", "b", "c"]);
    expect(ids[1]).toBe(b ?? "");
  });

  test("several alike pair up by message first, then in order", async () => {
    const [x, y] = await report("2026-03-01", sent(undefined, "x"), sent(undefined, "y"));
    const ids = await report("2026-03-02", sent(undefined, "z"), sent(undefined, "x"), sent(undefined, "w"));
    expect(ids.slice(0, 2)).toEqual([y ?? "", x ?? ""]);
    expect(openIds()).toHaveLength(3);
  });

  test("another site's flags are left alone", async () => {
    const [mine] = await report("2026-03-01", sent("a"));
    await ground.writer.write((tx) =>
      applySiteFlags(tx, {
        asset: "orchard",
        date: "2026-03-02" as UtcDay,
        revision: 1,
        isNewestDay: true,
        flags: [],
        now: ground.clock.now(),
        newId: ground.ids.uuid,
      }),
    );
    expect(openIds()).toEqual([mine ?? ""]);
  });

  test("five thousand alike are taken in one report", async () => {
    const many = Array.from({ length: 5_000 }, (_, i) => sent(undefined, `m${i}`));
    const first = await report("2026-03-01", ...many);
    expect(await report("2026-03-02", ...many.toReversed())).toEqual(first.toReversed());
  });
});

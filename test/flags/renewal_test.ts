import { describe, expect, test } from "bun:test";
import { addDays, type UtcDay, utcDayOf } from "../../src/base/time.ts";
import { type ActOutcome, performAct } from "../../src/flags/acts.ts";
import type { SeriesSource, Severity } from "../../src/flags/flags.ts";
import { findFlag, listChainedFlags } from "../../src/flags/queries.ts";
import { type JudgedRule, reconcileFlags, type Verdict } from "../../src/flags/reconcile.ts";
import { testGround } from "../support/deps.ts";
import { fresh } from "../support/fresh.ts";
import { CLEAR } from "../support/make/flag.ts";
import { expectWholeFlags } from "../support/read_models.ts";

const DAY = 86_400_000;
const ADA = { name: "ada", id: "operator:ada" };

const ground = fresh(testGround, expectWholeFlags);

const fires = (severity: Severity = "warn", inputs = {}): Verdict => ({
  state: "fires",
  severity,
  kind: "anomaly",
  message: "It fired.",
  inputs,
});

async function judge(judged: readonly JudgedRule[]): Promise<string> {
  const { raised } = await ground.writer.write((tx) =>
    reconcileFlags(tx, {
      asset: "harbor",
      origin: "rule",
      judged,
      now: ground.clock.now(),
      actor: "rule",
      newId: ground.ids.uuid,
    }),
  );
  return raised.at(-1)?.id ?? "";
}

const codebase = (verdict: Verdict) =>
  judge([{ rule: "codebase-growth", source: null, subject: "", metric: null, verdict }]);

const FLOW = ["flow-drop", "flow-rise", "percent-drop"] as const;

/** What a flow rule knows of a day on which nothing came. */
const told = (day: UtcDay) => ({ day, expected: 20, observed: { from: day, to: day, count: 0 } });

/** A reading of the day: at most one of the flow rules fires, the others clear first. */
function reading(
  rule: (typeof FLOW)[number] | null,
  options: { readonly severity?: Severity; readonly source?: SeriesSource; readonly day?: UtcDay } = {},
): Promise<string> {
  const { severity = "warn", source = "pulse", day = utcDayOf(ground.clock.now()) } = options;
  const of = { source, subject: "signups", metric: "signups" };
  const clears = FLOW.filter((one) => one !== rule).map((one) => ({ rule: one, ...of, verdict: CLEAR }));
  return judge(rule === null ? clears : [...clears, { rule, ...of, verdict: fires(severity, told(day)) }]);
}

const act = (id: string, name: "unlink_incident"): Promise<ActOutcome> =>
  ground.writer.write((tx) => performAct(tx, name, { id, by: ADA, now: ground.clock.now() }));
const note = (id: string, name: "incident" | "hypothesis" | "tune", text: string): Promise<ActOutcome> =>
  ground.writer.write((tx) => performAct(tx, name, { id, by: ADA, now: ground.clock.now(), text }));
const snooze = (id: string, days: number) =>
  ground.writer.write((tx) => {
    const now = ground.clock.now();
    return performAct(tx, "snooze", { id, by: ADA, now, until: now + days * DAY });
  });
const row = (id: string) => findFlag(ground.store.db, id);
const night = (days = 1) => ground.clock.advance(days * DAY);

describe("a flag raised where its rule resolved its own carries what an operator made of it (decisions 5, Renewal)", () => {
  test("what was taken off is not carried, and tuning stays with the row it was about", async () => {
    const first = await codebase(fires());
    await note(first, "incident", "INC-7");
    await act(first, "unlink_incident");
    await note(first, "tune", "growth_percent 40");
    night();
    expect(row(await codebase(fires()))).toMatchObject({ renews: first, incident: null, tuned_at: null });
  });

  test("a rule that did not run leaves its flag open", async () => {
    const first = await codebase(fires());
    expect([await codebase({ state: "not_run" }), row(first)?.status]).toEqual(["", "open"]);
  });
});

describe("a flow flag goes on with one of its direction that a reading resolved within 7 days", () => {
  test("each night that fires renews the one before, and says since when", async () => {
    const days = [];
    for (let count = 0; count < 5; count++) {
      days.push(row(await reading("flow-drop")));
      night();
    }
    expect(days.map((flag) => flag?.message)).toEqual([
      "Signups down to 0 on 1 Mar (normally about 20)",
      ...["second", "third", "fourth", "fifth"].map(
        (nth) => `Signups down to 0 (normally about 20), ${nth} day in a row`,
      ),
    ]);
    expect(days.slice(1).map((flag) => flag?.renews)).toEqual(
      days.slice(0, -1).map((flag) => flag?.id ?? ""),
    );
    expect(days.at(-1)?.rule_inputs).toMatchObject({ since: "2026-03-01" });
  });

  test("a reading that ends it and cannot be tested does not say that the condition is over: a later one goes on with it", async () => {
    const of = { source: "pulse", subject: "signups", metric: "signups" } as const;
    const first = await reading("flow-drop");
    night();
    await judge(FLOW.map((rule) => ({ rule, ...of, verdict: { state: "next_reading" } })));
    expect(row(first)).toMatchObject({ status: "resolved", resolution: "next_reading" });
    night();
    expect(row(await reading("flow-drop"))).toMatchObject({ renews: first });
  });

  for (const [days, isRenewed] of [
    [8, true],
    [9, false],
  ] as const) {
    test(`of days judged at once, ${days} apart: ${isRenewed ? "renewed" : "not renewed"}`, async () => {
      const day = utcDayOf(ground.clock.now());
      const first = await reading("flow-drop", { day });
      await reading(null);
      const second = await reading("flow-drop", { day: addDays(day, days) });
      expect(row(second)?.renews).toBe(isRenewed ? first : null);
    });
  }

  test("a list of lasting things has the last flag of each", async () => {
    await reading("flow-drop");
    night();
    const last = await reading("flow-drop");
    const listed = listChainedFlags(ground.store.db, { asset: "harbor", last: true }, 9);
    expect(listed.map(({ id }) => id)).toEqual([last]);
  });

  for (const [between, since] of [
    ["a normal day", undefined],
    ["a corrected report that was normal", undefined],
    ["a day without a report", "2026-03-01"],
  ] as const) {
    test(`after ${between} it is flagged since ${since ?? "that very day"}`, async () => {
      await reading("flow-drop");
      if (between !== "a corrected report that was normal") night();
      if (since === undefined) await reading(null);
      night();
      const { rule_inputs: inputs } = row(await reading("flow-drop")) ?? {};
      expect([inputs?.["since"], inputs?.["days_in_a_row"]]).toEqual([since, undefined]);
    });
  }

  test("days in a row count days, not readings: a corrected report tells its day again", async () => {
    const days = async () => row(await reading("flow-drop"))?.rule_inputs?.["days_in_a_row"];
    const told = [await days(), await days()];
    night();
    told.push(await days(), await days());
    night();
    expect([...told, await days()]).toEqual([undefined, undefined, 2, 2, 3]);
  });
});

test("a snooze that was set under a clock 400 days ahead is carried to no renewal, also not in its last year", async () => {
  const first = await reading("flow-drop");
  ground.clock.advance(400 * DAY);
  await snooze(first, 7);
  ground.clock.advance(-400 * DAY);
  night();
  expect(row(await reading("flow-drop"))?.snoozed_until).toBeNull();
  ground.clock.advance(60 * DAY);
  expect(row(await reading("flow-drop"))?.snoozed_until).toBeNull();
});

describe("an act on a flag that was renewed meanwhile", () => {
  test("that its rule was tuned may still be noted: the thresholds were changed because of it", async () => {
    const first = await codebase(fires());
    night();
    await codebase(fires());
    expect((await note(first, "tune", "growth_percent 40")).state).toBe("done");
  });
});

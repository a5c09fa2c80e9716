/** The flow rules on what providers tell: judged by (site, source, metric) whenever a settled day is new or changed. */

import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { addDays, type UtcDay } from "../../src/base/time.ts";
import { performAct } from "../../src/flags/acts.ts";
import { listFlags } from "../../src/flags/queries.ts";
import { readHistory } from "../../src/flags/store.ts";
import { listMonitoringFailures } from "../../src/health/monitoring.ts";
import { FlowFollower } from "../../src/rules/rules.ts";
import { hasUnjudgedDay } from "../../src/rules/signal_queue.ts";
import type { NotTestedReason } from "../../src/rules/verdict.ts";
import { listVerdicts, sumTallies } from "../../src/rules/verdicts.ts";
import { awaitSignalJudging, listSignalTurns } from "../../src/signals/answer_record.ts";
import { postAnnotation, putRetraction } from "../../src/sites/annotations.ts";
import type { Tx } from "../../src/store/store.ts";
import { type TestGround, testGround } from "../support/deps.ts";
import { dyingWriter } from "../support/dying.ts";
import { accept, followerOn, sendNights } from "../support/nightly.ts";
import { flagFaults } from "../support/read_models.ts";
import { damageDays, plantSeries } from "../support/series.ts";
import { pullSignals, told } from "../support/signals.ts";
import { DEFAULT_FLOW_THRESHOLDS } from "../support/thresholds.ts";

const LAST = "2026-02-26" as UtcDay;
const day = (after: number): UtcDay => addDays(LAST, after);
const ANALYTICS = { asset: "harbor", source: "analytics" } as const;
const SEARCH = { asset: "harbor", source: "search-console" } as const;

let ground: TestGround;
let follower: FlowFollower;
beforeEach(async () => {
  ground = await testGround();
  follower = followerOn(ground);
});
afterEach(async () => {
  await follower.stop();
  ground.store.close();
});

const flags = (filter = {}) => listFlags(ground.store.db, { asset: "harbor", ...filter }, 100);
const said = (filter = {}) =>
  flags(filter).map(({ rule, source, metric, rule_inputs }) =>
    [rule, source, metric, rule_inputs?.["day"]].join(" "),
  );
const outcomes = (source: "analytics" | "search-console" | "pulse") =>
  Object.fromEntries(
    listVerdicts(ground.store.db, "harbor", { source }).map(({ metric, date, verdict: { flow } }) => [
      metric,
      `${date} ${flow.outcome === "tested" ? (flow.fires ?? "quiet") : flow.reason}`,
    ]),
  );
const reasonOf = (metric = "sessions"): NotTestedReason | "tested" | undefined => {
  const flow = listVerdicts(ground.store.db, "harbor", { source: "analytics" }).find(
    (one) => one.metric === metric,
  )?.verdict.flow;
  return flow?.outcome === "tested" ? "tested" : flow?.reason;
};

/** Sixty days of sessions up to `LAST`, 40 each, some of them as the test says. */
async function sessions(
  some: Readonly<Record<number, ReturnType<typeof told>>> = {},
  last = 0,
): Promise<void> {
  await pull(
    ANALYTICS,
    last,
    { sessions: (_back, at) => some[(Date.parse(at) - Date.parse(LAST)) / 86_400_000] ?? told(40) },
    60 + last,
  );
}

/** One day of sessions, told now. */
async function tell(after: number, to: ReturnType<typeof told>): Promise<void> {
  await ground.writer.write((tx) => {
    plantSeries(tx, { ...ANALYTICS, metric: "sessions" }, [[day(after), to]]);
    awaitSignalJudging(tx, "harbor", "analytics");
  });
  await follower.settle();
}

/** What is stored of judging, counted. */
const rows = () =>
  ground.store.raw
    .query(
      `SELECT (SELECT count(*) FROM flag_record) AS records, (SELECT sum(tests) FROM flow_tally) AS tallies,
         (SELECT group_concat(metric || judged_at) FROM flow_verdict) AS verdicts, total_changes() AS changes`,
    )
    .get() as { records: number; tallies: number; verdicts: string; changes: number };

/** So many days of figures of a source, the last of them so many after `LAST`, as they are told and judged. */
async function pull(
  of: Parameters<typeof pullSignals>[1],
  last: number,
  figures: Parameters<typeof pullSignals>[3],
  days = 60,
): Promise<void> {
  await pullSignals(ground, of, { last: day(last), days }, figures);
  await follower.settle();
}

describe("a settled day that is new", () => {
  test("keeps one flag of a lasting decline open, and a revision of the day brings it up to date", async () => {
    const falling = (back: number) => told(back < 20 ? 30 : 50);
    await pull(SEARCH, 0, { clicks: falling }, 62);
    const lasting = () => flags().filter(({ rule }) => rule === "flow-decline");
    expect(lasting()).toMatchObject([{ source: "search-console", subject: "clicks", status: "open" }]);
    await ground.writer.write((tx) => {
      plantSeries(tx, { ...SEARCH, metric: "clicks" }, [[day(0), told(29)]]);
      awaitSignalJudging(tx, "harbor", "search-console");
    });
    await follower.settle();
    expect(lasting()).toMatchObject([{ status: "open", rule_inputs: { observed: { events: 999 } } }]);
  });

  test("comes after every day since the one that was judged last; of more than 97 days the newest alone is judged", async () => {
    const tests = [];
    for (const last of [0, 97, 97 + 98]) {
      ground.clock.at(`${day(last + 2)}T12:00:00Z`);
      await pull(SEARCH, last, { clicks: () => told(40) }, 62 + last);
      tests.push(sumTallies(ground.store.db, "2020-01-01" as UtcDay).tests);
    }
    expect(tests).toEqual([1, 98, 99]);
  });

  test("judges each count of its source on its newest final day; a ratio and a position are no counts", async () => {
    await pull(
      SEARCH,
      2,
      {
        clicks: (back) => told(back === 2 ? 3 : 50, back < 2 ? "provisional" : "final"),
        impressions: (back) => told(400, back < 2 ? "provisional" : "final"),
        ctr: (back) => told(0.125, back < 2 ? "provisional" : "final"),
        position: () => told(11.5),
      },
      62,
    );
    expect(outcomes("search-console")).toMatchSnapshot();
    expect(said()).toEqual([`flow-drop search-console clicks ${LAST}`]);
    expect(flags()[0]?.message).toBe("Search console clicks down 94% (3 on 26 Feb, normally about 50)");
    expect(sumTallies(ground.store.db, "2020-01-01" as UtcDay)).toMatchObject({
      tests: 2,
      notTested: 0,
      raised: 1,
    });
    expect(listSignalTurns(ground.store.db, 0, 1_000).length).toBe(0);
    expect(flagFaults(ground.store.db)).toStrictEqual([]);
  });

  test("shares nothing with a metric of the same name that the site sends, or another provider tells: verdict, flag, resolving", async () => {
    await sendNights(ground, "harbor", { last: day(0), days: 60 }, (back) => ({
      metrics: { clicks: { last24h: back === 0 ? 0 : 30 } },
    }));
    await pull(SEARCH, 0, { clicks: (back) => told(back === 0 ? 2 : 50) });
    expect(said({ status: "open" }).sort()).toEqual([
      `flow-drop pulse clicks ${LAST}`,
      `flow-drop search-console clicks ${LAST}`,
    ]);
    await accept(ground, {
      asset: "harbor",
      generatedAt: `${day(1)}T03:00:00Z`,
      metrics: { clicks: { last24h: 30 } },
    });
    await follower.settle();
    expect(said({ status: "open" })).toEqual([`flow-drop search-console clicks ${LAST}`]);
    // A day is not skipped because it was judged of another source.
    const webmaster = { asset: "harbor", source: "webmaster-tools" } as const;
    await pull(webmaster, 1, { clicks: () => told(30) });
    const later = { clicks: (back: number) => told(back === 0 ? 50 : 2) };
    await pull(SEARCH, 2, later, 2);
    expect(said({ status: "open" })).toStrictEqual([]);
    expect(said()).toContain(`flow-drop search-console clicks ${day(1)}`);
    expect(outcomes("pulse")).toEqual({ clicks: `${day(1)} quiet` });
    expect(outcomes("search-console")).toEqual({ clicks: `${day(2)} quiet` });
  });
});

describe("nothing new", () => {
  test("is judged by nobody; asked all the same, it writes nothing and leaves the flag as it is", async () => {
    await sessions({ 0: told(2) });
    const before = rows();
    ground.clock.advance(900_000);
    await follower.settle();
    expect(rows()).toEqual(before);
    await ground.writer.write((tx) => awaitSignalJudging(tx, "harbor", "analytics"));
    await follower.settle();
    const { changes: _one, ...after } = rows();
    const { changes: _other, ...stood } = before;
    expect(after).toEqual(stood);
    expect(listSignalTurns(ground.store.db, 0, 1_000).length).toBe(0);
  });

  test("of a figure leaves its flag alone while another of its source is judged", async () => {
    await pull(SEARCH, 0, {
      clicks: (back) => told(back === 0 ? 3 : 50),
      impressions: () => told(400),
    });
    const [flag] = flags();
    await pull(SEARCH, 1, { impressions: () => told(410) }, 1);
    expect(flags()).toEqual(flag === undefined ? [] : [flag]);
    expect(outcomes("search-console")).toEqual({ clicks: `${LAST} drop`, impressions: `${day(1)} quiet` });
  });
});

describe("a late revision of the judged day", () => {
  test("that still fires brings the open flag up to date: one row and one test of a figure and day, however often it drifts", async () => {
    await sessions({ 0: told(2) });
    const [first] = flags();
    await ground.writer.write((tx) =>
      performAct(tx, "acknowledge", {
        id: first?.id ?? "",
        by: { name: "ada", id: "operator:ada" },
        now: ground.clock.now(),
      }),
    );
    for (const seen of [3, 4, 5]) await tell(0, told(seen));
    expect(flags()).toMatchObject([
      {
        id: first?.id ?? "",
        status: "open",
        acked_by: "ada",
        renews: null,
        raised_at: first?.raised_at ?? "",
      },
    ]);
    expect(flags()[0]?.message).toBe("Analytics sessions down 88% (5 on 26 Feb, normally about 40)");
    expect(flags()[0]?.rule_inputs?.["observed"]).toEqual({ from: LAST, to: LAST, count: 5 });
    const { evidence } = readHistory(ground.store.db, first?.id ?? "", 10);
    expect(evidence.map(({ data }) => data["reading"])).toEqual(
      [5, 4, 3].map((seen) => ({ seen, expected: 40 })),
    );
    expect(sumTallies(ground.store.db, "2020-01-01" as UtcDay)).toMatchObject({ tests: 1, raised: 1 });
    expect(flagFaults(ground.store.db)).toStrictEqual([]);
    await tell(1, told(6));
    const [open] = flags({ status: "open" });
    expect(open).toMatchObject({ renews: first?.id ?? null, acked_by: "ada" });
    await tell(1, told(7));
    expect(flags({ status: "open" })).toMatchObject([
      { id: open?.id ?? "", rule_inputs: { since: LAST, observed: { count: 7 } } },
    ]);
    expect(sumTallies(ground.store.db, "2020-01-01" as UtcDay)).toMatchObject({ tests: 2, raised: 2 });
    expect(flagFaults(ground.store.db)).toStrictEqual([]);
  });

  test("that fires again after it had cleared is told again, as the same thing: nothing resolved is opened", async () => {
    await sessions({ 0: told(2) });
    const [first] = flags();
    await tell(0, told(39));
    await tell(0, told(3));
    expect(flags({ status: "open" })).toMatchObject([{ renews: first?.id ?? "" }]);
    expect(flags({ status: "resolved" })).toMatchObject([{ id: first?.id ?? "", resolution: "cleared" }]);
    expect(sumTallies(ground.store.db, "2020-01-01" as UtcDay)).toMatchObject({ tests: 1, expected: 0.02 });
    expect(flagFaults(ground.store.db)).toStrictEqual([]);
  });

  test("raises nothing that an operator resolved for that day; the day after is a new event", async () => {
    await sessions({ 0: told(2) });
    const by = { name: "ada", id: "operator:ada" };
    await ground.writer.write((tx) =>
      performAct(tx, "resolve", { id: flags()[0]?.id ?? "", by, now: ground.clock.now() }),
    );
    await tell(0, told(3));
    expect(outcomes("analytics")).toEqual({ sessions: `${LAST} drop` });
    await tell(-7, told(41));
    expect(flags()).toHaveLength(1);
    await tell(0, told(400));
    expect(said({ status: "open" })).toEqual([`flow-rise analytics sessions ${LAST}`]);
    await tell(0, told(40));
    await tell(1, told(3));
    expect(said({ status: "open" })).toEqual([`flow-drop analytics sessions ${day(1)}`]);
  });
});

describe("a change of consent mode", () => {
  const at = (after: number) => `${day(after)}T12:00:00Z`;
  const post = async (
    after: number,
    entry: { asset?: string; kind?: "config" | "deploy"; ref?: string } = {},
  ) => {
    const { asset = "harbor", kind = "config", ref = "consent-mode-v2" } = entry;
    const { stored } = await postAnnotation(ground, { asset, at: at(after), kind, ref }, "ada");
    return stored.id;
  };

  test("among the compared days stops the test with its reason, and says when it starts again", async () => {
    await post(-10);
    await sessions({ 0: told(2) });
    const [verdict] = listVerdicts(ground.store.db, "harbor", { source: "analytics" });
    expect(verdict?.verdict.flow).toMatchSnapshot();
    expect(verdict?.verdict.percentDrop).toMatchObject({ reason: "consent_step", step: day(-10) });
    expect(flags()).toStrictEqual([]);
  });

  test.each([-28, 0])("%i days from the tested day lies among them", async (after) => {
    await post(after);
    await sessions();
    expect(reasonOf()).toBe("consent_step");
  });

  test("before all of them lets the test run, on the days since alone", async () => {
    await post(-30);
    await sessions(Object.fromEntries(Array.from({ length: 31 }, (_, back) => [-29 - back, told(400)])));
    expect(outcomes("analytics")).toEqual({ sessions: `${LAST} quiet` });
    const [verdict] = listVerdicts(ground.store.db, "harbor", { source: "analytics" });
    expect(verdict?.verdict.flow).toMatchObject({ dispersion: { leftOut: [] } });
  });

  test("of every site counts, another kind or ref does not, nor does it for what a search console tells", async () => {
    await post(-3, { kind: "deploy" });
    await post(-3, { ref: "checkout-consent-mode" });
    await post(-3, { asset: "orchard" });
    await sessions();
    expect(reasonOf()).toBe("tested");
    await post(-3, { asset: "*" });
    await tell(1, told(40));
    expect(reasonOf()).toBe("consent_step");
    await pull(SEARCH, 0, { clicks: () => told(50) });
    expect(outcomes("search-console")).toEqual({ clicks: `${LAST} quiet` });
  });

  test("that is told later takes the flag back at the next look, one that is struck no longer counts", async () => {
    await sessions({ 0: told(2) });
    ground.clock.advance(60_000);
    const id = await post(-1);
    await follower.settle();
    expect(reasonOf()).toBe("consent_step");
    expect(flags()).toMatchObject([{ status: "resolved", resolution: "next_reading" }]);
    const by = { name: "ada", actor: "operator:ada", now: ground.clock.now() };
    await ground.writer.write((tx) => putRetraction(tx, id, { struck: 1, reason: null }, by));
    await follower.settle();
    expect(said({ status: "open" })).toEqual([`flow-drop analytics sessions ${LAST}`]);
    await ground.writer.write((tx) => putRetraction(tx, id, { struck: 0, reason: null }, by));
    await follower.stop();
    const next = followerOn(ground);
    await next.settle();
    expect(reasonOf()).toBe("consent_step");
    await next.stop();
  });

  test("has the day of the provider's calendar", async () => {
    ground.store.raw.run(
      `INSERT INTO pull_target (id, asset, provider, connection_revision, property, time_zone)
       VALUES (7, 'harbor', 'analytics', 'c', '123', 'Pacific/Auckland')`,
    );
    ground.store.raw.run(
      "INSERT INTO observation (attempt, target, observed_at, days) VALUES (41, 7, 1, x'00')",
    );
    await post(-29);
    await sessions({ 0: told(2) });
    expect(reasonOf()).toBe("consent_step");
    await tell(1, told(2));
    expect(reasonOf()).toBe("tested");
    expect(hasUnjudgedDay(ground.store.db, "harbor", "analytics", ground.clock.now())).toBe(false);
    expect(flags()).toMatchObject([{ rule_inputs: { time_zone: "Pacific/Auckland" } }]);
  });
});

test("a process that dies at any write leaves what one that went on leaves", async () => {
  const waiting = async (): Promise<TestGround> => {
    const own = await testGround();
    for (const asset of ["harbor", "orchard"]) {
      await pullSignals(
        own,
        { asset, source: "search-console" },
        { last: LAST, days: 60 },
        {
          clicks: (back) => told(back === 0 ? 3 : 50),
          impressions: () => told(400),
        },
      );
    }
    return own;
  };
  const leftBehind = async (survived: number) => {
    const own = await waiting();
    const { writer, died } = dyingWriter(own.writer, survived);
    const dying = new FlowFollower({
      ...own,
      writer,
      thresholdsOf: () => DEFAULT_FLOW_THRESHOLDS,
      isJudgedElsewhere: () => false,
    });
    await Promise.race([dying.settle(), died]);
    const next = followerOn(own);
    await next.settle();
    await next.stop();
    const of = (text: string) => own.store.raw.query(text).all();
    const left = {
      flags: of("SELECT asset, rule, source, metric, status FROM flag ORDER BY asset"),
      records: of("SELECT type, count(*) AS n FROM flag_record GROUP BY type"),
      verdicts: of("SELECT asset, source, metric, date, verdict FROM flow_verdict ORDER BY 1, 2, 3"),
      tallies: of("SELECT asset, source, tests, raised FROM flow_tally ORDER BY asset"),
      waiting: listSignalTurns(own.store.db, 0, 1_000).length,
    };
    own.store.close();
    return left;
  };
  const whole = await leftBehind(99);
  expect(whole).toMatchObject({ waiting: 0, flags: [{ asset: "harbor" }, { asset: "orchard" }] });
  for (let survived = 0; survived < 3; survived++) expect(await leftBehind(survived)).toEqual(whole);
});

describe("judging goes on", () => {
  test("days that change while it is under way are judged in their own turn, and what was read before is not recorded", async () => {
    await sessions();
    let changed = false;
    const slow = new FlowFollower({
      ...ground,
      thresholdsOf: () => {
        if (!changed) {
          changed = true;
          const tx = ground.store.main as Tx;
          plantSeries(tx, { ...ANALYTICS, metric: "sessions" }, [[day(1), told(2)]]);
          awaitSignalJudging(tx, "harbor", "analytics");
        }
        return DEFAULT_FLOW_THRESHOLDS;
      },
      isJudgedElsewhere: () => false,
    });
    await ground.writer.write((tx) => {
      plantSeries(tx, { ...ANALYTICS, metric: "sessions" }, [[day(1), told(80)]]);
      awaitSignalJudging(tx, "harbor", "analytics");
    });
    await slow.settle();
    await slow.stop();
    expect(said()).toEqual([`flow-drop analytics sessions ${day(1)}`]);
    expect(listSignalTurns(ground.store.db, 0, 1_000).length).toBe(0);
  });

  test("a figure whose stored days are damaged says so and stops no other", async () => {
    await pullSignals(
      ground,
      ANALYTICS,
      { last: LAST, days: 60 },
      {
        sessions: () => told(40),
        page_views: (back) => told(back === 0 ? 2 : 40),
      },
    );
    damageDays(ground.store, { ...ANALYTICS, metric: "sessions" }, 5);
    await follower.settle();
    expect(reasonOf("sessions")).toBe("failed");
    expect(said()).toEqual([`flow-drop analytics page_views ${LAST}`]);
    expect(listMonitoringFailures(ground.store.db)).toMatchObject([
      { kind: "rule", asset: "harbor", source: "analytics", subject: "sessions" },
    ]);
  });
});

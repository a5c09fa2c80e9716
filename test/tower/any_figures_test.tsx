/** What pages make of figures, days and moments of all kinds, at and around every bound, recorded (`test/support/mixtures.ts`). */

import { describe, test } from "bun:test";
import { addDays, dayNumber, startOfDay, type UtcDay } from "../../src/base/time.ts";
import type { RuleInputs } from "../../src/flags/flags.ts";
import {
  evaluateMetric,
  flowRuleInputs,
  lastingInputs,
  percentDropInputs,
} from "../../src/rules/flow_inputs.ts";
import { judgedTail, notTestedMessage } from "../../src/rules/verdict.ts";
import type { LiveFeed, LiveView } from "../../src/signals/live_traffic.ts";
import { changeWords } from "../../src/sites/rule_catalogue.ts";
import { JudgedProof, judgedWords } from "../../src/tower/flags/judged.tsx";
import * as format from "../../src/tower/format.ts";
import { AttemptCounts } from "../../src/tower/integrations/attempts_table.tsx";
import { render, type Safe } from "../../src/tower/jsx/jsx-runtime.ts";
import { Change, pagingOf } from "../../src/tower/kit/list.tsx";
import { DayBars, dayTicks, newestSettled } from "../../src/tower/kit/plot.tsx";
import { actorWords, askedByWords, tookWords, workingWords } from "../../src/tower/kit/words.tsx";
import {
  changeText,
  closeText,
  compared,
  type FigureDay,
  figureDays,
  figureText,
  lastValued,
  shownDays,
  usualText,
  WHOLE_SITE,
} from "../../src/tower/site/lanes.ts";
import { backlogWords, missedText } from "../../src/tower/site/latest_nightly.tsx";
import { LivePanel } from "../../src/tower/site/live_panel.tsx";
import { percentDropWords, verdictWords } from "../../src/tower/site/verdict.tsx";
import { ANY_DAY, anyHistory, even, historyOf, TESTED_DAY } from "../support/flow_history.ts";
import { parsed, readAloud } from "../support/html.ts";
import { RULE_INPUTS_BEFORE } from "../support/landed_flow.ts";
import { recordEach, seeded } from "../support/mixtures.ts";
import { DEFAULT_FLOW_THRESHOLDS } from "../support/thresholds.ts";
import { inPage } from "../support/tower_data.ts";

const NOW = startOfDay(ANY_DAY) + 12.5 * 3_600_000;
const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const back = (days: number): UtcDay => addDays(ANY_DAY, -days);
const upTo = (count: number) => Array.from({ length: count }, (_, place) => place + 1);
/** A bound, with what lies just before and behind it. */
const around = (...bounds: readonly number[]) => bounds.flatMap((bound) => [bound - 1, bound, bound + 1]);
const read = (made: () => Safe | null) => {
  const html = inPage(made, { now: NOW });
  return html === null ? [] : readAloud(parsed(render(html)));
};

test("numbers, moments and lengths of time as they are written", () => {
  const values = [0, 0.004, 0.05, 0.5, 0.95, 1.25, 19.96, 47_894, ...around(20, 1e3, 1e9, 1e15), 1e300];
  recordEach([...values, ...values.map((value) => -value)], (value) => [
    ...[format.formatCount, format.formatNarrow, format.formatDecimal].map((write) => write(value)),
    ...[format.formatPercent, format.formatRatio, usualText].map((write) => write(value)),
    ...(["count", "share", "position"] as const).flatMap((unit) => [
      figureText(unit, value),
      closeText(unit, value),
    ]),
  ]);
  const lengths = [0, 40 * DAY, 400 * DAY, ...around(5 * SECOND, MINUTE, 2 * MINUTE, HOUR, DAY, 2 * DAY)];
  recordEach(lengths, (ms) => [
    format.formatSpan(ms),
    ...[NOW - ms, NOW + ms].map((at) => [
      format.formatAge(at, NOW),
      format.formatMoment(at, NOW),
      format.formatFullClock(at),
      ...["Europe/Berlin", "America/New_York"].map((zone) => format.formatInZone(at, zone)),
    ]),
    ...[0, 1, 2].map((reports) => backlogWords({ reports, since: NOW - ms }, NOW)),
    backlogWords({ reports: 1, since: undefined }, NOW),
    format.formatDays(back(Math.floor(ms / DAY)), ANY_DAY, NOW),
  ]);
});

test("how far a count lies from what is usual, how long a run took, whose it was, what works and what was missed", () => {
  const usual = [0, 2, ...around(1_000), 1e6];
  recordEach([0, 1, 3, ...around(995, 1_994), 2_000, 2_149, 2_150], (count) =>
    usual.map((expected) => changeWords(count, expected)),
  );
  recordEach([0, ...around(SECOND, MINUTE, 2 * MINUTE), HOUR + 30 * SECOND], tookWords);
  recordEach([null, "schedule", "start", "command", "operator:ada"], (by) => [
    askedByWords(by as never),
    actorWords(by ?? "command-line"),
  ]);
  const parts = [0, 1, 2].flatMap((of) =>
    [0, 1, 2].filter((some) => some <= of).map((some) => ({ of, some })),
  );
  recordEach(parts, ({ of, some }) => workingWords({ working: some, monitored: of }));
  recordEach([...parts, { of: 7, some: 0 }, { of: 7, some: 6 }], ({ of, some }) =>
    [[], ["received", "missed"]].map((nights) =>
      missedText({ missed: { of, missed: some }, nights: nights.map((state) => ({ state })) as never }),
    ),
  );
});

test("why a metric was not tested, and which tail was judged", () => {
  const day = back(3);
  const blocked = ["missing_day", "provisional_day", "excluded_day", "marked_day"].flatMap((reason) => [
    { reason, blockedBy: day },
    { reason, blockedBy: day, mark: "a fair" },
  ]);
  const young = [undefined, back(1)].flatMap((startsOn) => [
    { reason: "too_little_history", startsOn, historyDaysNeeded: 35 },
    { reason: "consent_step", startsOn, step: day },
  ]);
  recordEach([...blocked, ...young], (verdict) => notTestedMessage(verdict as never));
  const chances = [0.001, 0.01, 0.5];
  const tested = ([null, "drop", "spike"] as const).flatMap((fires) =>
    chances.flatMap((atMost) =>
      chances.flatMap((atLeast) => [7, 8].map((count) => ({ fires, poisson: { atMost, atLeast }, count }))),
    ),
  );
  recordEach(tested, ({ count, ...of }) =>
    judgedTail({ ...of, observed: { count }, expected: 8, alpha: 0.01 } as never),
  );
});

test("what a run counts", () => {
  const counts = [
    {},
    { failed: 2, held: 40, over_budget: 31, paused: 1 },
    { stored: 1, skipped: 3, given_up: 1 },
  ];
  recordEach(counts, (reports) => read(() => <AttemptCounts job="sense" run="r" reports={reports} isOver />));
});

test("two counts beside each other", () => {
  const counts = [0, 1, 3, 7, 11, 20, 100, 101, ...around(19, 50, 150), 4.5];
  const pairs = counts.flatMap((now) => counts.map((before) => ({ now, before })));
  const means = [
    { now: 39, before: 21.5 },
    { now: 9, before: 8.75 },
  ];
  recordEach([...pairs, ...means], changeText);
  const others = [1_011, 1_000, 100_001, 100_000, -5, -10, null];
  const changes = [...counts, ...others].flatMap((now) => others.map((before) => ({ now, before })));
  recordEach([...pairs, ...changes], (change) => read(() => Change(change)));
});

/** Days in a row: f(inal), p(rovisional), m(issing), x for excluded, - for none. */
const STATES = { f: "final", p: "provisional", m: "missing", x: "excluded" } as const;
const letters = upTo(90).map((seed) => {
  const next = seeded(seed);
  const [length, odd] = [1 + Math.floor(next() * 14), next() / 2];
  return upTo(length)
    .map(() => (next() < odd ? "fpmx-"[Math.floor(next() * 5)] : "f"))
    .join("");
});

test("the days of a figure, stretches of them, and their bars", () => {
  recordEach([...letters, "f".repeat(6), "-fffff", "ffffffpp", "pppppp", "fffmff"], (word) => {
    const days = [...word].map((letter, place): FigureDay => {
      const state = letter === "-" ? "none" : STATES[letter as keyof typeof STATES];
      const value = state === "missing" || state === "none" ? null : (place * 7) % 5;
      return { day: back(word.length - 1 - place), state, basis: null, value };
    });
    const told = new Map(
      days.flatMap(({ day, state, value }) =>
        state === "final" && value !== null
          ? [[day, { state, basis: "reported", value } as const] as const]
          : [],
      ),
    );
    const [first, last] = [[...told.keys()][0], days.findLast(({ state }) => state === "missing")?.day];
    const owed = figureDays(
      days.map(({ day }) => day),
      told,
      { first, last: last ?? ANY_DAY },
    );
    const values = Float64Array.from(days, ({ value }) => value ?? Number.NaN);
    const states = Uint8Array.from(word, (letter) => "-fpmx".indexOf(letter));
    return [
      ...[2, 3].map((count) => compared(days, count) ?? "not compared"),
      lastValued(days)?.day ?? "none",
      owed.map(({ state, value }) => value ?? state).join(" "),
      newestSettled({ states, values } as unknown as Parameters<typeof newestSettled>[0]),
      ...read(() =>
        DayBars({ days: { states, values } as unknown as Parameters<typeof DayBars>[0]["days"] }),
      ),
    ];
  });
});

test("which days are shown, which of them are named, and how lines are cut into pages", () => {
  const day = (seed: number) => {
    const next = seeded(seed);
    const any = () => (next() < 0.5 ? null : back(Math.floor(next() * 60) - 5));
    const range = ([7, 28, 90, 365] as const)[Math.floor(next() * 4)] ?? 7;
    return { ...WHOLE_SITE, range, from: any(), to: any() };
  };
  recordEach(upTo(120).map(day), (asked) => {
    const shown = shownDays(asked, ANY_DAY, undefined);
    const firsts = [-1, 0, 1].map((by) => addDays(shown.from, by));
    return [shown, ...firsts.map((first) => shownDays(asked, ANY_DAY, first).earlier)];
  });
  recordEach([...around(1, 7, 12, 28, 60, 90, 100, 365, 400), 1_500, 5_000], (length) =>
    dayTicks({ from: back(length), to: ANY_DAY }, NOW).map(
      ({ words, minor, anchor, x }) => `${words}${minor ? " minor" : ""} ${anchor} ${x.toFixed(1)}`,
    ),
  );
  recordEach(around(0, 1, 50, 100), (total) => [0, 1, 2, 3, 9].map((wanted) => pagingOf(total, wanted, 50)));
});

/** What chance seldom makes: gaps, too little, too much, a year, a level that moved, a window that stood out. */
const CHOSEN = [
  historyOf(97, even(0.2)),
  historyOf(97, () => 20, { 7: "missing" }),
  historyOf(97, (at) => (at < 3 ? Number.MAX_SAFE_INTEGER : 0)),
  historyOf(97, () => Number.MAX_SAFE_INTEGER),
  historyOf(5, () => 20),
  historyOf(40, (at) => (at === 0 ? 0 : 6)),
  historyOf(97, (at) => (at === 0 || at === 14 ? 0 : 40)),
  historyOf(60, (at) => (at === 0 ? 1_204 : 1_000)),
  historyOf(130, (at) => (at === 0 ? 100 : at < 17 ? 250 : 520)),
  historyOf(130, (at) => (at === 0 ? 2 : Math.floor(at / 7) % 2 === 0 ? 5 : 25)),
  historyOf(140, (at) => (at < 2 ? 0 : at === 14 ? 90 : 4 + ((at * 5) % 7))),
  historyOf(500, (at) => (at < 28 ? 90 : at >= 364 && at < 392 ? 110 : 100)),
  historyOf(97, (at) => (at < 7 ? 50 : 100)),
  historyOf(97, (at) => (at < 7 ? 110 : 100)),
];

describe("how a metric was judged", () => {
  test("in a few words beside the metric, and in sentences with its inputs", () => {
    const any = upTo(90).map((seed) => [seed, anyHistory(seed), ANY_DAY] as const);
    const chosen = CHOSEN.map((history, place) => [place, history, TESTED_DAY] as const);
    const all = [...any, ...chosen];
    recordEach([...all.keys()], (at) => {
      const [seed, history, day] = all[at] ?? [0, anyHistory(0), ANY_DAY];
      const dispersion = seed % 4 === 0 ? 1 : ("measured" as const);
      const verdict = evaluateMetric(history, day, {
        ...DEFAULT_FLOW_THRESHOLDS,
        dispersion,
        negative: seed % 3 === 0,
      });
      const of = { asset: "harbor", source: "pulse", metric: "signups", judgedAt: 0, date: day } as const;
      const stored = { ...of, verdict };
      const { flow, percentDrop, lasting } = verdict;
      const inputs: readonly (readonly [string, RuleInputs])[] = [
        ...(flow.outcome === "tested" ? [["flow-drop", flowRuleInputs(flow)] as const] : []),
        ...(percentDrop.outcome === "tested"
          ? [["percent-drop", percentDropInputs(percentDrop)] as const]
          : []),
        ...(lasting?.outcome === "tested" ? [["flow-decline", lastingInputs(lasting)] as const] : []),
      ];
      return [
        verdictWords({ judgedElsewhere: false, figures: { last24h: 1 }, stored }).words,
        percentDropWords(percentDrop),
        ...inputs.flatMap(([rule, rule_inputs]) => judgedWords({ rule, rule_inputs }, NOW)),
        ...inputs.flatMap(([rule, given]) =>
          read(() => <JudgedProof sentences={[]} rule={rule} inputs={given} />),
        ),
      ];
    });
    const known = { judgedElsewhere: false, figures: { last24h: 1 }, stored: undefined };
    const changes = [{ judgedElsewhere: true }, { figures: undefined }, { figures: {} }, {}];
    recordEach(changes, (change) => verdictWords({ ...known, ...change }).words);
  });

  test("of the service itself, of what providers report, and of rules that nobody knows any more", () => {
    const silence = { last_received_at: "2026-02-27T03:00:00.000Z", silent_hours: 35 };
    const failed = (count: number) =>
      Array.from({ length: count }, (_, place) => ({ asset: `s${place}`, category: "network" }));
    const pulls = { run_started_at: "2026-02-28T02:30:00.000Z", sites: 12, list_failed: false };
    const seen = { first_seen: "2026-02-13T12:15:04.000Z", last_seen: "2026-02-20T12:15:04.000Z" };
    const issue = { url_count: 73, urls: [], property: "https://shop.example/", ...seen };
    const sources = { account: "a", from: "2026-02-18", to: "2026-02-20", properties: 2, sites: ["x", "y"] };
    const given: readonly (readonly [string, RuleInputs])[] = [
      ...[0.999, 1, 26].map(
        (hours) => ["stale-ingest", { ...silence, thresholds: { silent_hours: hours } }] as const,
      ),
      ["stale-ingest", { ...silence, last_received_at: null, tower_down_hours: 9 }],
      ...[1, 2].map(
        (count) => ["stale-ingest", { ...silence, refused: { count, latest: "422 /metrics" } }] as const,
      ),
      ["disk-space", { free_below: 2 ** 27, total: 2 ** 31, thresholds: { bytes: 2 ** 28, share: 0.05 } }],
      ["wal-size", { above: 2 ** 26, held_by: ["a (process 1)"], thresholds: { bytes: 2 ** 26 } }],
      ["wal-size", { above: 2 ** 26, held_by: [], thresholds: { bytes: 2 ** 26 } }],
      ...[0, 1, 10, 11, 12].map(
        (count) => ["asset-pull-failed", { ...pulls, failed: count, failed_sites: failed(count) }] as const,
      ),
      ["asset-pull-failed", { ...pulls, failed: 0, list_failed: true, failed_sites: [] }],
      ["source-silent", sources],
      ["source-silent", { ...sources, from: sources.to, properties: 1, sites: ["x"] }],
      ["milestone-total", { milestone: 2_000, total: 2_010, report: { date: "2026-02-18" } }],
      ["provider-issue", issue],
      ["provider-issue", { ...issue, first_seen: issue.last_seen, url_count: 1 }],
      ["provider-issue", { urls: 3 }],
      ["flow-drop", RULE_INPUTS_BEFORE],
      ["flow-drop", { ...RULE_INPUTS_BEFORE, since: "2026-11-12", direction: "rise", window_days: 1 }],
      [
        "codebase-duplication",
        { duplication_percent: 9, thresholds: { duplication_percent: 8 }, comparison: null },
      ],
      [
        "codebase-growth",
        { report: { date: "2026-02-18", revision: 2 }, tools_updated: { toString: "1 -> 2" } },
      ],
      ["formerly", { things: ["a", "b"], deep: { a: { b: 1 } }, none: null, is: true }],
    ];
    recordEach(given, ([rule, inputs]) => [
      judgedWords({ rule, rule_inputs: inputs }, NOW),
      read(() => <JudgedProof sentences={[]} rule={rule} inputs={inputs} />),
    ]);
  });
});

test("who is on a site now", () => {
  const today = dayNumber(ANY_DAY);
  const counts = (activeUsers: number) => ({ activeUsers, sessions: 1, pageViews: 2, eventCount: 1_005 });
  recordEach(upTo(60), (seed) => {
    const next = seeded(seed);
    const one = <T,>(...choices: readonly T[]): T => choices[Math.floor(next() * choices.length)] as T;
    const feed = <Value,>(value: Value | null): LiveFeed<Value> => ({
      value,
      seenAt: one(null, NOW - 10 * SECOND, NOW - HOUR),
      nextAt: one(null, NOW - 1, NOW, NOW + 1, NOW + MINUTE),
      failure: one(null, null, { at: NOW - MINUTE, category: "network", code: "timed_out" } as const),
      asking: one(true, false),
      isPaused: one(true, false, false, false),
      isMonitored: one(true, true, false),
    });
    const hours = upTo(24).flatMap((hour) =>
      next() < 0.4 ? [{ day: today - one(0, 0, 1), hour: hour - 1, ...counts(one(0, 1, 7, 2_000)) }] : [],
    );
    const timeZone = one("Europe/Paris", "America/Los_Angeles", "UTC");
    const hourly = { timeZone, hours };
    const view: LiveView = {
      state: "watched",
      realtime: feed(one(null, { last30: counts(one(0, 1, 70)), last5: counts(1) })),
      hourly: feed(one(null, hourly, hourly)),
    };
    return read(() => LivePanel({ asset: "harbor", view }));
  });
  recordEach(["not-connected", "retired"] as const, (state) =>
    read(() => LivePanel({ asset: "harbor", view: { state } })),
  );
});

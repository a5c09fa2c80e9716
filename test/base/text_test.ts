import { expect, test } from "bun:test";
import fc from "fast-check";
import { countWords, onOneLine, shortText } from "../../src/base/text.ts";
import type { UtcDay } from "../../src/base/time.ts";
import { logAdvice } from "../../src/integrations/machine_watch.ts";
import { previewSentence } from "../../src/rules/flow_inputs.ts";
import { titleFrom } from "../../src/sites/rule_catalogue.ts";
import { judgedWords } from "../../src/tower/flags/judged.tsx";
import { outcomeWords } from "../../src/tower/flags/outcome.ts";
import { waitSentence } from "../../src/tower/session.ts";
import { backlogWords, missedText } from "../../src/tower/site/latest_nightly.tsx";
import { instant } from "../support/clock.ts";
import { disagreeing } from "../support/counted.ts";

const NOW = instant("2026-11-20T14:00:00Z");

test("a count has its noun in the right number, with separators between thousands", () => {
  const said = [0, 1, 2, 1_204].map((count) => countWords(count, "entry", "entries"));
  expect(said).toEqual(["0 entries", "1 entry", "2 entries", "1,204 entries"]);
});

test("a count that does not agree is found", () => {
  expect(
    disagreeing("1 more families, 1 file, 2 day; 10 sites, 21 nights, 1 flag are, 2 reports was"),
  ).toEqual(["1 more families", "2 day", "1 flag are", "2 reports was"]);
});

/** Sentences that hold counts, each made with two of them. */
const SENTENCES: Readonly<Record<string, (one: number, other: number) => readonly (string | undefined)[]>> = {
  backlog: (reports) => [backlogWords({ reports: reports + 1, since: NOW - 60_000 }, NOW)],
  nights: (missed, of) => [missedText({ missed: { missed: Math.min(missed, of), of }, nights: [] })],
  wait: (seconds) => [waitSentence(seconds + 1)],
  acts: (done, refused) => [outcomeWords({ act: "snooze", done, refused })],
  log: (holders) => {
    const held_by = Array.from({ length: holders % 9 }, (_, at) => `reader (process ${at + 10})`);
    return [logAdvice(held_by), titleFrom("wal-size", "", { above: 2 ** 26, held_by }, NOW)];
  },
  silence: (hours, refused) => {
    const rule_inputs = {
      last_received_at: "2026-11-18T03:00:00.000Z",
      silent_hours: hours,
      refused: { count: refused, latest: "422 /metrics" },
      tower_down_hours: refused,
      thresholds: { silent_hours: hours },
    };
    return [
      titleFrom("stale-ingest", "harbor", rule_inputs, NOW),
      ...judgedWords({ rule: "stale-ingest", rule_inputs }, NOW),
    ];
  },
  preview: (proposed, current) => {
    const of = (raised: number) => ({
      from: "2026-11-18" as UtcDay,
      to: "2026-11-18" as UtcDay,
      raised: Array.from({ length: raised % 50 }, () => {
        return {
          day: "2026-11-18" as UtcDay,
          direction: "drop",
          count: 1,
          expected: 9,
          windowDays: 1,
        } as const;
      }),
      tests: 9,
      notTested: {},
      expectedByChance: 0,
    });
    return [previewSentence("alpha 0.1", of(proposed), of(current))];
  },
};

test.each(Object.entries(SENTENCES))(
  "%s: every count agrees with its noun and its verb (property)",
  (_name, sentences) => {
    const count = fc.oneof(fc.constantFrom(0, 1, 2), fc.nat({ max: 5_000 }));
    fc.assert(
      fc.property(count, count, (one, other) => {
        const said = sentences(one, other).join(" ");
        expect(said).not.toMatch(/undefined|NaN/);
        expect(disagreeing(said)).toStrictEqual([]);
      }),
    );
  },
);

test("what a terminal obeys or does not show is spelt out, and everything else stays as it is", () => {
  expect(onOneLine("Zoë Ångström – 数 🙂 (a service)")).toBe("Zoë Ångström – 数 🙂 (a service)");
  expect(onOneLine("eve\r\u001b[2K\u001b[1A  ada")).toBe("eve\\u{d}\\u{1b}[2K\\u{1b}[1A  ada");
  expect(onOneLine("a\nb\u2028c\u202ed\u200be\u009bf\ud800")).toBe(
    "a\\u{a}b\\u{2028}c\\u{202e}d\\u{200b}e\\u{9b}f\\u{d800}",
  );
});

test("a text within the bound stays, a longer one ends in … at the bound, and no half character is left", () => {
  expect(shortText("harbor", 6)).toBe("harbor");
  expect(shortText("harbors", 6)).toBe("harbo…");
  for (const [text, short] of [
    ["ab😀cd", "ab\uFFFD…"],
    ["😀", "😀"],
    ["\uD83D", "\uFFFD"],
  ] as const) {
    expect(shortText(text, 4)).toBe(short);
  }
});

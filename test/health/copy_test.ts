/** Every capability has reviewed words for every category of failure and every state. */

import { describe, expect, test } from "bun:test";
import { failureWords, type StateFacts, type Words, wordsOf } from "../../src/health/capability_words.ts";
import { CAPABILITIES } from "../../src/health/catalogue.ts";
import { HEALTH_STATES } from "../../src/health/health.ts";
import type { UnknownCause } from "../../src/health/state.ts";
import { FAILURE_CATEGORIES, FAULT_CODES, type FaultCode } from "../../src/providers/faults.ts";
import { recordEach } from "../support/mixtures.ts";

const CAUSES: readonly UnknownCause[] = ["inventory", "evidence", "ahead", "unmatched", "obligation"];
const BLANK: StateFacts = { state: "working", category: null, code: null, cause: undefined };

const failing: readonly StateFacts[] = FAILURE_CATEGORIES.map((category) => ({
  ...BLANK,
  state: "failing",
  category,
}));
const others: readonly StateFacts[] = HEALTH_STATES.filter((state) => state !== "failing").flatMap(
  (state): StateFacts[] =>
    state === "unknown" ? CAUSES.map((cause) => ({ ...BLANK, state, cause })) : [{ ...BLANK, state }],
);
const all = CAPABILITIES.flatMap(({ id, copy }) =>
  [...failing, ...others].map((told) => ({
    name: [id, told.state, told.category ?? told.cause ?? ""].join(" "),
    words: wordsOf(copy, told),
  })),
);
all.push(
  ...FAILURE_CATEGORIES.map((category) => ({
    name: `any provider ${category}`,
    words: failureWords({ category, code: null }),
  })),
);
const wrong = (is: (words: Words) => boolean) => all.filter(({ words }) => is(words)).map(({ name }) => name);

describe("the words of health", () => {
  test("are recorded, of every capability in every state", () => {
    const lines = all.map(
      ({ name, words: { why, action } }) => `${name}: ${why} [${action.code}] ${action.text}`,
    );
    expect(lines.join("\n")).toMatchSnapshot();
  });

  test("what happened is one sentence, and what to do is one or two", () => {
    const SENTENCES = /^[A-Z][^.!?]*\.( [A-Z][^.!?]*\.)?$/;
    expect(wrong(({ why }) => why !== "" && !SENTENCES.test(why))).toStrictEqual([]);
    expect(wrong(({ action }) => !SENTENCES.test(action.text))).toStrictEqual([]);
    expect(
      wrong(({ why, action }) => /\s{2}|\s[.,:;]|undefined|null|\$\{/.test(`${why} ${action.text}`)),
    ).toStrictEqual([]);
  });

  test("name no address, no moment, no number of an answer, and no site as an asset", () => {
    const PRIVATE = /https?:|@|\b[1-5]\d\d\b|\d{4}-\d\d|\basset\b/i;
    expect(wrong(({ why, action }) => PRIVATE.test(`${why} ${action.text}`))).toStrictEqual([]);
  });
});

test("a failure with a code of its own is told in that code's words, recorded of what is asked, looked at, tested and sent", () => {
  const ids = ["search-console.daily", "analytics.realtime", "analytics.connection-test", "notices.mail"];
  const copies = CAPABILITIES.filter(({ id }) => ids.includes(id)).map(({ copy }) => copy);
  recordEach([...(Object.keys(FAULT_CODES) as FaultCode[]), "toString", "unheard_of", ""], (code) => {
    const category = FAULT_CODES[code as FaultCode]?.category ?? "access";
    const told = copies.map((copy) => wordsOf(copy, { ...BLANK, state: "failing", category, code }));
    return [...new Set(told.map(({ why, action }) => `${why} [${action.code}] ${action.text}`))];
  });
});

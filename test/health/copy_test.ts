/** Every capability has reviewed words for every category of failure and every state. */

import { describe, expect, test } from "bun:test";
import { failureWords, type StateFacts, type Words, wordsOf } from "../../src/health/capability_words.ts";
import { CAPABILITIES } from "../../src/health/catalogue.ts";
import { HEALTH_STATES } from "../../src/health/health.ts";
import type { UnknownCause } from "../../src/health/state.ts";
import {
  type ActionCode,
  FAILURE_CATEGORIES,
  FAULT_CODES,
  type FaultCode,
  LATER,
} from "../../src/providers/faults.ts";

const CAUSES: readonly UnknownCause[] = ["inventory", "evidence", "ahead", "unmatched", "obligation"];
const BLANK: StateFacts = { state: "working", category: null, code: null, cause: undefined };

const failing: readonly StateFacts[] = FAILURE_CATEGORIES.map((category) => ({
  ...BLANK,
  state: "failing",
  category,
}));
const others: readonly StateFacts[] = HEALTH_STATES.filter(
  (state) => state !== "failing" && state !== "working",
).flatMap((state): StateFacts[] =>
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
    expect(wrong(({ why }) => !SENTENCES.test(why))).toEqual([]);
    expect(wrong(({ action }) => !SENTENCES.test(action.text))).toEqual([]);
    expect(
      wrong(({ why, action }) => /\s{2}|\s[.,:;]|undefined|null|\$\{/.test(`${why} ${action.text}`)),
    ).toEqual([]);
  });

  test("they are short: nobody reads more in the cell of a table", () => {
    expect(wrong(({ why }) => why.length > 90)).toEqual([]);
    expect(wrong(({ action }) => action.text.length > 130)).toEqual([]);
  });

  test("they name no address, no moment, no number of an answer, and no site as an asset", () => {
    expect(
      wrong(({ why, action }) =>
        /https?:|@|\b[1-5]\d\d\b|\d{4}-\d\d|\basset\b/i.test(`${why} ${action.text}`),
      ),
    ).toEqual([]);
  });

  test("each category of a capability is told apart from every other", () => {
    for (const { id, copy } of CAPABILITIES) {
      const sentences = new Set(failing.map((told) => wordsOf(copy, told).why));
      expect(`${id}: ${sentences.size}`).toBe(`${id}: ${FAILURE_CATEGORIES.length}`);
    }
  });

  test("what works is said by its state alone", () => {
    for (const { copy } of CAPABILITIES)
      expect(wordsOf(copy, BLANK)).toEqual({ why: "", action: { code: "none", text: "Nothing to do." } });
  });

  test("only what Tower asks by itself says that it does", () => {
    const byItself = /Tower (waits|retries)/;
    const promised = CAPABILITIES.flatMap(({ id, copy }) =>
      failing.some((told) => byItself.test(wordsOf(copy, told).action.text)) ? [id] : [],
    );
    expect(promised).toEqual(
      CAPABILITIES.filter(({ kind }) => kind === "production_read" || kind === "real_send").map(
        ({ id }) => id,
      ),
    );
  });
});

describe("a failure with a code of its own", () => {
  const codes = Object.keys(FAULT_CODES) as FaultCode[];
  const CUT_SHORT: ReadonlySet<FaultCode> = new Set(["stopped", "connection_changed"]);
  const toldOf = (code: FaultCode): StateFacts => ({
    ...BLANK,
    state: "failing",
    category: FAULT_CODES[code].category,
    code,
  });

  test("is told in that code's words, and what to do in them, too", () => {
    for (const { copy } of CAPABILITIES) {
      for (const code of codes) {
        const { why, action } = wordsOf(copy, toldOf(code));
        expect(why).toBe(FAULT_CODES[code].words);
        if (FAULT_CODES[code].action !== LATER) expect(action.text).toBe(FAULT_CODES[code].action);
        else if (CUT_SHORT.has(code)) expect(Object.values(action)).toEqual([...copy.again]);
        else expect(action).toEqual(wordsOf(copy, { ...toldOf(code), code: null }).action);
      }
    }
  });

  test("one that lasts says what to look at; one of nobody is tried again, whoever does that", () => {
    const textOf = (id: string, code: FaultCode) => {
      const copy = CAPABILITIES.find((one) => one.id === id)?.copy;
      return copy === undefined ? "" : wordsOf(copy, toldOf(code)).action.text;
    };
    expect(textOf("analytics.daily", "timed_out")).toContain(
      "If it stays, check this machine's internet connection",
    );
    expect(textOf("analytics.daily", "unexpected_report")).toContain("If it stays, look for a newer release");
    expect(textOf("analytics.daily", "stopped")).toBe(LATER);
    expect(textOf("analytics.realtime", "provider_failed")).toBe(
      "Nothing to do: it is read again while somebody has the site's page open.",
    );
    expect(textOf("analytics.connection-test", "stopped")).toBe("Test the account again on its page.");
  });

  test("has an action of its own, where there is more to do than to wait, in a word that fits the sentence", () => {
    const fits: Readonly<Partial<Record<ActionCode, RegExp>>> = {
      check_network: /name resolution|internet connection/,
      check_clock: /clock/,
      check_storage: /stored data/,
      replace_credential: /replace the credential|channel|current key/i,
      check_account: /account|Sign in/,
      give_access: /access|right to see/,
      connect: /Attach the site/,
      enable_api: /Enable the API/,
      check_setup: /property|address|Register|channel/,
      check_settings: /settings|constants document/,
      look_yourself: /log/,
      wait: /Tower (waits|retries)|so Tower waits/,
    };
    const copy = CAPABILITIES.find(({ id }) => id === "search-console.daily")?.copy;
    if (copy === undefined) throw new Error("no such capability");
    const misfits = codes.filter((code) => {
      const { action } = wordsOf(copy, toldOf(code));
      return fits[action.code]?.test(action.text) !== true;
    });
    expect(misfits).toEqual([]);
  });

  test("a code that is none of them says nothing: the category does", () => {
    for (const { copy } of CAPABILITIES) {
      for (const code of ["toString", "unheard_of", ""]) {
        const told: StateFacts = { ...BLANK, state: "failing", category: "access" };
        expect(wordsOf(copy, { ...told, code })).toEqual(wordsOf(copy, told));
      }
    }
  });
});

import { describe, expect, test } from "bun:test";
import { PROVIDERS } from "../../src/providers/adapter.ts";
import { FAULT_CODES } from "../../src/providers/faults.ts";
import { TRAPS, trapsBehind, trapsOf } from "../../src/providers/given_file.ts";

describe("what goes wrong most often at a set-up is said before it does", () => {
  test("each provider has its traps, and each is the usual reason of faults that there are", () => {
    for (const provider of PROVIDERS) expect(trapsOf(provider).length).toBeGreaterThan(1);
    const codes = TRAPS.flatMap((trap) => trap.codes);
    expect(codes.filter((code) => !Object.hasOwn(FAULT_CODES, code))).toStrictEqual([]);
    expect(TRAPS.filter((trap) => trap.codes.length === 0)).toStrictEqual([]);
  });

  test("a refused account, a disabled API and a fresh key lead to theirs", () => {
    const behind = (code: string, provider: (typeof PROVIDERS)[number]) =>
      trapsBehind(code, provider).map(({ says }) => says);
    expect(behind("no_property", "analytics")).toEqual(["A new service account sees no property."]);
    expect(behind("property_denied", "search-console")).toMatchSnapshot();
    expect(behind("api_disabled", "analytics")).toEqual(["The APIs of a new project are off."]);
    expect(behind("key_refused", "webmaster-tools")).toEqual([
      "A new key may be refused for about 30 minutes.",
    ]);
    expect(behind("timed_out", "analytics")).toStrictEqual([]);
  });
});

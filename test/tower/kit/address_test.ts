import { describe, expect, test } from "bun:test";
import { address, DAY, named, oneOf, PAGE, sought } from "../../../src/tower/kit/address.tsx";

const list = address({
  status: oneOf(["open", "resolved"], "open"),
  range: oneOf([30, 90], 90),
  kind: oneOf(["drop", "rise"], null),
  rule: named(10, undefined),
  q: sought(5),
  to: DAY,
  page: PAGE,
});
const read = (query: string) => list.read(new URLSearchParams(query));

describe("an address", () => {
  test("without a query asks for what is usual, and what is usual is left out of a link", () => {
    expect(read("")).toEqual(list.usual);
    expect(list.search(list.usual)).toBe("");
    expect(list.search({})).toBe("");
  });

  test("is written in the order of its parameters and read back as it was", () => {
    const state = { page: 2, to: read("to=2026-03-01").to, q: "ab", kind: "rise", range: 30 } as const;
    const search = list.search(state);
    expect(search).toBe("?range=30&kind=rise&q=ab&to=2026-03-01&page=2");
    expect(read(search)).toEqual({ ...list.usual, ...state });
  });

  test("reads what it does not understand as not given", () => {
    const nonsense = "status=shut&range=31&kind=&rule=longer-than-ten&to=2026-02-30&page=0";
    expect(read(nonsense)).toEqual(list.usual);
    for (const page of ["-1", "1.5", "x", "", "1e3", "9".repeat(20)])
      expect(read(`page=${page}`).page).toBe(1);
  });

  test("cuts what is sought, and takes a name whole or not at all", () => {
    expect(read("q=%20abcdefgh%20").q).toBe("abcde");
    expect(read("rule=flow-drop").rule).toBe("flow-drop");
  });

  test("takes along what is no part of it, escaped", () => {
    expect(list.search({ page: 3 }, { told: "a&b" })).toBe("?page=3&told=a%26b");
    expect(list.search({}, { act: "snooze" })).toBe("?act=snooze");
  });
});

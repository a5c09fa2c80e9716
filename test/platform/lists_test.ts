import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { ListQuery, pageOf } from "../../src/platform/lists.ts";
import { Problem } from "../../src/platform/problem.ts";

const query = (search: string, filters: readonly string[] = ["from", "to", "status", "asset"]) =>
  new ListQuery(new Request(`http://localhost/api/x${search}`), filters);

function refusal(read: () => unknown): string {
  try {
    read();
    return "accepted";
  } catch (error) {
    if (error instanceof Problem) return `${error.code} ${error.errors?.[0]?.pointer}`;
    throw error;
  }
}

describe("lists of the read API (decisions 3)", () => {
  test("a page has 100 items unless asked otherwise, and at most 500", () => {
    expect(
      ["", "?limit=1", "?limit=500", "?limit=501", "?limit=999999"].map((search) => query(search).limit),
    ).toEqual([100, 1, 500, 500, 500]);
  });

  for (const search of ["?limit=0", "?limit=-1", "?limit=1.5", "?limit=", "?limit=x", "?limit=9999999"]) {
    test(`${search} is refused`, () => expect(refusal(() => query(search))).toBe("malformed-query /limit"));
  }

  test("a parameter the list does not know is refused, so that a typo never widens an answer", () => {
    expect(refusal(() => query("?aset=harbor"))).toBe("malformed-query /aset");
  });

  test("a parameter given twice is refused: one of the two would be passed over in silence", () => {
    expect(refusal(() => query("?asset=harbor&asset=orchard"))).toBe("malformed-query /asset");
  });

  test("an enum takes its own values only", () => {
    const read = (search: string) => query(search).oneOf("status", ["open", "resolved"] as const);
    expect([read(""), read("?status=open")]).toEqual([undefined, "open"]);
    expect(refusal(() => read("?status=Open"))).toBe("malformed-query /status");
    expect(refusal(() => read("?status="))).toBe("malformed-query /status");
  });

  test("from and to are calendar days, both inclusive", () => {
    expect(query("?from=2026-03-01&to=2026-03-01").instants()).toEqual({
      from: Date.UTC(2026, 2, 1),
      to: Date.UTC(2026, 2, 2),
    });
    expect(query("").instants()).toEqual({ from: undefined, to: undefined });
    for (const day of ["2026-02-30", "yesterday", "2026-03-01T00:00:00Z"])
      expect(refusal(() => query(`?to=${day}`).instants())).toBe("malformed-query /to");
  });

  test("the last day that can be written is a day like any other", () => {
    expect(query("?to=9999-12-31").instants().to).toBe(Date.UTC(9999, 11, 31) + 86_400_000);
  });

  for (const cursor of [
    "x",
    "",
    "bnVsbA",
    Buffer.from("[1]").toString("base64url"),
    Buffer.from('["a",1]').toString("base64url"),
    Buffer.from('[1e999,"a"]').toString("base64url"),
  ]) {
    test(`the cursor ${JSON.stringify(cursor)} is refused`, () => {
      expect(refusal(() => query(`?cursor=${cursor}`).cursor(["number", "string"] as const))).toBe(
        "malformed-query /cursor",
      );
    });
  }

  test("pages join to the whole list, each item once, whatever their size (property)", () => {
    fc.assert(
      fc.property(
        fc.array(fc.string(), { maxLength: 30 }),
        fc.integer({ min: 1, max: 7 }),
        (texts, limit) => {
          const rows = texts.map((text, index) => ({ index, text }));
          const seen: string[] = [];
          let from = 0;
          for (let pages = 0; pages <= 31; pages++) {
            const page = pageOf(
              rows.slice(from, from + limit + 1),
              limit,
              ({ text }) => text,
              ({ index, text }) => [index, text],
            );
            seen.push(...page.items);
            if (page.next === null) break;
            const after = query(`?cursor=${page.next}`).cursor(["number", "string"] as const);
            expect(after?.[1]).toBe(texts[after?.[0] ?? -1] as string);
            from = (after?.[0] ?? 0) + 1;
          }
          expect(seen).toEqual(texts);
        },
      ),
    );
  });
});

import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { Problem } from "../../src/base/problem.ts";
import { anyText, DAYS, inSteps, instantsOf, ListQuery, oneOf, pageAnswer } from "../../src/base/query.ts";
import { recordEach } from "../support/mixtures.ts";
import { texts } from "../support/words.ts";

const FILTERS = {
  asset: anyText("One site."),
  status: oneOf(["open", "resolved"], "One status."),
  ...DAYS,
};

const query = (search: string) => new ListQuery(new Request(`http://localhost/api/x${search}`), FILTERS);

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
  test("parameters are read as they are described: what is unknown, twice, out of bounds or of no such value is refused, recorded", () => {
    const searches = texts(
      "|?limit=1|?limit=500|?limit=0|?limit=-1|?limit=1.5|?limit=|?limit=x|?limit=501|?limit=9999999",
      "?aset=harbor|?asset=harbor|?asset=harbor&asset=orchard|?status=open|?status=Open|?status=|?to=2026-02-30",
      "?to=yesterday|?to=2026-03-01T00:00:00Z|?cursor=x|?cursor=|?cursor=bnVsbA",
    );
    const cursors = texts(
      '["/api/x",1]|["/api/x","a",1]|["/api/x",1e999,"a"]|["/api/y",1,"a"]|["/api/x",1,"a"]|[1,"a"]',
    ).map((text) => `?cursor=${Buffer.from(text).toString("base64url")}`);
    recordEach([...searches, ...cursors], (search) => {
      let read: unknown;
      const refused = refusal(() => {
        const asked = query(search);
        instantsOf(asked);
        read = [
          asked.limit,
          asked.value("asset"),
          asked.value("status"),
          asked.cursor(["number", "string"] as const),
        ];
      });
      return refused === "accepted" ? read : refused;
    });
  });

  test("from and to are calendar days, both inclusive", () => {
    expect(instantsOf(query("?from=2026-03-01&to=2026-03-01"))).toEqual({
      from: Date.UTC(2026, 2, 1),
      to: Date.UTC(2026, 2, 2),
    });
    expect(instantsOf(query(""))).toEqual({ from: undefined, to: undefined });
  });

  test("the last day that can be written is a day like any other", () => {
    expect(instantsOf(query("?to=9999-12-31")).to).toBe(Date.UTC(9999, 11, 31) + 86_400_000);
  });

  interface Row {
    readonly index: number;
    readonly text: string;
  }
  interface Read {
    readonly items: string[];
    /** Bytes of each page. */
    readonly sizes: number[];
    /** Rows taken from the source for each page. */
    readonly taken: number[];
  }

  /** Reads a list page after page, as a client does, a step of rows at a time, as the store does. */
  async function readAll(texts: readonly string[], limit: number, step: number): Promise<Read> {
    const rows = texts.map((text, index): Row => ({ index, text }));
    const read: Read = { items: [], sizes: [], taken: [] };
    let from = 0;
    for (let pages = 0; pages <= texts.length; pages++) {
      let taken = 0;
      const source = inSteps<Row>(step, (after, most) => {
        const start = after === undefined ? from : after.index + 1;
        const part = rows.slice(start, start + most);
        taken += part.length;
        return part;
      });
      const answer = pageAnswer(source, {
        query: { limit, path: "/api/x" },
        toText: ({ text }) => JSON.stringify(text),
        cursorOf: ({ index, text }) => [index, text.slice(0, 9)],
      });
      expect(answer.headers.get("content-type")).toContain("application/json");
      const body = await answer.text();
      const page = JSON.parse(body) as { items: string[]; next: string | null };
      read.items.push(...page.items);
      read.sizes.push(Buffer.byteLength(body));
      read.taken.push(taken);
      if (page.next === null) return read;
      expect(page.items.length).toBeGreaterThan(0);
      const after = query(`?cursor=${page.next}`).cursor(["number", "string"] as const);
      expect(after?.[1]).toBe((texts[after?.[0] ?? -1] as string).slice(0, 9));
      from = (after?.[0] ?? 0) + 1;
    }
    throw new Error("the list has no end");
  }

  test("pages join to the whole list, each item once, whatever their size (property)", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.string({ unit: "binary" }), { maxLength: 30 }),
        fc.integer({ min: 1, max: 7 }),
        fc.integer({ min: 1, max: 5 }),
        async (texts, limit, step) => {
          const sent = texts.map((text) => text.toWellFormed());
          const { items, sizes } = await readAll(sent, limit, step);
          expect(items).toEqual(sent);
          expect(sizes.length).toBe(Math.max(1, Math.ceil(sent.length / limit)));
        },
      ),
    );
  });

  const MIB = 1024 * 1024;

  test("a page ends at 4 MiB too, loses nothing, and reads few rows that it does not show", async () => {
    const texts = Array.from({ length: 60 }, (_, i) => String(i % 10).repeat(MIB / 4));
    const { items, sizes, taken } = await readAll(texts, 500, 4);
    expect(items).toEqual(texts);
    expect(Math.max(...sizes)).toBeLessThan(4 * MIB + 1_000);
    expect(sizes).toHaveLength(4);
    expect(Math.max(...taken)).toBeLessThanOrEqual(15 + 4);
  });

  test("an item above the bound is a page of its own: bytes count, not characters", async () => {
    const texts = ["ä".repeat(3 * MIB), "b", "ö".repeat(1.9 * MIB), "c".repeat(MIB)];
    const { items, sizes } = await readAll(texts, 500, 16);
    expect(items).toEqual(texts);
    expect(sizes.map((size) => Math.round(size / MIB))).toEqual([6, 4, 1]);
  });
});

/** A text cut into pieces at these places. */

import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { JsonList } from "../../src/base/json_list.ts";
import { texts } from "../support/words.ts";

function pieces(text: string, cuts: readonly number[]): readonly Uint8Array[] {
  const bytes = Buffer.from(text);
  const places = [...new Set(cuts.map((cut) => cut % (bytes.byteLength + 1)))].sort((a, b) => a - b);
  return [0, ...places].map((from, at) => bytes.subarray(from, places[at] ?? bytes.byteLength));
}

function taken(text: string, cuts: readonly number[] = []) {
  const told: unknown[] = [];
  const [list, counting] = [new JsonList("rows", (items) => told.push(...items)), new JsonList("rows")];
  for (const piece of pieces(text, cuts)) {
    // What it is given may be written over afterwards.
    const lent = Uint8Array.from(piece);
    list.push(lent);
    counting.push(lent);
    lent.fill(0x7a);
  }
  return { told, end: list.end(), counted: counting.end() };
}

const NAMES = fc.constantFrom("a", "kind", 'ro"ws', "rowss", "row", "{", "é\\", "metadata");
const beside = fc.dictionary(NAMES, fc.jsonValue(), { maxKeys: 4 });
const cuts = fc.array(fc.nat(4_000), { maxLength: 6 });

describe("a list of an object", () => {
  test("is told item by item, and the rest as one value, however the text comes in pieces", () => {
    fc.assert(
      fc.property(
        beside,
        fc.array(fc.jsonValue()),
        beside,
        cuts,
        fc.constantFrom(0, 2),
        (a, rows, b, at, space) => {
          // A name that stands in both stands once.
          const after = Object.fromEntries(Object.entries(b).filter(([name]) => !(name in a)));
          const text = JSON.stringify({ ...a, rows, ...after }, null, space);
          const { told, end, counted } = taken(text, at);
          const value = JSON.parse(text) as { rows: unknown[] };
          expect(told).toEqual(value.rows);
          expect(end).toEqual({ state: "whole", items: rows.length, rest: { ...value, rows: [] } });
          expect(counted).toEqual(end);
        },
      ),
    );
  });

  test("that is told in many batches is the same", () => {
    const rows = Array.from({ length: 20_000 }, (_, place) => ({ keys: [`${place} ,]}"[{\\`], n: place }));
    const { told, end } = taken(JSON.stringify({ kind: "k", rows, rowCount: 20_000 }), [7_000, 300_001]);
    expect(told).toEqual(rows);
    expect(end).toEqual({ state: "whole", items: 20_000, rest: { kind: "k", rows: [], rowCount: 20_000 } });
  });

  test("is known to be cut wherever the text is cut: what came whole is told", () => {
    const rows = [{ keys: ["a", 'b"]'] }, { keys: [] }, 4, "x", [1, [2]]];
    const text = JSON.stringify({ kind: "k", rows, rowCount: 5 });
    for (let length = 1; length < text.length; length++) {
      const { told, end } = taken(text.slice(0, length));
      expect([length, end.state]).toEqual([length, "cut"]);
      expect(told).toEqual(rows.slice(0, told.length));
    }
    expect(taken(text.slice(0, text.indexOf("4,") + 2)).told).toEqual(rows.slice(0, 3));
  });

  test("of another name, or deeper inside, is none", () => {
    expect(taken('{"rowss":[1],"a":{"rows":[1]},"b":["rows",[2]]}')).toMatchObject({
      told: [],
      end: { state: "whole", items: undefined },
    });
    expect(taken('{"rows":null}').end).toEqual({ state: "whole", items: undefined, rest: { rows: null } });
    expect(taken('["rows",[1]]').end).toEqual({ state: "whole", items: undefined, rest: ["rows", [1]] });
    expect(taken('"rows"').end).toEqual({ state: "whole", items: undefined, rest: "rows" });
  });

  test("in a text that is no JSON, or that tells it twice, is none", () => {
    for (const text of texts(
      '{"rows":[1,2],"rows":[3]}|{"rows":[1,],"a":1}|{"rows":[,1]}|{"rows":[1 2]}|{"rows":[1]]}',
      '{"rows":[1]}}|{"rows":[1]} x|{"rows":[tru]}|<html>|}',
    )) {
      expect([text, taken(text).end.state]).toEqual([text, "broken"]);
    }
  });

  test("beside more than any object has, or with an item larger than any, is none, and is not kept in memory", () => {
    for (const [before, after] of [
      ['{"a":"', '"}'],
      ['{"rows":[1,"', '"]}'],
    ] as const) {
      const list = new JsonList("rows", () => undefined);
      list.push(Buffer.from(before));
      for (let mebibyte = 0; mebibyte < 3; mebibyte++) list.push(Buffer.alloc(1_048_576, "x"));
      list.push(Buffer.from(after));
      expect([before, list.end().state]).toEqual([before, "broken"]);
    }
  });

  test("is told while more of it is to come", () => {
    let told = 0;
    const list = new JsonList("rows", (items) => {
      told += items.length;
    });
    list.push(Buffer.from('{"rows":[0'));
    for (let turn = 1; turn <= 50; turn++) {
      list.push(Buffer.from(`,${"1234567,".repeat(5_000)}7`));
      // Some forty thousand bytes a turn: what is not told yet is a few of them.
      expect([turn, told > (turn - 5) * 5_001]).toEqual([turn, true]);
    }
    list.push(Buffer.from("]}"));
    expect([list.end().items, told]).toEqual([250_051, 250_051]);
  });
});

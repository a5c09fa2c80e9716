import { describe, expect, test } from "bun:test";
import { packOf, unpack } from "../../src/reports/reports.ts";

const bodyOf = (id: number, text: string) => ({ id, body: Buffer.from(text) });
const bodies = [
  bodyOf(3, '{"asset":"harbor","n":1}'),
  bodyOf(1_003, '{"asset":"harbor",\n "note":"Größe 🎈 \\u0000"}'),
  bodyOf(2_004, "\u{feff}{}"),
];

describe("a pack of bodies", () => {
  for (const isFull of [true, false]) {
    test(`gives back every byte of each body, with its id (${isFull ? "full" : "growing"})`, async () => {
      expect(unpack(await packOf(bodies, isFull))).toEqual(bodies);
    });
  }

  test("of reports that resemble each other takes a small part of their bytes", async () => {
    const alike = Array.from({ length: 64 }, (_, at) =>
      bodyOf(
        at * 1_000,
        JSON.stringify({ asset: "harbor", metrics: { signups: { last24h: at, total: 900 + at } } }),
      ),
    );
    const bytes = alike.reduce((sum, { body }) => sum + body.byteLength, 0);
    expect((await packOf(alike, true)).byteLength).toBeLessThan(bytes / 5);
  });

  test("whose bytes are cut or longer than its head says is refused", async () => {
    const data = await packOf(bodies, true);
    expect(() => unpack(data.subarray(0, -1))).toThrow();
    expect(() => unpack(Bun.zstdCompressSync("[[1],[9]]\n{}"))).toThrow("not as long as its head says");
    expect(() => unpack(Bun.zstdCompressSync("[[1],[2]]\n{} "))).toThrow("not as long as its head says");
    expect(() => unpack(Bun.zstdCompressSync("[[1],[]]\n{}"))).toThrow("has no head");
  });
});

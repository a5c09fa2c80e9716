import { expect, test } from "bun:test";
import { parseWebmasterKey } from "../../src/providers/sealing.ts";

const KEY = "0123456789abcdef0123456789abcdef";

test("a key is the text of its file, or stands in a JSON file by one of its names", () => {
  const made = [{ api_key: KEY }, { apiKey: KEY }, { apikey: KEY }, { note: "central", key: `${KEY}\n` }];
  for (const text of [KEY, ` ${KEY}\r\n`, `\uFEFF${KEY}`, ...made.map((one) => JSON.stringify(one))]) {
    const read = parseWebmasterKey(text);
    expect(read.ok && read.value.key).toBe(KEY);
    expect(JSON.stringify(read) + Bun.inspect(read)).not.toContain(KEY);
  }
});

test("what is no key is refused, without a word of it", () => {
  const made = [{ key: 7 }, { key: "" }, { private_key: KEY }].map((one) => JSON.stringify(one));
  const two = [" ", "\n"].map((between) => KEY + between + KEY);
  const texts = [
    "",
    "  ",
    "short",
    `${KEY}&siteUrl=x`,
    `apikey=${KEY}`,
    "x".repeat(300),
    "{}",
    "{",
    `["${KEY}"]`,
  ];
  for (const text of [...texts, ...two, ...made]) {
    const read = parseWebmasterKey(text);
    expect([text, read]).toEqual([text, expect.objectContaining({ ok: false })]);
    expect(!read.ok && read.faults).toEqual([expect.stringMatching(/^key: /)]);
    expect(JSON.stringify(read)).not.toContain(KEY);
  }
});

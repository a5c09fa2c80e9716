import { expect, test } from "bun:test";
import { parseWebmasterKey } from "../../src/providers/sealing.ts";

const KEY = "0123456789abcdef0123456789abcdef";

test("a key is the text of its file, or stands in a JSON file by one of its names", () => {
  for (const text of [
    KEY,
    ` ${KEY}\r\n`,
    `\uFEFF${KEY}`,
    JSON.stringify({ api_key: KEY }),
    JSON.stringify({ apiKey: KEY }),
    JSON.stringify({ apikey: KEY }),
    JSON.stringify({ note: "central", key: `${KEY}\n` }),
  ]) {
    const read = parseWebmasterKey(text);
    expect(read.ok && read.value.key).toBe(KEY);
    expect(JSON.stringify(read) + Bun.inspect(read)).not.toContain(KEY);
  }
});

test("what is no key is refused, without a word of it", () => {
  for (const text of [
    "",
    "  ",
    "short",
    `${KEY} ${KEY}`,
    `${KEY}\n${KEY}`,
    `${KEY}&siteUrl=x`,
    `apikey=${KEY}`,
    "x".repeat(300),
    "{}",
    "{",
    `["${KEY}"]`,
    JSON.stringify({ key: 7 }),
    JSON.stringify({ key: "" }),
    JSON.stringify({ private_key: KEY }),
  ]) {
    const read = parseWebmasterKey(text);
    expect([text, read]).toEqual([text, expect.objectContaining({ ok: false })]);
    expect(!read.ok && read.faults).toEqual([expect.stringMatching(/^key: /)]);
    expect(JSON.stringify(read)).not.toContain(KEY);
  }
});

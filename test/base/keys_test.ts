import { describe, expect, test } from "bun:test";
import { inspect } from "node:util";
import { keysOf } from "../support/keys.ts";

describe("the installation's key (reliability 4.4)", () => {
  test("a code made for one purpose, or with another key, is none for this one", () => {
    const keys = keysOf(1);
    const code = keys.forPurpose("audit").mac("text");
    expect(keys.forPurpose("audit").holds("text", code)).toBe(true);
    expect(keys.forPurpose("audit").holds("texts", code)).toBe(false);
    expect(keys.forPurpose("backup").holds("text", code)).toBe(false);
    expect(keysOf(2).forPurpose("audit").holds("text", code)).toBe(false);
    expect(keys.forPurpose("audit").holds("text", "")).toBe(false);
    expect(keysOf(1).id).toBe(keys.id);
    expect(keysOf(2).id).not.toBe(keys.id);
  });

  test("printed, logged or sent, it shows nothing of itself", () => {
    const keys = keysOf(1);
    const audit = keys.forPurpose("audit");
    const secrets = [
      new TextDecoder().decode(keys.fileBytes()).trim(),
      Buffer.from(audit.forWorker().bytes).toString("base64"),
    ];
    for (const one of [keys, audit]) {
      const shown = [
        JSON.stringify({ one }),
        `${one}`,
        inspect({ one }),
        Bun.inspect({ one }),
        JSON.stringify({ ...one }),
      ];
      for (const text of shown) {
        for (const secret of secrets) expect(text).not.toContain(secret);
        expect(text).not.toMatch(/1,\s*1,\s*1/);
      }
    }
  });
});

import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { readSeal, type Seal, sealBytes } from "../../src/backup/seal.ts";

const seal: Seal = {
  tower_backup: 1,
  made_at: "2026-03-01T02:30:00Z",
  bytes: 5,
  sha256: "ab".repeat(32),
  rows: { audit: 2, pulse: 340 },
};
const page = new TextEncoder().encode("a\nb\n\n");

describe("the seal of a backup (decisions 4: restore checks first)", () => {
  test("what is sealed is read back, whatever the database before it ends with", () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 1, maxLength: 200 }), (database) => {
        const made = { ...seal, bytes: database.length };
        const file = Buffer.concat([database, sealBytes(made)]);
        expect(readSeal(file, file.length)).toEqual(made);
      }),
    );
  });

  test("a seal that was cut, or that stands at another place than it says, is none", () => {
    const file = Buffer.concat([page, sealBytes(seal)]);
    for (let length = 0; length < file.length; length++) {
      expect(readSeal(file.subarray(0, length), length)).toBeUndefined();
    }
    expect(readSeal(file, file.length + 1)).toBeUndefined();
    expect(readSeal(Buffer.concat([file, Buffer.from("\n")]), file.length + 1)).toBeUndefined();
  });

  test("a line of another kind is no seal", () => {
    for (const line of ['\n{"tower_backup":2}\n', "\n[]\n", "\n\n", "\nnull\n", "\n\xff\n"]) {
      const file = Buffer.from(line, "latin1");
      expect(readSeal(file, file.length)).toBeUndefined();
    }
  });
});

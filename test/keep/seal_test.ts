import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { originOf, readSeal, type Seal, sealBytes } from "../../src/keep/seal.ts";
import { keysOf } from "../support/keys.ts";

const seal: Seal = {
  tower_backup: 3,
  made_at: "2026-03-01T02:30:00Z",
  bytes: 5,
  sha256: "ab".repeat(32),
  rows: { audit: 2, pulse: 340 },
  objects: { named: 1_204, bytes: 851_968, lacking: 2, left_out: false },
};
const page = new TextEncoder().encode("a\nb\n\n");

/** With the installation's key, and without one. */
const SEALS: readonly Seal[] = [seal, { ...seal, key: "0011223344556677", mac: "cd".repeat(32) }];

describe("the seal of a backup (decisions 4: restore checks first)", () => {
  test("what is sealed is read back, whatever the database before it ends with", () => {
    fc.assert(
      fc.property(
        fc.uint8Array({ minLength: 1, maxLength: 200 }),
        fc.constantFrom(...SEALS),
        (database, of) => {
          const made = { ...of, bytes: database.length };
          const file = Buffer.concat([database, sealBytes(made)]);
          expect(readSeal(file, file.length)).toEqual(made);
        },
      ),
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
    const { objects: _, ...earlier } = { ...seal, tower_backup: 2, bytes: 0 };
    for (const line of [
      '\n{"tower_backup":3}\n',
      `\n${JSON.stringify(earlier)}\n`,
      "\n[]\n",
      "\n\n",
      "\nnull\n",
      "\n\xff\n",
    ]) {
      const file = Buffer.from(line, "latin1");
      expect(readSeal(file, file.length)).toBeUndefined();
    }
  });
});

test("a seal proves its origin where the key that made it is here, and says which key would prove it", () => {
  const [own, other] = [keysOf(1), keysOf(2)];
  const made = { ...seal, key: own.id, mac: own.forPurpose("backup").mac(seal.sha256) };
  expect(originOf(made, own)).toEqual({ kind: "proven" });
  for (const [of, keys, reason] of [
    [seal, own, "it was made without a key"],
    [made, undefined, `the key it was made with (${own.id}) is not here`],
    [made, other, `it was made with another key (${own.id}) than the one here (${other.id})`],
  ] as const)
    expect(originOf(of, keys)).toEqual({ kind: "unproven", reason });
  expect(originOf({ ...made, mac: "cd".repeat(32) }, own)).toEqual({
    kind: "forged",
    reason: "its seal names the key that is here, but was not made with it",
  });
});

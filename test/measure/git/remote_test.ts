import { describe, expect, test } from "bun:test";
import { cleanRemote } from "../../../src/measure/git/checkout.ts";

describe("the remote's address holds nothing secret (measure.md 3.1)", () => {
  test.each([
    ["https://user:token@host.test/a/b.git?x=1#y", "https://host.test/a/b.git"],
    ["https://x-access-token:abc@host.test:8443/a/b", "https://host.test:8443/a/b"],
    ["ssh://git@host.test/a/b.git", "ssh://host.test/a/b.git"],
    ["git@host.test:a/b.git", "host.test:a/b.git"],
    ["host.test:a/b.git", "host.test:a/b.git"],
    ["git@host.test:a/b?token=x", "host.test:a/b"],
    ["/home/ada/secret/b", "b"],
    ["../b/.git", "b"],
    ["file:///home/ada/b.git", "b.git"],
    ["C:\\Users\\ada\\b", "b"],
    ["  https://host.test/a\n", "https://host.test/a"],
  ])("%s is %s", (remote, clean) => {
    expect(cleanRemote(remote)).toBe(clean);
  });

  test("nothing, or nothing usable, is no address", () => {
    for (const remote of ["", "\u0000", "/", "https://", `https://host.test/${"a".repeat(3000)}`]) {
      expect(cleanRemote(remote)).toBeUndefined();
    }
  });
});

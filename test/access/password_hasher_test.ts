import { describe, expect, spyOn, test } from "bun:test";
import { HASH_COST, PasswordHasher } from "../../src/access/session_store.ts";

const cheap = { memoryKib: 8, passes: 1 };

describe("password hashes (reliability 4.1)", () => {
  test("are argon2id at 64 MiB and 3 passes unless told otherwise", () => {
    expect(HASH_COST).toEqual({ memoryKib: 65_536, passes: 3 });
  });

  test("carry their algorithm and cost, and verify the one password", async () => {
    const hasher = new PasswordHasher(cheap);
    const hash = await hasher.hash("orchard violet kettle");
    expect(hash).toStartWith("$argon2id$v=19$m=8,t=1,p=1$");
    expect(await hasher.verify("orchard violet kettle", hash)).toBe(true);
    for (const near of ["orchard violet kettle ", "Orchard violet kettle", "orchard violet kettl", ""]) {
      expect(await hasher.verify(near, hash)).toBe(false);
    }
  });

  test("at most two run at once, and all of many finish", async () => {
    const hasher = new PasswordHasher(cheap);
    const hash = await hasher.hash("orchard");
    let running = 0;
    let most = 0;
    const verify = spyOn(Bun.password, "verify").mockImplementation(async () => {
      most = Math.max(most, ++running);
      await new Promise<void>((done) => setImmediate(done));
      running--;
      return true;
    });
    const all = await Promise.all(Array.from({ length: 9 }, () => hasher.verify("orchard", hash)));
    verify.mockRestore();
    expect(all).toEqual(Array(9).fill(true));
    expect(most).toBe(2);
  });

  test("a hash that fails gives its place back", async () => {
    const hasher = new PasswordHasher(cheap);
    const verify = spyOn(Bun.password, "verify").mockRejectedValue(new Error("no memory"));
    const all = await Promise.allSettled(Array.from({ length: 3 }, () => hasher.verify("x", "y")));
    expect(all.map(({ status }) => status)).toEqual(["rejected", "rejected", "rejected"]);
    verify.mockRestore();
    expect(await hasher.hash("orchard")).toStartWith("$argon2id$");
  });

  test("without a hash a password is worked on all the same and is never right", async () => {
    const hasher = new PasswordHasher(cheap);
    const verify = spyOn(Bun.password, "verify");
    expect(await hasher.verify("nobody has this password", null)).toBe(false);
    expect(verify).toHaveBeenCalledTimes(1);
    verify.mockRestore();
  });

  test("a hash of lower cost is known as such", async () => {
    const hash = await new PasswordHasher(cheap).hash("orchard");
    expect(new PasswordHasher({ memoryKib: 16, passes: 1 }).isCheaper(hash)).toBe(true);
    expect(new PasswordHasher({ memoryKib: 8, passes: 2 }).isCheaper(hash)).toBe(true);
    expect(new PasswordHasher(cheap).isCheaper(hash)).toBe(false);
  });
});

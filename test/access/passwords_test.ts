import { describe, expect, spyOn, test } from "bun:test";
import fc from "fast-check";
import {
  commonPasswords,
  HASH_COST,
  judgePassword,
  PasswordHasher,
  passwordFault,
} from "../../src/access/passwords.ts";
import { words } from "../support/words.ts";

const isCommon = await commonPasswords();
const judge = (password: string, name = "ada") => judgePassword(password, name, isCommon);

describe("password rules (reliability 4.1, ASVS 6.2)", () => {
  test("the bundled list holds at least 3,000 passwords", async () => {
    const { dictionary } = await import("@zxcvbn-ts/language-common");
    expect(dictionary["passwords-common"].length).toBeGreaterThanOrEqual(3_000);
    expect(isCommon("123456789")).toBe(true);
    expect(isCommon("orchard violet kettle")).toBe(false);
  });

  test("12 characters pass, 11 do not; 256 pass, 257 do not; counted in code points", () => {
    const long = Array.from({ length: 60 }, (_, i) => `k${i}#`).join("");
    expect(judge("vqz!kw8-rtp2")).toBeUndefined();
    expect(judge("vqz!kw8-rtp")).toBe("too-short");
    expect(judge(long.slice(0, 256).padEnd(256, "y"))).toBeUndefined();
    expect(judge(long.slice(0, 256).padEnd(257, "y"))).toBe("too-long");
    expect(judge("🌲🏔🌊🔥🌱🐟🍄🌾🪵🪨🐝")).toBe("too-short");
    expect(judge("🌲🏔🌊🔥🌱🐟🍄🌾🪵🪨🐝🐞")).toBeUndefined();
  });

  test("a common word is refused while it is at least half of the password", () => {
    expect(judge("dragon!1?2#3")).toBe("common");
    expect(judge("dragon!1?2#3%")).toBeUndefined();
  });

  test("no composition rules: one kind of character, spaces and any script pass", () => {
    for (const password of [
      "orchardvioletkettle",
      "orchard violet kettle",
      "839204715562",
      "вишневый чайник у реки",
      "ÜÖÄßéèàçñøåœ",
    ]) {
      expect(judge(password)).toBeUndefined();
    }
  });

  test("a common password is refused in any case and with digits and signs around it", () => {
    for (const password of [
      "1qaz2wsx3edc",
      "1QAZ2wsx3EDC",
      "sonyericsson",
      "Password2026!!",
      "!!superman1234",
      "trustno1trustno1",
    ]) {
      expect(judge(password)).toBeDefined();
    }
  });

  test("a repeated part counts once", () => {
    expect(judge("xyqxyqxyqxyqxyq")).toBe("repeated");
    expect(judge("kkkkkkkkkkkkkkkkkk")).toBeDefined();
    expect(judge("green kettle!green kettle!")).toBeUndefined();
  });

  test("product words and one's own name do not count towards the length", () => {
    expect(judge("tower-Operator-77")).toBe("product-words");
    for (const word of words("administrator passphrase password operator codebase portfolio tower admin"))
      expect([word, judge(`${word}vqz!kw8-rtp`)]).toEqual([word, "product-words"]);
    expect(judge("vqz!kw8-rtp2tower")).toBeUndefined();
    expect([judge("vqzkw8-rt!ann", "ann"), judge("vqzkw8-rt!anna", "anna")]).toEqual([
      undefined,
      "product-words",
    ]);
    expect(judge("mirabella-and-me", "Mirabella")).toBe("product-words");
    expect(judge("mirabella-and-me", "ada")).toBeUndefined();
    expect(judge("a tower on the green hill")).toBeUndefined();
  });

  test("a lone surrogate and NUL are refused: they would not be stored as typed", () => {
    expect(judge("orchard violet\ud800")).toBe("malformed");
    expect(judge("orchard violet\0 x")).toBe("malformed");
  });

  test("random passwords of 20 characters pass", () => {
    const character = fc.integer({ min: 33, max: 126 }).map((code) => String.fromCharCode(code));
    const random = fc.uniqueArray(character, { minLength: 20, maxLength: 20 }).map((parts) => parts.join(""));
    fc.assert(
      fc.property(random, (password) => judge(password) === undefined || judge(password) === "product-words"),
    );
  });

  test("a refusal is a sentence that does not repeat the password", async () => {
    for (const [password, sentence] of [
      ["orchard violet\0 x", "The password holds a character that cannot be stored."],
      ["Password", "The password needs at least 12 characters."],
      ["x".repeat(257), "The password may have at most 256 characters."],
      ["Password2026!!", "This password, or the word it is made of, is on the list of common passwords."],
      ["xyqxyqxyqxyqxyq", "The password repeats a short part; what is repeated counts once."],
      ["tower-Operator-77", "Without your name and words such as tower or password, this is too short."],
      ["orchard violet kettle 9", undefined],
    ])
      expect(await passwordFault(password ?? "", "ada")).toBe(sentence);
  });
});

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
});

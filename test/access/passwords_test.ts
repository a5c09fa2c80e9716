import { describe, expect, spyOn, test } from "bun:test";
import fc from "fast-check";
import {
  commonPasswords,
  HASH_COST,
  judgePassword,
  PasswordHasher,
  passwordFault,
} from "../../src/access/passwords.ts";
import { recordEach } from "../support/mixtures.ts";
import { texts, words } from "../support/words.ts";

const isCommon = await commonPasswords();
const judge = (password: string, name = "ada") => judgePassword(password, name, isCommon);

describe("password rules (reliability 4.1, ASVS 6.2)", () => {
  test("the bundled list holds at least 3,000 passwords", async () => {
    const { dictionary } = await import("@zxcvbn-ts/language-common");
    expect(dictionary["passwords-common"].length).toBeGreaterThanOrEqual(3_000);
    expect(isCommon("123456789")).toBe(true);
    expect(isCommon("orchard violet kettle")).toBe(false);
  });

  test("what is refused is said in a sentence that does not repeat it: recorded", async () => {
    const long = Array.from({ length: 60 }, (_, i) => `k${i}#`)
      .join("")
      .slice(0, 256);
    const given = texts(
      "vqz!kw8-rtp2|vqz!kw8-rtp|🌲🏔🌊🔥🌱🐟🍄🌾🪵🪨🐝|🌲🏔🌊🔥🌱🐟🍄🌾🪵🪨🐝🐞|Password|dragon!1?2#3|dragon!1?2#3%",
      // One kind of character, spaces and any script pass.
      "orchardvioletkettle|orchard violet kettle|839204715562|вишневый чайник у реки|ÜÖÄßéèàçñøåœ",
      // In any case and with digits and signs around it.
      "1qaz2wsx3edc|1QAZ2wsx3EDC|sonyericsson|Password2026!!|!!superman1234|trustno1trustno1",
      "xyqxyqxyqxyqxyq|kkkkkkkkkkkkkkkkkk|green kettle!green kettle!|tower-Operator-77|vqz!kw8-rtp2tower",
      "a tower on the green hill|orchard violet\ud800|orchard violet\0 x|orchard violet kettle 9",
    );
    const product = words("administrator passphrase password operator codebase portfolio tower admin");
    const ofProduct = product.map((word) => `${word}vqz!kw8-rtp`);
    const ofName = [
      "vqzkw8-rt!ann as ann",
      "vqzkw8-rt!anna as anna",
      "mirabella-and-me as Mirabella",
      "mirabella-and-me as ada",
    ];
    const all = [...given, long.padEnd(256, "y"), long.padEnd(257, "y"), ...ofProduct, ...ofName];
    const faults = await Promise.all(
      all.map((one) => passwordFault(one.split(" as ")[0] ?? "", one.split(" as ")[1] ?? "ada")),
    );
    recordEach(all, (one) => faults[all.indexOf(one)]);
  });

  test("random passwords of 20 characters pass", () => {
    const character = fc.integer({ min: 33, max: 126 }).map((code) => String.fromCharCode(code));
    const random = fc.uniqueArray(character, { minLength: 20, maxLength: 20 }).map((parts) => parts.join(""));
    fc.assert(
      fc.property(random, (password) => judge(password) === undefined || judge(password) === "product-words"),
    );
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

/**
 * Passwords: what one must be (long enough and not one that everybody would try; no composition rules, nothing trimmed, judged as typed:
 * OWASP ASVS 5.0, 6.2.1 to 6.2.11), and how it is hashed.
 */

import { onceLoaded, Semaphore } from "../base/concurrency.ts";
import { codePoints } from "../base/contract.ts";

/** The list of common passwords: about 49,000 in lower case, from @zxcvbn-ts/language-common (MIT). */
const list = onceLoaded(async () => {
  const { dictionary } = await import("@zxcvbn-ts/language-common");
  return new Set(dictionary["passwords-common"]);
});

/** Looks texts up in the list. It is unpacked at the first call only: most starts set no password. */
export async function commonPasswords(): Promise<(text: string) => boolean> {
  const known = await list();
  return (text) => known.has(text);
}

/** Bounds in code points. */
const MIN_PASSWORD = 12;

const MAX_PASSWORD = 256;

/** Why a password is refused. */
type PasswordFault = "malformed" | "too-short" | "too-long" | "common" | "repeated" | "product-words";

/** Words anyone would try here; they do not count towards the length. */
const PRODUCT_WORDS = [
  "administrator",
  "passphrase",
  "password",
  "operator",
  "codebase",
  "portfolio",
  "tower",
  "admin",
];

/** A shorter name would also be found inside unrelated words. */
const SHORTEST_NAME = 4;

/** The sentence for each refusal. */
const PASSWORD_FAULTS: Readonly<Record<PasswordFault, string>> = {
  malformed: "The password holds a character that cannot be stored.",
  "too-short": `The password needs at least ${MIN_PASSWORD} characters.`,
  "too-long": `The password may have at most ${MAX_PASSWORD} characters.`,
  common: "This password, or the word it is made of, is on the list of common passwords.",
  repeated: "The password repeats a short part; what is repeated counts once.",
  "product-words": "Without your name and words such as tower or password, this is too short.",
};

/** Checks a password against the rules; `isCommon` looks a lower-case text up in the list of common passwords. */
export function judgePassword(
  password: string,
  name: string,
  isCommon: (text: string) => boolean,
): PasswordFault | undefined {
  if (!password.isWellFormed() || password.includes("\0")) return "malformed";
  const length = codePoints(password);
  if (length < MIN_PASSWORD) return "too-short";
  if (length > MAX_PASSWORD) return "too-long";
  const lower = password.toLowerCase();
  if (isCommon(lower) || isDecorated(lower, isCommon)) return "common";
  if (codePoints(repeatedPart(password)) < MIN_PASSWORD) return "repeated";
  if (codePoints(withoutKnownWords(lower, name.toLowerCase())) < MIN_PASSWORD) return "product-words";
  return undefined;
}

/** Whether at least half of it is a common password, with digits and signs around: `Dragon2026!!` is the word dragon. */
function isDecorated(lower: string, isCommon: (text: string) => boolean): boolean {
  const word = lower.replace(/^[^\p{L}]+|[^\p{L}]+$/gu, "");
  return word.length >= SHORTEST_NAME && word.length * 2 >= lower.length && isCommon(word);
}

/** The shortest part that gives the whole when repeated; the whole when none does. */
function repeatedPart(text: string): string {
  return text.slice(0, `${text}${text}`.indexOf(text, 1));
}

function withoutKnownWords(lower: string, name: string): string {
  const words = name.length >= SHORTEST_NAME ? [name, ...PRODUCT_WORDS] : PRODUCT_WORDS;
  return words.reduce((rest, word) => rest.replaceAll(word, ""), lower);
}

/** The sentence that says why a new password is refused, or undefined. */
export async function passwordFault(password: string, name: string): Promise<string | undefined> {
  const fault = judgePassword(password, name, await commonPasswords());
  return fault === undefined ? undefined : PASSWORD_FAULTS[fault];
}

/** What one hash costs: 64 MiB and 3 passes over them, about 120 ms on a small machine, well above OWASP's floor of 19 MiB and 2 passes. */
export const HASH_COST = { memoryKib: 64 * 1024, passes: 3 };
type HashCost = Readonly<typeof HASH_COST>;

/** Hashes at once: two hold the memory to 128 MiB and leave the machine to the reports. */
const AT_ONCE = 2;

/** Hashes and checks passwords with argon2id, off the event loop, a few at a time. */
export class PasswordHasher {
  readonly #cost: HashCost;
  readonly #slots = new Semaphore(AT_ONCE);
  #unknown: Promise<string> | undefined;

  constructor(cost: HashCost = HASH_COST) {
    this.#cost = cost;
  }

  /** The hash of a password, with its salt and cost, as text. */
  hash(password: string): Promise<string> {
    const { memoryKib, passes } = this.#cost;
    return this.#slots.run(() =>
      Bun.password.hash(password, { algorithm: "argon2id", memoryCost: memoryKib, timeCost: passes }),
    );
  }

  /** Whether the password is the one. Without a hash it takes the same time and is false, so an unknown name does not show. */
  async verify(password: string, hash: string | null): Promise<boolean> {
    const against = hash ?? (await this.#unknownHash());
    // Bun throws on an empty password instead of refusing it.
    const typed = password === "" ? "\0" : password;
    const matches = await this.#slots.run(() => Bun.password.verify(typed, against));
    return matches && hash !== null;
  }

  #unknownHash(): Promise<string> {
    this.#unknown ??= this.hash("nobody has this password");
    return this.#unknown;
  }
}

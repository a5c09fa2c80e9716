/**
 * What a password must be: long enough and not one that everybody would try. No composition rules, nothing trimmed, judged as
 * typed (OWASP ASVS 5.0, 6.2.1 to 6.2.11).
 */
import { codePoints } from "../lib/contract.ts";

/** Bounds in code points. */
const MIN_PASSWORD = 12;
const MAX_PASSWORD = 256;

/** Why a password is refused. */
export type PasswordFault = "malformed" | "too-short" | "too-long" | "common" | "repeated" | "product-words";

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
export const PASSWORD_FAULTS: Readonly<Record<PasswordFault, string>> = {
  malformed: "The password holds a character that cannot be stored.",
  "too-short": `The password needs at least ${MIN_PASSWORD} characters.`,
  "too-long": `The password may have at most ${MAX_PASSWORD} characters.`,
  common: "This password, or the word it is made of, is on the list of common passwords.",
  repeated: "The password repeats a short part; what is repeated counts once.",
  "product-words": "Without your name and words such as tower or password, this is too short.",
};

/** Judges a password against the rules; `isCommon` looks a lower-case text up in the list of common passwords. */
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

/**
 * The text form of tokens that the Tower issues: `smt_<key id>_<secret>_<checksum>` for sites, `smc_…` for operators, `smw_…` for
 * links to the Wall. The prefix lets secret scanners find a leaked one; the checksum refuses a mistyped one without a look-up. The key id is
 * public and names the token in lists; the secret is 32 random bytes, so one SHA-256 is enough to store it.
 */

const PREFIXES = ["smt", "smc", "smw"] as const;
/** Who a token speaks for: a site (`smt`) or an operator (`smc`); or that it opens the Wall (`smw`). */
export type TokenPrefix = (typeof PREFIXES)[number];

/** Random bytes that make a token: 5 for the key id, 32 for the secret. */
const KEY_ID_BYTES = 5;
const SECRET_BYTES = 32;

const BASE32 = "abcdefghijklmnopqrstuvwxyz234567";
const BASE62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
/** 62^43 is just above 2^256, and 62^6 above 2^32. */
const SECRET_LENGTH = 43;
const CHECKSUM_LENGTH = 6;
const SHAPE = /^(sm[tcw])_([a-z2-7]{8})_([0-9A-Za-z]{43})_([0-9A-Za-z]{6})$/;

/** A new token: its text, to be shown once, and its public key id. */
export interface TokenText {
  readonly text: string;
  readonly keyId: string;
}

/** Writes a token from random bytes. Throws a RangeError when the bytes are too few. */
export function makeTokenText(prefix: TokenPrefix, random: (length: number) => Uint8Array): TokenText {
  const keyId = base32(sized(random(KEY_ID_BYTES), KEY_ID_BYTES));
  const secret = base62(numberOf(sized(random(SECRET_BYTES), SECRET_BYTES)), SECRET_LENGTH);
  const body = `${prefix}_${keyId}_${secret}`;
  return { text: `${body}_${checksum(body)}`, keyId };
}

/** Reads a token's prefix and key id; `undefined` when the text has another form or its checksum is wrong. */
export function parseTokenText(
  text: string,
): { readonly prefix: TokenPrefix; readonly keyId: string } | undefined {
  const match = SHAPE.exec(text);
  if (match === null) return undefined;
  const [, spelled, keyId, , sum] = match;
  const prefix = PREFIXES.find((known) => known === spelled);
  if (prefix === undefined || keyId === undefined) return undefined;
  return checksum(text.slice(0, -CHECKSUM_LENGTH - 1)) === sum ? { prefix, keyId } : undefined;
}

/** CRC-32 in base 62. Plain numbers: this runs at every check of a token. */
function checksum(body: string): string {
  let text = "";
  for (let rest = Bun.hash.crc32(body); text.length < CHECKSUM_LENGTH; rest = Math.floor(rest / 62)) {
    text = BASE62.charAt(rest % 62) + text;
  }
  return text;
}

function sized(bytes: Uint8Array, length: number): Uint8Array {
  if (bytes.length !== length) throw new RangeError(`${length} random bytes are needed, not ${bytes.length}`);
  return bytes;
}

function numberOf(bytes: Uint8Array): bigint {
  return BigInt(`0x${Buffer.from(bytes).toString("hex")}`);
}

function base32(bytes: Uint8Array): string {
  return digits(numberOf(bytes), BASE32, (bytes.length * 8) / 5);
}

function base62(value: bigint, length: number): string {
  return digits(value, BASE62, length);
}

function digits(value: bigint, alphabet: string, length: number): string {
  const base = BigInt(alphabet.length);
  let text = "";
  for (let rest = value; text.length < length; rest /= base)
    text = alphabet.charAt(Number(rest % base)) + text;
  return text;
}

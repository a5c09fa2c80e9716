/**
 * Tokens that programs and screens show: those of sites, of operators, and links to the Wall. What happens to a token is the same for all
 * of them and stands here: it is issued, which shows its text once and keeps its digest; it is used, which is noted at once and written
 * down later; it is revoked, from the next request on. Whom it speaks for is its kind's.
 */

import { integer, text } from "drizzle-orm/sqlite-core";
import type { Ids } from "../base/base.ts";
import { equalDigests, sha256Hex } from "../base/keys.ts";
import { statement, type Tx } from "../store/store.ts";
import type { Writer } from "../store/writer.ts";
import type { By } from "./access.ts";
import { appendAudit, auditAct } from "./audit.ts";

/**
 * The text form of tokens that the Tower issues: `smt_<key id>_<secret>_<checksum>` for sites, `smc_…` for operators, `smw_…` for
 * links to the Wall. The prefix lets secret scanners find a leaked one; the checksum refuses a mistyped one without a look-up. The key id is
 * public and names the token in lists; the secret is 32 random bytes, so one SHA-256 is enough to store it.
 */
const PREFIXES = ["smt", "smc", "smw"] as const;
/** Who a token speaks for: a site (`smt`) or an operator (`smc`); or that it opens the Wall (`smw`). */
type TokenPrefix = (typeof PREFIXES)[number];

/** Random bytes that make a token: 5 for the key id, 32 for the secret. */
const KEY_ID_BYTES = 5;
const SECRET_BYTES = 32;

const BASE32 = "abcdefghijklmnopqrstuvwxyz234567";
const BASE62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
/** 32^8 is 2^40; 62^43 is just above 2^256, and 62^6 above 2^32. */
const KEY_ID_LENGTH = 8;
const SECRET_LENGTH = 43;
const CHECKSUM_LENGTH = 6;
const SHAPE = /^(sm[tcw])_([a-z2-7]{8})_([0-9A-Za-z]{43})_([0-9A-Za-z]{6})$/;

/** Writes a token from random bytes: its text, to be shown once, and its public key id. */
export function makeTokenText(prefix: TokenPrefix, random: (length: number) => Uint8Array) {
  const keyId = digits(random(KEY_ID_BYTES), BASE32, KEY_ID_LENGTH);
  const secret = digits(random(SECRET_BYTES), BASE62, SECRET_LENGTH);
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

/** Bytes as one number in the digits of an alphabet. */
function digits(bytes: Uint8Array, alphabet: string, length: number): string {
  const base = BigInt(alphabet.length);
  let text = "";
  for (let rest = BigInt(`0x${Buffer.from(bytes).toString("hex")}`); text.length < length; rest /= base)
    text = alphabet.charAt(Number(rest % base)) + text;
  return text;
}

type Table = "site_token" | "api_token" | "wall_link";

/** What the rows of all kinds have beside whose they are: who issued a token, who revoked it, and its last use. */
export const issuedColumns = {
  created_at: integer("created_at").notNull(),
  created_by: text("created_by").notNull(),
  revoked_at: integer("revoked_at"),
  revoked_by: text("revoked_by"),
  last_used_at: integer("last_used_at"),
};

/** Marks a token as revoked, unless it is unknown or was revoked before. `target` is what the audit names. */
const revocation = (table: Table, target: string) =>
  statement<{ digest: string; target: string }, [at: number, by: string, id: string]>(
    `UPDATE ${table} SET revoked_at = ?, revoked_by = ? WHERE id = ? AND revoked_at IS NULL
     RETURNING digest, ${target} AS target`,
  );

const use = (table: Table) =>
  statement<never, [at: number, digest: string]>(`UPDATE ${table} SET last_used_at = ? WHERE digest = ?`);

/** How each kind begins its text, what the audit calls its acts, and how its table is written. */
const KINDS = {
  site: {
    prefix: "smt",
    acts: { issue: "token.issue", revoke: "token.revoke" },
    revocation: revocation("site_token", "asset"),
    use: use("site_token"),
  },
  operator: {
    prefix: "smc",
    acts: { issue: "api-token.issue", revoke: "api-token.revoke" },
    revocation: revocation("api_token", "id"),
    use: use("api_token"),
  },
  wall: {
    prefix: "smw",
    acts: { issue: "wall-link.make", revoke: "wall-link.revoke" },
    revocation: revocation("wall_link", "name"),
    use: use("wall_link"),
  },
} as const;

type TokenKind = keyof typeof KINDS;

const NOBODY = "0".repeat(64);

/** A use of a token: noted at once, written down later. */
export interface TokenUse<Known> {
  readonly token: Known;
  readonly at: number;
}

/**
 * Every token of one kind in force, by digest. A check costs one SHA-256 and a look-up; a revocation takes effect with the next
 * request.
 */
export class TokenBook<Known extends { readonly digest: string }> {
  readonly kind: TokenKind;
  readonly #issued = new Map<string, Known>();
  #named = new Map<string, Known>();
  #uses = new Map<string, TokenUse<Known>>();

  constructor(kind: TokenKind, issued: Iterable<Known> = []) {
    this.kind = kind;
    for (const token of issued) this.add(token);
  }

  /** Adds an issued token. */
  add(token: Known): void {
    this.#issued.set(token.digest, token);
  }

  /** Forgets an issued token. */
  remove(digest: string): void {
    this.#issued.delete(digest);
  }

  /** Replaces the tokens that a setting names; they go before those issued. */
  protected replaceNamed(tokens: readonly Known[]): void {
    this.#named = new Map(tokens.map((token) => [token.digest, token]));
  }

  /** The tokens that a setting names. */
  named(): Known[] {
    return [...this.#named.values()];
  }

  /** Whose token this is, or undefined. Except for sites, whose setting may name any text, a mistyped one is not looked up. */
  find(text: string): Known | undefined {
    if (this.kind !== "site" && parseTokenText(text)?.prefix !== KINDS[this.kind].prefix) return undefined;
    const digest = sha256Hex(text);
    const known = this.#named.get(digest) ?? this.#issued.get(digest);
    return equalDigests(known?.digest ?? NOBODY, digest) ? known : undefined;
  }

  /** Notes that a token was used; of several uses the latest counts. */
  noteUse(token: Known, at: number): void {
    const noted = this.#uses.get(token.digest);
    if (noted === undefined || noted.at < at) this.#uses.set(token.digest, { token, at });
  }

  /** When a token was last used: what is noted and not written down yet, else what was written down; null for never. */
  lastUse({ digest }: { readonly digest: string }, written: number | null): number | null {
    return this.#uses.get(digest)?.at ?? written;
  }

  /** Takes the uses noted since the last call. */
  takeUses(): TokenUse<Known>[] {
    const uses = [...this.#uses.values()];
    this.#uses = new Map();
    return uses;
  }

  /** Writes a use down. */
  recordUse(tx: Tx, { token: { digest }, at }: TokenUse<Known>): void {
    KINDS[this.kind].use(tx).run(at, digest);
  }
}

/** A token that was just made, as its row is stored. Its text is not kept. */
interface MadeToken {
  /** Its key id, which stands in the text. */
  readonly id: string;
  readonly digest: string;
  readonly created_at: number;
  readonly created_by: string;
}

/** Issues a token: recorded first, then known to the book. Its text is answered, to be shown once. */
export async function issueToken<Known extends { readonly digest: string }>(
  deps: { readonly writer: Writer; readonly ids: Ids },
  book: TokenBook<Known>,
  by: By,
  of: {
    /** Whose it is, as the audit names it. */
    readonly target: string;
    /** What the audit says of it beside its id. */
    readonly detail?: { readonly scopes: string[] };
    /** Stores its row; says whether the one it speaks for was not there and was added. */
    readonly store: (tx: Tx, made: MadeToken) => boolean;
    readonly known: (made: Pick<MadeToken, "id" | "digest">) => Known;
  },
): Promise<{ readonly id: string; readonly token: string; readonly added: boolean }> {
  const { prefix, acts } = KINDS[book.kind];
  const { text, keyId: id } = makeTokenText(prefix, deps.ids.bytes);
  const digest = sha256Hex(text);
  const { now: at, actor } = by;
  const added = await deps.writer.write((tx) => {
    const isAdded = of.store(tx, { id, digest, created_at: at, created_by: actor });
    auditAct(tx, { actor, now: at }, acts.issue, of.target, { id, ...of.detail });
    return isAdded;
  });
  book.add(of.known({ id, digest }));
  return { id, token: text, added };
}

/** Revokes a token; it is refused from the next request on. Undefined where no such token is in force, else its digest and whose it was. */
export async function revokeToken(
  writer: Writer,
  book: TokenBook<{ readonly digest: string }>,
  id: string,
  { now: at, actor }: By,
): Promise<{ readonly digest: string; readonly target: string } | undefined> {
  const { acts, revocation: revoke } = KINDS[book.kind];
  const revoked = await writer.write((tx) => {
    const [found] = revoke(tx).all(at, actor, id);
    if (found === undefined) return null;
    const { target } = found;
    appendAudit(tx, { at, actor, act: acts.revoke, target, ...(target !== id && { detail: { id } }) });
    return found;
  });
  if (revoked !== null) book.remove(revoked.digest);
  return revoked ?? undefined;
}

/** Writes down when tokens were last used since the last call; what cannot be written down waits for the next one. */
export async function flushUses<Known extends { readonly digest: string }>(
  writer: Writer,
  book: TokenBook<Known>,
): Promise<void> {
  const uses = book.takeUses();
  try {
    await writer.writeEach(uses.map((noted) => (tx) => book.recordUse(tx, noted)));
  } catch (error) {
    for (const { token, at } of uses) book.noteUse(token, at);
    throw error;
  }
}

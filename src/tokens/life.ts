/** The life of a token: it is issued, which shows its text once; it is used; it is revoked. What is written down is its kind's. */
import type { Tx, Writer } from "../db/mod.ts";
import { sha256Hex } from "../lib/digest.ts";
import { makeTokenText, type TokenPrefix } from "../lib/token_text.ts";
import type { Ids } from "../platform/ids.ts";
import type { TokenBook, TokenUse } from "./book.ts";

/** A token that was just made. Its text is not kept. */
export interface MadeToken {
  /** Its key id, which stands in the text. */
  readonly id: string;
  readonly digest: string;
}

/** Issues a token: recorded first, then known to the book. Its text is answered, to be shown once. */
export async function issueToken<Known extends { readonly digest: string }>(
  deps: { readonly writer: Writer; readonly ids: Ids },
  book: TokenBook<Known>,
  kind: {
    readonly prefix: TokenPrefix;
    /** Says whether the one it speaks for was not there and was added. */
    readonly record: (tx: Tx, made: MadeToken) => boolean;
    readonly known: (made: MadeToken) => Known;
  },
): Promise<{ readonly id: string; readonly token: string; readonly added: boolean }> {
  const { text, keyId } = makeTokenText(kind.prefix, deps.ids.bytes);
  const made = { id: keyId, digest: sha256Hex(text) };
  const added = await deps.writer.write((tx) => kind.record(tx, made));
  book.add(kind.known(made));
  return { id: keyId, token: text, added };
}

/**
 * Revokes a token; it is refused from the next request on. `record` answers its digest, or undefined where no such token is in force:
 * then nothing is revoked, and false is answered.
 */
export async function revokeToken(
  writer: Writer,
  book: TokenBook<{ readonly digest: string }>,
  record: (tx: Tx) => string | undefined,
): Promise<boolean> {
  const digest = await writer.write((tx) => record(tx) ?? null);
  if (digest === null) return false;
  book.remove(digest);
  return true;
}

/** Writes down when tokens were last used since the last call; what cannot be written down waits for the next one. */
export async function flushUses<Known extends { readonly digest: string }>(
  writer: Writer,
  book: TokenBook<Known>,
  record: (tx: Tx, use: TokenUse<Known>) => void,
): Promise<void> {
  const uses = book.takeUses();
  if (uses.length === 0) return;
  try {
    await writer.write((tx) => {
      for (const use of uses) record(tx, use);
    });
  } catch (error) {
    for (const { token, at } of uses) book.noteUse(token, at);
    throw error;
  }
}

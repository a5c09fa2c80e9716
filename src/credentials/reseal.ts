import type { Tx } from "../db/mod.ts";
import { readRow } from "./credentials.ts";
import { accountCode, type SealDeps, sealed } from "./edit.ts";
import { resealTexts } from "./sealed_texts.ts";
import { findOfAccount, listRows, updateRow } from "./store.ts";

/** What sealing anew came to, in credentials and other sealed texts. */
export interface Resealed {
  readonly resealed: number;
  /** Those that no key which is here opens; they stay as they are. */
  readonly unreadable: readonly string[];
}

/** Seals with the key in force whatever is sealed with one before it. No edit: neither the secret nor what is said of it changes. */
export function resealAll(tx: Tx, deps: SealDeps): Resealed {
  let resealed = 0;
  const unreadable: string[] = [];
  for (const row of listRows(tx)) {
    const secret = readRow(deps.keys, row);
    if (secret === undefined) unreadable.push(row.id);
    if (secret === undefined || row.key_id === deps.keys.id) continue;
    const code = accountCode(deps.keys, secret);
    // While its key was away the same account may have been stored anew: that one keeps the code.
    const owner = findOfAccount(tx, row.kind, code);
    const account = owner === undefined || owner.id === row.id ? code : row.account;
    updateRow(tx, sealed(deps, { ...row, account }, secret));
    resealed++;
  }
  const texts = resealTexts(tx, deps);
  return { resealed: resealed + texts.resealed, unreadable: [...unreadable, ...texts.unreadable] };
}

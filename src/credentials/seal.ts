/**
 * A sealed credential belongs to its row: to the row's id, the edit revision and the key that it was sealed with. What is put into
 * another row, or is of an earlier edit, opens no more.
 */
import type { SealingKey } from "../platform/sealing.ts";
import type { Secret } from "../provider/secret.ts";
import { secretOf, textOf } from "./secret.ts";

/** Which row a secret is sealed for. */
export interface SealedFor {
  readonly id: string;
  readonly edit_revision: number;
}

/** Seals a secret for its row; `nonce` is fresh and random. */
export function sealSecret(key: SealingKey, row: SealedFor, secret: Secret, nonce: Uint8Array): string {
  return key.seal(textOf(secret), boundTo(row, key.id), nonce);
}

/** The secret of a row; undefined where its seal does not hold. */
export function openSecret(
  key: SealingKey,
  row: SealedFor & { readonly sealed: string },
): Secret | undefined {
  const text = key.open(row.sealed, boundTo(row, key.id));
  return text === undefined ? undefined : secretOf(text);
}

function boundTo({ id, edit_revision }: SealedFor, keyId: string): string {
  return `credential|${id}|${edit_revision}|${keyId}`;
}

import { appendAudit } from "../audit/mod.ts";
import type { Tx, Writer } from "../db/mod.ts";
import type { AccountProvider } from "../provider/contract.ts";
import type { Secret } from "../provider/secret.ts";
import type { Credential } from "./contract.ts";
import { readRow } from "./credentials.ts";
import { accountCode, edited, type SealDeps, sealed, withProvider } from "./edit.ts";
import { textOf } from "./seal.ts";
import { credentialOf, findOfAccount, insertRow, listRows, updateRow } from "./store.ts";

/** Who does it, and when (milliseconds since the epoch). */
export interface By {
  readonly actor: string;
  readonly now: number;
}

/** What storing a credential takes. */
export interface StoreDeps extends SealDeps {
  readonly writer: Writer;
}

/** What is to be stored. */
export interface Asked {
  readonly provider: AccountProvider;
  readonly secret: Secret;
  readonly label: string | undefined;
}

/** What became of it: `same` where all of it was stored already. */
export type Added =
  | { readonly ok: true; readonly did: "added" | "changed" | "same"; readonly credential: Credential }
  /** The account is stored with another key, or cannot be read: only a replacement says that this one is meant. */
  | { readonly ok: false; readonly why: "other_key" | "unreadable"; readonly id: string };

const LABELS = {
  "google-service-account": "Google service account",
  "webmaster-tools-key": "Webmaster tools key",
  "serp-login": "DataForSEO account",
} as const;

/** Stores an account for a provider. An account is stored once: for a second provider it is tagged with that, too. */
export function addCredential(deps: StoreDeps, asked: Asked, by: By): Promise<Added> {
  return deps.writer.write((tx) => addNow(tx, deps, asked, by));
}

function addNow(tx: Tx, deps: SealDeps, { provider, secret, label }: Asked, { actor, now }: By): Added {
  const account = accountCode(deps.keys, secret);
  const known = findOfAccount(tx, secret.kind, account);
  if (known === undefined) {
    const row = sealed(
      deps,
      {
        id: deps.ids.uuid(),
        kind: secret.kind,
        providers: withProvider([], provider),
        label: label ?? freeLabel(tx, LABELS[secret.kind]),
        account,
        edit_revision: 1,
        connection_revision: deps.ids.uuid(),
        added_at: now,
        connected_at: now,
      },
      secret,
    );
    insertRow(tx, row);
    appendAudit(tx, {
      at: now,
      actor,
      act: "credential.add",
      target: `credential:${row.id}`,
      detail: {
        kind: row.kind,
        providers: [provider],
        label: row.label,
        edit_revision: row.edit_revision,
        connection_revision: row.connection_revision,
      },
    });
    return { ok: true, did: "added", credential: credentialOf(row) };
  }
  const stored = readRow(deps.keys, known);
  if (stored === undefined) return { ok: false, why: "unreadable", id: known.id };
  if (textOf(stored) !== textOf(secret)) return { ok: false, why: "other_key", id: known.id };
  const before = credentialOf(known);
  const providers = withProvider(before.providers, provider);
  if (providers === known.providers && (label ?? known.label) === known.label) {
    return { ok: true, did: "same", credential: before };
  }
  const row = edited(deps, known, secret, { providers, label: label ?? known.label });
  updateRow(tx, row);
  const after = credentialOf(row);
  appendAudit(tx, {
    at: now,
    actor,
    act: "credential.change",
    target: `credential:${row.id}`,
    detail: { providers: after.providers, label: row.label, edit_revision: row.edit_revision },
  });
  return { ok: true, did: "changed", credential: after };
}

/** A label that no other credential has: the second one is numbered. */
function freeLabel(tx: Tx, label: string): string {
  const taken = new Set(listRows(tx).map((row) => row.label));
  for (let count = 1; ; count++) {
    const free = count === 1 ? label : `${label} ${count}`;
    if (!taken.has(free)) return free;
  }
}

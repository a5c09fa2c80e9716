import { appendAudit } from "../audit/mod.ts";
import type { Tx } from "../db/mod.ts";
import type { Asked, By, StoreDeps } from "./add.ts";
import { moveDetachments } from "./attachment_store.ts";
import type { Credential, CredentialKind } from "./contract.ts";
import { readRow } from "./credentials.ts";
import { accountCode, type SealDeps, sealed, withProvider } from "./edit.ts";
import { deleteProperties } from "./property_store.ts";
import { noteMended } from "./readable.ts";
import { accountOf } from "./seal.ts";
import { credentialOf, findOfAccount, findRow, updateRow } from "./store.ts";

/** What became of a replacement. */
export type Replaced =
  | {
      readonly ok: true;
      readonly credential: Credential;
      /** Whether the new secret is of the account it was; undefined where nothing can tell. */
      readonly isSameAccount: boolean | undefined;
    }
  | { readonly ok: false; readonly why: "missing" }
  | { readonly ok: false; readonly why: "other_kind"; readonly kind: CredentialKind }
  /** The account of the new secret is stored as another credential. */
  | { readonly ok: false; readonly why: "taken"; readonly id: string };

/** Puts another secret in a credential's place: a new connection, which nothing that began under the one before speaks for. */
export function replaceCredential(deps: StoreDeps, id: string, asked: Asked, by: By): Promise<Replaced> {
  return deps.writer.write((tx) => replaceNow(tx, deps, id, asked, by));
}

function replaceNow(
  tx: Tx,
  deps: SealDeps,
  id: string,
  { provider, secret, label }: Asked,
  { actor, now }: By,
): Replaced {
  const known = findRow(tx, id);
  if (known === undefined) return { ok: false, why: "missing" };
  if (known.kind !== secret.kind) return { ok: false, why: "other_kind", kind: known.kind };
  const account = accountCode(deps.keys, secret);
  const owner = findOfAccount(tx, secret.kind, account);
  if (owner !== undefined && owner.id !== id) return { ok: false, why: "taken", id: owner.id };
  const before = readRow(deps.keys, known);
  const row = sealed(
    deps,
    {
      ...known,
      providers: withProvider(credentialOf(known).providers, provider),
      label: label ?? known.label,
      account,
      edit_revision: known.edit_revision + 1,
      connection_revision: deps.ids.uuid(),
      connected_at: now,
    },
    secret,
  );
  updateRow(tx, row);
  moveDetachments(tx, known.connection_revision, row.connection_revision);
  noteMended(tx, id, now);
  const isSameAccount = sameAccount(before && accountOf(before), secret);
  // What another account gave access to says nothing of this one.
  if (isSameAccount !== true) deleteProperties(tx, { credential: id });
  const credential = credentialOf(row);
  appendAudit(tx, {
    at: now,
    actor,
    act: "credential.replace",
    target: `credential:${id}`,
    detail: {
      providers: credential.providers,
      label: row.label,
      edit_revision: row.edit_revision,
      connection_revision: row.connection_revision,
      connection_before: known.connection_revision,
      same_account: isSameAccount ?? null,
    },
  });
  return { ok: true, credential, isSameAccount };
}

/** Two keys of webmaster tools may be of one user: nothing in them tells. */
function sameAccount(before: string | undefined, secret: Asked["secret"]): boolean | undefined {
  if (before === undefined) return undefined;
  if (before === accountOf(secret)) return true;
  return secret.kind === "webmaster-tools-key" ? undefined : false;
}

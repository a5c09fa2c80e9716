import type { Attachment, Credential, SeenProperty } from "../../credentials/contract.ts";
import type { Credentials } from "../../credentials/mod.ts";
import type { Store } from "../../db/mod.ts";
import type { Config } from "../../platform/config.ts";
import type { CredentialRow } from "./list_page.tsx";
import { accountStanding } from "./standing.ts";

interface RowDeps {
  readonly store: Store;
  readonly credentials: Credentials;
  readonly config: Pick<Config, "workspace">;
}

/** Every stored credential with what is known of it. */
export function credentialRows(
  deps: RowDeps,
  of: { readonly attachments: readonly Attachment[]; readonly properties: readonly SeenProperty[] },
): CredentialRow[] {
  const attachments = Map.groupBy(of.attachments, ({ credential }) => credential);
  const properties = Map.groupBy(of.properties, ({ credential }) => credential);
  return deps.credentials.list().map((credential) =>
    credentialRow(deps, credential, {
      attachments: attachments.get(credential.id) ?? [],
      properties: properties.get(credential.id) ?? [],
    }),
  );
}

/** One of them, with what is attached over it and what it listed. */
export function credentialRow(
  { store, credentials, config }: RowDeps,
  credential: Credential,
  of: { readonly attachments: readonly Attachment[]; readonly properties: readonly SeenProperty[] },
): CredentialRow {
  return {
    credential,
    standings: credential.providers.map((provider) => ({
      provider,
      standing: accountStanding(store.db, { ...credential, workspace: config.workspace }, provider),
    })),
    properties: { listed: of.properties.length, usable: of.properties.filter(({ usable }) => usable).length },
    sites: new Set(of.attachments.map(({ asset }) => asset)).size,
    isReadable: credentials.canOpen(credential.id),
  };
}

import { listAttachments } from "../credentials/mod.ts";
import { type Command, command } from "./contract.ts";
import { instantOf, JSON_OPTION, listing, minuteOf } from "./listing.ts";

/** `credential list`. */
export const credentialList: Command = command({
  name: "credential list",
  summary: "list the stored accounts of providers",
  takes: [],
  about: [
    "Lists the stored accounts, with how many sites use each. Nothing of a secret is shown, nor the account's address. Whether one works, only tower credential test tells.",
  ],
  options: { json: JSON_OPTION },
  run: ({ store: { db }, credentials }, { options: { json = false } }) => {
    const attached = Map.groupBy(listAttachments(db), ({ credential }) => credential);
    const sitesOf = (id: string) => new Set(attached.get(id)?.map(({ asset }) => asset)).size;
    return listing(credentials.list(), {
      json,
      none: "no credential yet: tower credential add <provider> --file <path>",
      columns: [
        { head: "ID", cell: ({ id }) => id },
        { head: "LABEL", cell: ({ label }) => label },
        { head: "PROVIDERS", cell: ({ providers }) => providers.join(", ") },
        { head: "SITES", cell: ({ id }) => String(sitesOf(id)) },
        { head: "READABLE", cell: ({ id }) => (credentials.canOpen(id) ? "yes" : "NO") },
        { head: "CONNECTED", cell: ({ connectedAt }) => minuteOf(connectedAt) },
      ],
      asJson: ({ id, kind, label, providers, editRevision, connectionRevision, addedAt, connectedAt }) => ({
        id,
        kind,
        label,
        providers,
        edit_revision: editRevision,
        connection_revision: connectionRevision,
        readable: credentials.canOpen(id),
        sites: sitesOf(id),
        added_at: instantOf(addedAt),
        connected_at: instantOf(connectedAt),
      }),
    });
  },
});

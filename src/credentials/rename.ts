import { appendAudit } from "../audit/mod.ts";
import type { By, StoreDeps } from "./add.ts";
import { readRow } from "./credentials.ts";
import { edited } from "./edit.ts";
import { findRow, updateRow } from "./store.ts";

/** What became of another label; `unreadable` where the secret cannot be sealed anew for it. */
export type Renamed = "renamed" | "same" | "missing" | "unreadable";

/** Calls a credential something else: an edit of its own, and the same connection. */
export function renameCredential(
  deps: StoreDeps,
  id: string,
  label: string,
  { actor, now }: By,
): Promise<Renamed> {
  return deps.writer.write((tx): Renamed => {
    const known = findRow(tx, id);
    if (known === undefined) return "missing";
    if (known.label === label) return "same";
    const secret = deps.keys.isStandIn ? undefined : readRow(deps.keys, known);
    if (secret === undefined) return "unreadable";
    const row = edited(deps, known, secret, { label });
    updateRow(tx, row);
    appendAudit(tx, {
      at: now,
      actor,
      act: "credential.change",
      target: `credential:${id}`,
      detail: { label, edit_revision: row.edit_revision },
    });
    return "renamed";
  });
}

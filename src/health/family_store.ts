/** Report families of an archive capability whose latest attempt failed. */
import { type Db, statement } from "../db/mod.ts";
import type { Scope } from "./contract.ts";
import { type Family, familyKey, familyOf } from "./family.ts";

const failing = statement<
  { family: string },
  [string, string, string, string, string, string, string, string]
>(
  `SELECT t.family FROM health_target t JOIN health_state s ON s.target = t.id
   WHERE t.workspace = ? AND t.provider = ? AND t.connection_revision = ? AND t.capability = ? AND t.asset = ? AND t.target = ?
     AND t.family > ? AND t.family < ? AND s.category IS NOT NULL ORDER BY t.family`,
);

/** The dates before one for which a report of a scope fails, oldest first; the scope's own family is not looked at. */
export function listFailingBefore(
  db: Db,
  scope: Omit<Scope, "family">,
  { report, date }: Pick<Family, "report" | "date">,
): Family[] {
  const { workspace, provider, connectionRevision, capability, asset, target } = scope;
  // Keys of a report begin alike and are in the order of their dates.
  const before = familyKey({ report, date, query: "", device: "" });
  const first = `[${JSON.stringify(report)},`;
  return failing(db)
    .all(workspace, provider, connectionRevision, capability, asset, target, first, before)
    .flatMap(({ family }) => familyOf(family) ?? []);
}

import { listTokens } from "../assets/mod.ts";
import type { Db } from "../db/mod.ts";
import { listApiTokens, listOperators } from "../operators/mod.ts";

/** Whom a restored database lets in; for people. */
export interface Admits {
  readonly operators: readonly string[];
  readonly apiTokens: readonly string[];
  readonly siteTokens: readonly string[];
}

/** Everybody whom what a database says would let in. Who crafts one can add to each of these. */
export function whomItAdmits(db: Db): Admits {
  return {
    operators: listOperators(db).map(({ name, kind, hasPassword }) =>
      kind === "service" ? `${name} (a service)` : `${name} (${hasPassword ? "password" : "no password"})`,
    ),
    apiTokens: listApiTokens(db).map(
      ({ id, operatorName, scopes }) => `${id} of ${operatorName}: ${scopes.join(", ")}`,
    ),
    siteTokens: listTokens(db).map(({ id, asset }) => `${id} of ${asset}`),
  };
}

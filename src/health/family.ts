/** A report family of an archive capability (spec, Integration health records): which report, of which day, for which query and device. */
import { type Db, statement } from "../db/mod.ts";
import { parseUtcDay } from "../lib/utc_day.ts";
import type { Scope } from "./contract.ts";

export interface Family {
  readonly report: string;
  /** `2026-11-18`. */
  readonly date: string;
  /** '' where one outcome is of all queries, or of all devices. */
  readonly query: string;
  readonly device: string;
}

const NAME = /^[a-z0-9][a-z0-9_-]{0,63}$/;

/** The longest query that a key holds, in code units. */
const LONGEST_QUERY = 512;

/** The key of a family: always the same text for the same family. Throws a RangeError that names the part which cannot be one. */
export function familyKey(family: Family): string {
  const fault = faultOf(family);
  if (fault !== undefined) throw new RangeError(`a report family has no such ${fault}`);
  const { report, date, query, device } = family;
  return JSON.stringify([report, date, query, device]);
}

/** The family of a key; undefined for a text that is no key, or is written otherwise than `familyKey` writes it. */
export function familyOf(key: string): Family | undefined {
  let parts: unknown;
  try {
    parts = JSON.parse(key);
  } catch {
    return undefined;
  }
  if (!Array.isArray(parts) || parts.length !== 4 || parts.some((part) => typeof part !== "string")) {
    return undefined;
  }
  const [report, date, query, device] = parts as [string, string, string, string];
  const family = { report, date, query, device };
  return faultOf(family) === undefined && JSON.stringify(parts) === key ? family : undefined;
}

function faultOf({ report, date, query, device }: Family): keyof Family | undefined {
  if (!NAME.test(report)) return "report";
  if (parseUtcDay(date) === undefined) return "date";
  if (query.length > LONGEST_QUERY || !query.isWellFormed()) return "query";
  return device === "" || NAME.test(device) ? undefined : "device";
}

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

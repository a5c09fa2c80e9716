/** A report family of an archive capability (spec, Integration health records): which report, of which day, for which query and device. */
import { parseUtcDay } from "../lib/utc_day.ts";

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

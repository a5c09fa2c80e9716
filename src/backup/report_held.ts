import { reportsOfObject } from "../archive/mod.ts";
import type { Db } from "../db/mod.ts";
import { dayOfNumber } from "../lib/day_number.ts";

/**
 * Says which report an object is, in brackets after its name: the newest that it is of. Nothing where the manifest cannot tell, as
 * where a database is damaged: its name is told all the same.
 */
export function reportHeld(db: Db): (sha256: string) => string {
  return (sha256) => {
    try {
      const [newest] = reportsOfObject(db, sha256, 1);
      if (newest === undefined) return "";
      const { target, date } = newest;
      return ` (${target.asset}, ${target.provider} ${target.family}, ${dayOfNumber(date)})`;
    } catch {
      return "";
    }
  };
}

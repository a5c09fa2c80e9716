/** The ranking as pages show it: with the days of `reports/shown_day.ts`. */

import { newsOf } from "../flags/api.ts";
import type { Entry } from "../integrations/attention.ts";
import { flagsShown } from "../reports/shown_day.ts";
import type { Db } from "../store/store.ts";

/** Each sentence is made as it is shown: few of them are. */
export function entriesShown(db: Db, entries: readonly Entry[], now: number): Entry[] {
  const shown = flagsShown(db);
  return entries.map((entry) => {
    const [worst, ...others] = entry.rows;
    if (worst === undefined) return entry;
    return {
      ...entry,
      get title() {
        return newsOf(shown(worst), now);
      },
      get also() {
        return others.map((flag) => newsOf(shown(flag), now));
      },
    };
  });
}

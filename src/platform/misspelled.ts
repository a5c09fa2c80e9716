/** Variables of the environment that look like a setting that was mistyped: what nothing reads would change nothing, silently. */
import { distance } from "../lib/near.ts";

/** One that nothing reads, and the setting that is meant. */
export interface Misspelled {
  readonly name: string;
  readonly nearest: string;
}

/** What programs put in front of a name to make it theirs. */
const PREFIX = /^(?:TOWER|INGEST)_/;
/** From this length on two slips are still no other word. */
const LONG = 9;

/** The names among `names` that are a slip or two away from a setting. `others` are read elsewhere and are no slips. */
export function misspelled(
  names: readonly string[],
  settings: readonly string[],
  others: readonly string[],
): readonly Misspelled[] {
  const known = new Set([...settings, ...others]);
  return names
    .filter((name) => /^[A-Z0-9_]{4,64}$/.test(name) && !known.has(name))
    .flatMap((name) => {
      const nearest = nearestOf(name, settings);
      return nearest === undefined ? [] : [{ name, nearest }];
    });
}

function nearestOf(name: string, settings: readonly string[]): string | undefined {
  const bare = name.replace(PREFIX, "");
  if (bare !== name && settings.includes(bare)) return bare;
  const same = settings.find((setting) => ofOne(setting) === ofOne(name));
  if (same !== undefined) return same;
  const reach = name.length >= LONG ? 2 : 1;
  const near = settings.flatMap((setting) => {
    const apart = distance(name, setting, reach);
    return apart === undefined ? [] : [{ setting, apart }];
  });
  return near.sort((one, other) => one.apart - other.apart)[0]?.setting;
}

/** A name without what makes it stand for several: a proxy and proxies are one slip, however many letters. */
function ofOne(name: string): string {
  return name.replace(/(?:IES|Y|S)$/, "");
}

/** Variables of the environment that look like a setting that was mistyped: what nothing reads would change nothing, silently. */

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
  const most = name.length >= LONG ? 2 : 1;
  const near = settings
    .map((setting) => ({ setting, slips: slipsBetween(name, setting) }))
    .sort((one, other) => one.slips - other.slips)[0];
  return near !== undefined && near.slips <= most ? near.setting : undefined;
}

/** How many letters were left out, put in, exchanged or turned round between two words. */
function slipsBetween(one: string, other: string): number {
  let before: number[] = [];
  let last = Array.from({ length: other.length + 1 }, (_, j) => j);
  for (let i = 1; i <= one.length; i++) {
    const row = [i];
    for (let j = 1; j <= other.length; j++) {
      const isSame = one[i - 1] === other[j - 1];
      const isTurned = i > 1 && j > 1 && one[i - 1] === other[j - 2] && one[i - 2] === other[j - 1];
      row[j] = Math.min(
        (last[j] ?? 0) + 1,
        (row[j - 1] ?? 0) + 1,
        (last[j - 1] ?? 0) + (isSame ? 0 : 1),
        isTurned ? (before[j - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY,
      );
    }
    [before, last] = [last, row];
  }
  return last[other.length] ?? 0;
}

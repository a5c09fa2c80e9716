/** Known names that lie near a mistyped one: for options of a command line, and for variables of the environment that nothing reads. */

const MOST_NEAR = 3;

const FARTHEST = 2;

/** A name this long may be the beginning of another. */
const SHORTEST_START = 3;

/** At most three of the known names, the nearest first: some letters apart, or where one of the two begins with the other. */
export function nearest(name: string, known: Iterable<string>): string[] {
  const sought = name.toLowerCase();
  const reach = Math.min(FARTHEST, Math.max(1, Math.floor(sought.length / 3)));
  const near: { readonly name: string; readonly apart: number }[] = [];
  for (const other of known) {
    const apart = apartness(sought, other.toLowerCase(), reach);
    if (apart !== undefined) near.push({ name: other, apart });
  }
  return near
    .sort((one, two) => one.apart - two.apart || (one.name < two.name ? -1 : 1))
    .slice(0, MOST_NEAR)
    .map((found) => found.name);
}

/** "did you mean a or b?" after what was not understood; "" where nothing lies near. */
export function didYouMean(names: readonly string[]): string {
  const last = names.at(-1);
  if (last === undefined) return "";
  const before = names.slice(0, -1).join(", ");
  return `; did you mean ${before === "" ? last : `${before} or ${last}`}?`;
}

function apartness(sought: string, other: string, reach: number): number | undefined {
  const edits = distance(sought, other, reach);
  if (edits !== undefined) return edits;
  const shorter = Math.min(sought.length, other.length);
  return shorter >= SHORTEST_START && (other.startsWith(sought) || sought.startsWith(other))
    ? reach + 1
    : undefined;
}

/** Letters to change, add, leave out or swap with their neighbour; undefined beyond `reach`. Only what lies within reach is looked at. */
function distance(one: string, two: string, reach: number): number | undefined {
  if (Math.abs(one.length - two.length) > reach) return undefined;
  let above: number[] = [];
  let row = Array.from({ length: two.length + 1 }, (_, at) => at);
  const far = reach + 1;
  for (let i = 1; i <= one.length; i++) {
    const next = new Array<number>(two.length + 1).fill(far);
    next[0] = i;
    let least = i;
    for (let j = Math.max(1, i - reach); j <= Math.min(two.length, i + reach); j++) {
      const same = one[i - 1] === two[j - 1];
      const swapped = i > 1 && j > 1 && one[i - 1] === two[j - 2] && one[i - 2] === two[j - 1];
      const cost = Math.min(
        (row[j] ?? far) + 1,
        (next[j - 1] ?? far) + 1,
        (row[j - 1] ?? far) + (same ? 0 : 1),
        swapped ? (above[j - 2] ?? far) + 1 : far,
      );
      next[j] = cost;
      least = Math.min(least, cost);
    }
    if (least > reach) return undefined;
    above = row;
    row = next;
  }
  const apart = row[two.length] ?? far;
  return apart <= reach ? apart : undefined;
}

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

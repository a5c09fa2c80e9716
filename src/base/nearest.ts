/** Known names that lie near a mistyped one. */

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

/** Letters to change, add, leave out or swap with their neighbour; undefined beyond `reach`. */
export function distance(one: string, two: string, reach: number): number | undefined {
  if (Math.abs(one.length - two.length) > reach) return undefined;
  let above: number[] = [];
  let row = Array.from({ length: two.length + 1 }, (_, at) => at);
  const at = (cells: readonly number[], place: number) => cells[place] ?? Number.POSITIVE_INFINITY;
  for (let i = 1; i <= one.length; i++) {
    const next = [i];
    for (let j = 1; j <= two.length; j++) {
      const isSwapped = one[i - 1] === two[j - 2] && one[i - 2] === two[j - 1];
      const changed = at(row, j - 1) + Number(one[i - 1] !== two[j - 1]);
      next.push(
        Math.min(at(row, j) + 1, at(next, j - 1) + 1, changed, isSwapped ? at(above, j - 2) + 1 : changed),
      );
    }
    [above, row] = [row, next];
  }
  const apart = at(row, two.length);
  return apart <= reach ? apart : undefined;
}

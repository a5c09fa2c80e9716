/**
 * Paths by their ends: the parts of each stand in a tree from the last to the first, so that finding every path that ends in some
 * parts takes as many steps as there are parts. What was taken below a place is given once.
 */

export interface Place {
  /** The paths whose parts end here. */
  readonly paths: string[];
  /** Everything below was given. */
  taken: boolean;
  /** What is below. Most places have one child: the first stands by itself, since a large tree has half a million places. */
  part: string;
  child: Place | undefined;
  others: Map<string, Place> | undefined;
}

export function addBelow(place: Place, part: string, below: Place): void {
  if (place.child === undefined || place.part === part) {
    place.part = part;
    place.child = below;
  } else {
    place.others ??= new Map();
    place.others.set(part, below);
  }
}

function below(place: Place, part: string): Place | undefined {
  return place.part === part ? place.child : place.others?.get(part);
}

function* allBelow(place: Place): Generator<Place> {
  if (place.child !== undefined) yield place.child;
  if (place.others !== undefined) yield* place.others.values();
}

/** Where a search ended, and how many of the last parts it used. */
export interface Match {
  readonly place: Place;
  readonly depth: number;
}

export class SuffixTree {
  readonly #root: Place = newPlace();

  add(parts: readonly string[], path: string): void {
    let place = this.#root;
    for (let i = parts.length - 1; i >= 0; i--) {
      const part = parts[i] ?? "";
      let next = below(place, part);
      if (next === undefined) {
        next = newPlace();
        addBelow(place, part, next);
      }
      place = next;
    }
    place.paths.push(path);
  }

  /** The longest end of the first `count` parts that any path ends in. */
  find(parts: readonly string[], count = parts.length): Match {
    let place = this.#root;
    let depth = 0;
    while (depth < count) {
      const next = below(place, parts[count - 1 - depth] ?? "");
      if (next === undefined) break;
      place = next;
      depth++;
    }
    return { place, depth };
  }
}

/** Takes every path at a place and below it that was not taken before. */
export function take(place: Place): string[] {
  const found: string[] = [];
  const open = [place];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (next.taken) continue;
    next.taken = true;
    found.push(...next.paths);
    for (const child of allBelow(next)) open.push(child);
  }
  return found;
}

/** At most `limit` of the paths at a place and below it. */
export function pathsAt(place: Place, limit: number): string[] {
  const found = new Set<string>();
  const open = [place];
  for (let next = open.pop(); next !== undefined && found.size < limit; next = open.pop()) {
    for (const path of next.paths) {
      if (found.size >= limit) break;
      found.add(path);
    }
    for (const child of allBelow(next)) {
      if (open.length >= limit) break;
      open.push(child);
    }
  }
  return [...found];
}

export function newPlace(paths: string[] = []): Place {
  return { paths, taken: false, part: "", child: undefined, others: undefined };
}

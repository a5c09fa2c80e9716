/**
 * Paths by their ends: the parts of each stand in a tree from the last to the first, so that finding every path that ends in some
 * parts takes as many steps as there are parts. What was taken below a place is given once.
 */

export interface Place {
  readonly children: Map<string, Place>;
  /** The paths whose parts end here. */
  readonly paths: string[];
  /** Everything below was given. */
  taken: boolean;
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
      let next = place.children.get(part);
      if (next === undefined) {
        next = newPlace();
        place.children.set(part, next);
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
      const next = place.children.get(parts[count - 1 - depth] ?? "");
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
    for (const child of next.children.values()) open.push(child);
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
    for (const child of next.children.values()) {
      if (open.length >= limit) break;
      open.push(child);
    }
  }
  return [...found];
}

export function newPlace(paths: string[] = []): Place {
  return { children: new Map(), paths, taken: false };
}

/** Which files are reached from the roots. Pure; each edge is walked once. */

/** Who names files without importing them. */
export interface Naming {
  /** The files that a file names. They count once the file is reached; each may be given once only, to whoever asks first. */
  readonly namedBy: (path: string) => readonly string[];
  /** The files that a framework imports because a file holds their names: reached with it, and no roots. */
  readonly usedBy?: (path: string) => readonly string[];
  /** Files that a text names which is no module. */
  readonly always: readonly string[];
  /** Files that such a text makes a framework import. */
  readonly used?: readonly string[];
}

const NOBODY: Naming = { namedBy: () => [], always: [] };

/** Everything reached; a file that is named counts as a root from then on, and what it imports is reached as well. */
export function reach(
  roots: Iterable<string>,
  edges: ReadonlyMap<string, readonly string[]>,
  naming: Naming = NOBODY,
): { readonly reached: ReadonlySet<string>; readonly roots: ReadonlySet<string> } {
  const all = new Set<string>(roots);
  for (const path of naming.always) all.add(path);
  const reached = new Set([...all, ...(naming.used ?? [])]);
  const open = [...reached];
  for (let path = open.pop(); path !== undefined; path = open.pop()) {
    for (const next of [...(edges.get(path) ?? []), ...(naming.usedBy?.(path) ?? [])]) {
      if (reached.has(next)) continue;
      reached.add(next);
      open.push(next);
    }
    for (const next of naming.namedBy(path)) {
      all.add(next);
      if (reached.has(next)) continue;
      reached.add(next);
      open.push(next);
    }
  }
  return { reached, roots: all };
}

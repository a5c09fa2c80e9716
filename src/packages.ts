/** The packages that the service needs, as the lock file names them, and which of them are not there. Needs no package itself. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** What says that an install is under way, or was cut off: a package may then be there in part. */
export const installingMark = (root: string): string => join(root, "node_modules", ".installing");

/** What a package of the lock file asks for. */
interface Asks {
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly optionalPeers?: readonly string[];
}

interface Lock {
  readonly workspaces: { readonly "": Asks };
  /** By where it lies: `a`, or `a/b` for the `b` that only `a` uses. First in each stands its name and version. */
  readonly packages: Readonly<Record<string, readonly [id: string, ...rest: unknown[]]>>;
}

/**
 * The packages that are missing or of another version, by name; empty when all are there. Those that only tests and builds need are
 * not asked for, nor those that are made for one kind of machine each.
 */
export function missingPackages(root: string): string[] {
  const lock = Bun.JSONC.parse(readFileSync(join(root, "bun.lock"), "utf8")) as Lock;
  const isWhole = !existsSync(installingMark(root));
  return [...neededPackages(lock)]
    .filter(([place, id]) => !(isWhole && idOf(join(root, "node_modules", folderOf(place))) === id))
    .map(([, id]) => id);
}

/** Everything that the product's dependencies lead to: where each lies, with its name and version. */
export function neededPackages(lock: Lock): ReadonlyMap<string, string> {
  const needed = new Map<string, string>();
  const visit = (from: string, { dependencies, peerDependencies, optionalPeers = [] }: Asks) => {
    const peers = Object.keys(peerDependencies ?? {}).filter((name) => !optionalPeers.includes(name));
    for (const name of [...Object.keys(dependencies ?? {}), ...peers]) {
      const place = placeOf(lock, from, name);
      const found = lock.packages[place];
      if (found === undefined || needed.has(place)) continue;
      needed.set(place, found[0]);
      visit(place, (found.find((part) => typeof part === "object") ?? {}) as Asks);
    }
  };
  visit("", lock.workspaces[""]);
  return needed;
}

/** Where the package lies that is meant by a name in the package at `from`: the nearest one going up. */
function placeOf(lock: Lock, from: string, name: string): string {
  const above = namesOf(from);
  for (;;) {
    const place = [...above, name].join("/");
    if (above.length === 0 || place in lock.packages) return place;
    above.pop();
  }
}

const namesOf = (place: string): string[] => place.match(/(?:@[^/]+\/)?[^/]+/g) ?? [];
const folderOf = (place: string): string => namesOf(place).join("/node_modules/");

/** Name and version of the package in a folder; undefined where there is none. */
function idOf(folder: string): string | undefined {
  try {
    const { name, version } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as Record<
      string,
      unknown
    >;
    return `${name}@${version}`;
  } catch {
    return undefined;
  }
}

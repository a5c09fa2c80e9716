import { dirname } from "node:path";
import { objectsNamed } from "../archive/mod.ts";
import type { Db } from "../db/mod.ts";
import { countText } from "../lib/number_text.ts";
import { countWords } from "../lib/plural.ts";
import type { ObjectStore } from "../objects/contract.ts";
import { storeBeside } from "./beside.ts";
import { type BroughtObjects, bringObjects, proveObjects } from "./bring_objects.ts";
import { reportHeld } from "./report_held.ts";
import type { Seal } from "./seal.ts";

/** What became of the objects of a restored database. */
export interface RestoredObjects extends BroughtObjects {
  /** Whether the backup was made without them: then the archive alone has them. */
  readonly leftOut: boolean;
}

/** Proves the objects that a restored database names, and brings those that the archive has not. */
export async function broughtFor(
  db: Db,
  restored: {
    readonly backup: string;
    readonly seal: Seal;
    readonly archive: ObjectStore;
    /** What the paths of copies on their way begin with. */
    readonly temporary: string;
    /** Whether they are only proven, where they lie for the backup. */
    readonly onlyProves?: boolean;
    readonly signal?: AbortSignal | undefined;
  },
): Promise<RestoredObjects> {
  const { backup, seal, archive, temporary, onlyProves = false, signal } = restored;
  const leftOut = seal.objects.left_out;
  const beside = leftOut ? undefined : storeBeside(dirname(backup));
  const wanted = { named: until(signal, objectsNamed(db)), meant: reportHeld(db) };
  if (onlyProves) {
    const proven = await proveObjects(wanted, beside ?? archive);
    return { ...proven, brought: 0, leftOut };
  }
  let copies = 0;
  const brought = await bringObjects(wanted, {
    archive,
    beside,
    temporary: () => `${temporary}${++copies}`,
  });
  return { ...brought, leftOut };
}

/** That some are not there, in words. */
export function lackingWords({ named, lacking, leftOut }: RestoredObjects): string {
  const why = leftOut ? "; the backup was made without them, so that only the archive itself has them" : "";
  return `of ${countWords(named, "object")} that its manifest names, ${countText(lacking)} ${lacking === 1 ? "is" : "are"} not there whole${why}`;
}

/** Throws instead of the next item once a signal is given. */
function* until<T>(signal: AbortSignal | undefined, items: Iterable<T>): Generator<T> {
  for (const item of items) {
    signal?.throwIfAborted();
    yield item;
  }
}

import type { Store, Writer } from "../db/mod.ts";
import { compareModel } from "./compare.ts";
import type { Difference, ReadModel } from "./models.ts";

/** What rebuilding a read model found, and what it could not put right. */
export interface Rebuilt {
  readonly name: string;
  readonly found: readonly Difference[];
  /** What still differs. */
  readonly left: readonly Difference[];
}

/**
 * Makes a read model what it is made of, in one transaction. What does not differ is not written: the outcome is that of making
 * all of it anew, without holding up the reports that arrive meanwhile.
 */
export async function mendModel(
  model: ReadModel,
  deps: { readonly store: Store; readonly writer: Writer },
): Promise<Rebuilt> {
  const { name } = model;
  const { db } = deps.store;
  const found = await compareModel(model, db);
  if (found.length === 0) return { name, found, left: [] };
  await deps.writer.write((tx) => model.mend(tx, found));
  return { name, found, left: await compareModel(model, db) };
}

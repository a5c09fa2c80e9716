/** What `check` and `rebuild` find in the read models. */

import { expect } from "bun:test";
import { READ_MODELS } from "../../src/keep/keep.ts";
import { type AnyReadModel, differencesOf, mendRows } from "../../src/store/read_model.ts";
import type { Db, Tx } from "../../src/store/store.ts";

const allDifferences = (model: AnyReadModel, db: Db) =>
  [...differencesOf(model, db)].filter((one) => one !== undefined);

const modelNamed = (name: string) => {
  const model = READ_MODELS.find((one) => one.name === name);
  if (model === undefined) throw new Error(`there is no read model ${name}`);
  return model;
};

/** The rows that differ, in words: of the read models named, or of all. */
export function differing(db: Db, ...names: readonly string[]): string[] {
  const models = names.length === 0 ? READ_MODELS : names.map(modelNamed);
  return models.flatMap((model) => allDifferences(model, db)).map(({ text }) => text);
}

/** Flags and snoozes that are not what their records lead to, in words. */
export const flagFaults = (db: Db): string[] => differing(db, "flags", "snoozes");
/** What holds after whatever a test did with flags. */
export const expectWholeFlags = ({ store }: { readonly store: { readonly db: Db } }): void =>
  expect(flagFaults(store.db)).toStrictEqual([]);

/** Makes the rows that differ what they are made of. */
export function mend(tx: Tx, ...names: readonly string[]): void {
  for (const model of names.map(modelNamed)) mendRows(model, tx, allDifferences(model, tx));
}

/** Operators whose names lie near one that was typed. */
import type { Db } from "../db/mod.ts";
import { shown } from "../lib/command_line.ts";
import { didYouMean, nearest } from "../lib/near.ts";
import { findOperator, listOperators } from "../operators/mod.ts";

/** The refusal of a name that no operator has; undefined where one has it. */
export function noOperator(db: Db, name: string): string | undefined {
  if (findOperator(db, name) !== undefined) return undefined;
  const names = listOperators(db).map((operator) => operator.name);
  return `there is no operator ${shown(name)}${didYouMean(nearest(name, names))}`;
}

/** Complexity over all code files of a selection. */
import { BOUNDS } from "../codebase/contract.ts";
import type { MeasuredFunction } from "./complexity.ts";
import type { Dismissals } from "./ignore.ts";
import type { Parsed } from "./parsing.ts";
import { compareText } from "./repeats/duplication.ts";
import type { SourceFile } from "./select.ts";

export interface ComplexFunction extends MeasuredFunction {
  readonly path: string;
}

export interface Complexity {
  readonly functions: number;
  readonly complex: number;
  readonly max: number;
  readonly mean: number;
  /** Most complex first. */
  readonly worst: readonly ComplexFunction[];
  /** The files that could not be read: no figure holds them. */
  readonly unread: readonly Unread[];
}

/** A file and why it could not be read. */
export interface Unread {
  readonly path: string;
  readonly why: string;
}

/** Complex functions kept before the least complex of them go. */
const KEPT = 1_000;

/** More files than these that cannot be read, and there is no figure: it would say too little of the project, and name too many. */
const MAX_UNREAD = 5;

/** Adds up the functions of the code files that a grammar covers, or says why there is no figure. */
export function addComplexity(
  parsed: Parsed,
  covered: readonly SourceFile[],
  dismissals: Dismissals,
): Complexity | string {
  const unread: Unread[] = [];
  let worst: ComplexFunction[] = [];
  let functions = 0;
  let complex = 0;
  let total = 0;
  let max = 0;
  for (const { path } of covered) {
    const why = parsed.unread.get(path);
    if (why !== undefined) unread.push({ path, why });
    const found = parsed.functions.get(path);
    if (found === undefined) continue;
    functions += found.functions;
    total += found.total;
    max = Math.max(max, found.max);
    for (const one of found.complex) {
      if (dismissals.dismisses("complex-function", path, one.name)) continue;
      complex++;
      worst.push({ path, ...one });
    }
    if (worst.length > KEPT) worst = worst.sort(byComplexity).slice(0, BOUNDS.complexFunctions);
  }
  if (unread.length > MAX_UNREAD) return `More than ${MAX_UNREAD} files could not be parsed.`;
  if (unread.length === covered.length) return "No file could be parsed.";
  return {
    functions,
    complex,
    max,
    mean: functions === 0 ? 0 : Math.round((total / functions) * 100) / 100,
    worst: worst.sort(byComplexity).slice(0, BOUNDS.complexFunctions),
    unread,
  };
}

function byComplexity(a: ComplexFunction, b: ComplexFunction): number {
  return b.complexity - a.complexity || compareText(a.path, b.path) || a.line - b.line;
}

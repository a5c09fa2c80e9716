/** Complexity over all code files of a selection. */
import { BOUNDS } from "../codebase/contract.ts";
import type { MeasuredFunction } from "./complexity.ts";
import { compareText } from "./duplication.ts";
import { hasFunctions, type Parsed } from "./parsing.ts";
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
  /** The files that could not be read, each with why: no figure holds them. */
  readonly unread: readonly string[];
}

/** Adds up the functions of every code file that a grammar covers. */
export function addComplexity(parsed: Parsed, sources: readonly SourceFile[]): Complexity {
  const covered = sources.filter(hasFunctions).map((file) => file.path);
  const worst: ComplexFunction[] = [];
  const unread: string[] = [];
  let functions = 0;
  let complex = 0;
  let total = 0;
  let max = 0;
  for (const path of covered) {
    const why = parsed.unread.get(path);
    if (why !== undefined) unread.push(`${path}: ${why}`);
    const found = parsed.functions.get(path);
    if (found === undefined) continue;
    functions += found.functions;
    complex += found.complex;
    total += found.total;
    max = Math.max(max, found.max);
    for (const one of found.worst) worst.push({ path, ...one });
  }
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

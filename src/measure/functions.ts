/** Complexity over all code files of a selection. */
import { BOUNDS } from "../codebase/contract.ts";
import { type Grammar, type MeasuredFunction, measureFunctions } from "./complexity.ts";
import { type GrammarName, grammarOf } from "./complexity_rules.ts";
import { compareText } from "./duplication.ts";
import { scriptsOnly } from "./script_parts.ts";
import type { SourceFile } from "./select.ts";
import { type Stage, stagedPath } from "./stage.ts";

/** A function above this complexity is a complex one (spec, Measures). */
export const COMPLEX = 15;

export interface ComplexFunction {
  readonly path: string;
  readonly name: string;
  readonly line: number;
  readonly complexity: number;
  readonly length: number;
}

export interface Complexity {
  /** Code files in a covered language. */
  readonly files: number;
  readonly functions: number;
  readonly complex: number;
  readonly max: number;
  readonly mean: number;
  /** Most complex first. */
  readonly worst: readonly ComplexFunction[];
  /** Files that took too long. */
  readonly abandoned: readonly string[];
}

/** How the step reads grammars and the time, and tells how far it is. */
export interface ComplexityTools {
  readonly load: (name: GrammarName) => Promise<Grammar>;
  readonly now: () => number;
  readonly onFile: (done: number, of: number) => void;
}

/** Parses every code file that a grammar covers. */
export async function measureComplexity(
  sources: readonly SourceFile[],
  stage: Stage,
  tools: ComplexityTools,
): Promise<Complexity> {
  const files = sources.filter(
    (file) => !file.test && grammarOf(file.language.name, file.path) !== undefined,
  );
  const abandoned: string[] = [];
  const found: ComplexFunction[] = [];
  let functions = 0;
  let total = 0;
  let max = 0;
  for (const [index, file] of files.entries()) {
    tools.onFile(index + 1, files.length);
    const measured = await measureFile(file, stage, tools);
    if (measured === undefined) abandoned.push(file.path);
    for (const one of measured ?? []) {
      functions++;
      total += one.complexity;
      max = Math.max(max, one.complexity);
      if (one.complexity > COMPLEX) found.push({ path: file.path, ...one });
    }
  }
  return {
    files: files.length,
    functions,
    complex: found.length,
    max,
    mean: functions === 0 ? 0 : Math.round((total / functions) * 100) / 100,
    worst: found.sort(byComplexity).slice(0, BOUNDS.complexFunctions),
    abandoned,
  };
}

async function measureFile(
  file: SourceFile,
  stage: Stage,
  tools: ComplexityTools,
): Promise<readonly MeasuredFunction[] | undefined> {
  const name = grammarOf(file.language.name, file.path);
  if (name === undefined) return [];
  const text = await Bun.file(stagedPath(stage, file.path)).text();
  const component = ["Vue", "Svelte", "Astro"].includes(file.language.name);
  const source = component ? scriptsOnly(text, file.language.name === "Astro") : text;
  return measureFunctions(await tools.load(name), source, tools.now);
}

function byComplexity(a: ComplexFunction, b: ComplexFunction): number {
  return b.complexity - a.complexity || compareText(a.path, b.path) || a.line - b.line;
}

/** Complexity over all code files of a selection. */
import { BOUNDS } from "../codebase/contract.ts";
import type { MeasuredFunction } from "./complexity.ts";
import { grammarOf } from "./complexity_rules.ts";
import { compareText } from "./duplication.ts";
import type { FileReader } from "./file_reader.ts";
import type { Job } from "./reading.ts";
import type { SourceFile } from "./select.ts";
import { type Stage, stagedPath } from "./stage.ts";

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

/** How the step reads files, and tells how far it is. */
export interface ComplexityTools {
  readonly reader: FileReader;
  /** The folder of the grammars. */
  readonly grammars: string;
  readonly onFile: (done: number, of: number) => void;
}

/** More files than these that cannot be read, and there is no figure: each of them costs its whole deadline. */
export const MAX_UNREAD = 20;

/** Parses every code file that a grammar covers, or says why there is no figure. */
export async function measureComplexity(
  sources: readonly SourceFile[],
  stage: Stage,
  tools: ComplexityTools,
): Promise<Complexity | string> {
  const jobs = sources.flatMap((file) => jobOf(file, stage, tools.grammars));
  const unread: string[] = [];
  const worst: ComplexFunction[] = [];
  let functions = 0;
  let complex = 0;
  let total = 0;
  let max = 0;
  let index = 0;
  for await (const read of tools.reader.readAll(jobs.map(({ job }) => job))) {
    const path = jobs[index++]?.path ?? "";
    tools.onFile(index, jobs.length);
    if (read.ok && read.value.kind === "no-grammar") return "The parser failed.";
    if (!read.ok || read.value.kind !== "functions") {
      unread.push(`${path}: ${read.ok ? "took too long to parse" : read.why}`);
      if (unread.length > MAX_UNREAD) return `More than ${MAX_UNREAD} files could not be parsed.`;
      continue;
    }
    const { found } = read.value;
    functions += found.functions;
    complex += found.complex;
    total += found.total;
    max = Math.max(max, found.max);
    for (const one of found.worst) worst.push({ path, ...one });
  }
  if (unread.length === jobs.length) return "No file could be parsed.";
  return {
    functions,
    complex,
    max,
    mean: functions === 0 ? 0 : Math.round((total / functions) * 100) / 100,
    worst: worst.sort(byComplexity).slice(0, BOUNDS.complexFunctions),
    unread,
  };
}

function jobOf(file: SourceFile, stage: Stage, grammars: string): { path: string; job: Job }[] {
  const { path, language, test } = file;
  const grammar = test ? undefined : grammarOf(language.name, path);
  if (grammar === undefined) return [];
  const job = { kind: "functions", file: stagedPath(stage, path), grammars, grammar } as const;
  if (!["Vue", "Svelte", "Astro"].includes(language.name)) return [{ path, job }];
  return [{ path, job: { ...job, component: language.name === "Astro" ? "astro" : "markup" } }];
}

function byComplexity(a: ComplexFunction, b: ComplexFunction): number {
  return b.complexity - a.complexity || compareText(a.path, b.path) || a.line - b.line;
}

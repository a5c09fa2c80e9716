/** Complexity over all code files of a selection. */
import { BOUNDS } from "../codebase/contract.ts";
import type { MeasuredFunction } from "./complexity.ts";
import type { GrammarName } from "./complexity_rules.ts";
import { compareText } from "./duplication.ts";
import type { FileReader } from "./file_reader.ts";
import type { Dismissals } from "./ignore.ts";
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
  /** The files that could not be read: no figure holds them. */
  readonly unread: readonly Unread[];
}

/** A file and why it could not be read. */
export interface Unread {
  readonly path: string;
  readonly why: string;
}

/** How the step reads files, and tells how far it is. */
export interface ComplexityTools {
  readonly reader: FileReader;
  /** The folders of the grammars. */
  readonly grammars: readonly string[];
  readonly grammarOf: (file: SourceFile) => GrammarName | undefined;
  readonly dismissals: Dismissals;
  readonly onFile: (done: number, of: number) => void;
}

/** Complex functions kept before the least complex of them go. */
const KEPT = 1_000;

/** More files than these that cannot be read, and there is no figure: it would say too little of the project, and name too many. */
export const MAX_UNREAD = 5;

/** Parses every code file that a grammar covers, or says why there is no figure. */
export async function measureComplexity(
  sources: readonly SourceFile[],
  stage: Stage,
  tools: ComplexityTools,
): Promise<Complexity | string> {
  const jobs = sources.flatMap((file) => jobOf(file, tools.grammarOf(file), stage, tools.grammars));
  const unread: Unread[] = [];
  let worst: ComplexFunction[] = [];
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
      unread.push({ path, why: read.ok ? "took too many steps to parse" : read.why });
      if (unread.length > MAX_UNREAD) return `More than ${MAX_UNREAD} files could not be parsed.`;
      continue;
    }
    const { found } = read.value;
    functions += found.functions;
    total += found.total;
    max = Math.max(max, found.max);
    for (const one of found.complex) {
      if (tools.dismissals.dismisses("complex-function", path, one.name)) continue;
      complex++;
      worst.push({ path, ...one });
    }
    if (worst.length > KEPT) worst = worst.sort(byComplexity).slice(0, BOUNDS.complexFunctions);
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

function jobOf(
  { path, language, test, lines: { tests } }: SourceFile,
  grammar: GrammarName | undefined,
  stage: Stage,
  grammars: readonly string[],
): { path: string; job: Job }[] {
  if (test || grammar === undefined) return [];
  const job = { kind: "functions", file: stagedPath(stage, path), grammars, grammar } as const;
  if (!["Vue", "Svelte", "Astro"].includes(language.name))
    return [{ path, job: tests.length === 0 ? job : { ...job, tests } }];
  return [{ path, job: { ...job, component: language.name === "Astro" ? "astro" : "markup" } }];
}

function byComplexity(a: ComplexFunction, b: ComplexFunction): number {
  return b.complexity - a.complexity || compareText(a.path, b.path) || a.line - b.line;
}

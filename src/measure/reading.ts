/** What is read from one file in a process of its own. */
import { BOUNDS } from "../codebase/contract.ts";
import { functionsIn, type Grammar, type MeasuredFunction, withTree } from "./complexity.ts";
import { COMPLEX, type GrammarName } from "./complexity_rules.ts";
import { type ManifestReading, readManifest } from "./dependencies.ts";
import type { ModuleFacts } from "./modules/facts.ts";
import { mdxScripts } from "./modules/mdx.ts";
import { scriptFacts } from "./modules/script_facts.ts";
import { readSettings, type Settings } from "./modules/settings.ts";
import { scriptsOnly } from "./script_parts.ts";

export type Job =
  | {
      readonly kind: "source";
      /** Where the copy of the file lies. */
      readonly file: string;
      /** The folder of the grammars, and the one to use. */
      readonly grammars: string;
      readonly grammar: GrammarName;
      /** A single-file component holds its scripts between markup. */
      readonly component?: "markup" | "astro" | "mdx";
      /** What is asked of it. */
      readonly functions: boolean;
      readonly module: boolean;
    }
  | { readonly kind: "manifest"; readonly file: string; readonly path: string }
  | { readonly kind: "settings"; readonly file: string; readonly path: string };

/** The functions of one file, added up; the worst of them by name. */
export interface FileFunctions {
  readonly functions: number;
  readonly complex: number;
  readonly total: number;
  readonly max: number;
  readonly worst: readonly MeasuredFunction[];
}

export type Answer =
  | { readonly kind: "source"; readonly functions?: FileFunctions; readonly facts?: ModuleFacts }
  | { readonly kind: "manifest"; readonly found: ManifestReading | null }
  | { readonly kind: "settings"; readonly found: Settings | null }
  /** A grammar cannot be loaded: no file of its language can be read. */
  | { readonly kind: "no-grammar" }
  | { readonly kind: "late" }
  | { readonly kind: "failed" };

/** How a job reads grammars and the time. */
export interface ReadingTools {
  readonly load: (folder: string, name: GrammarName) => Promise<Grammar>;
  readonly now: () => number;
}

/** Does one job. Throws what the parser throws. */
export async function doJob(job: Job, tools: ReadingTools): Promise<Answer> {
  const text = await Bun.file(job.file).text();
  if (job.kind === "manifest") return { kind: "manifest", found: readManifest(job.path, text) ?? null };
  if (job.kind === "settings") return { kind: "settings", found: readSettings(job.path, text) ?? null };
  let grammar: Grammar;
  try {
    grammar = await tools.load(job.grammars, job.grammar);
  } catch {
    return { kind: "no-grammar" };
  }
  const source = sourceOf(text, job.component);
  const answer = withTree(grammar, source, tools.now, (tree): Answer => {
    const functions = job.functions ? { functions: addUp(functionsIn(grammar, tree)) } : {};
    const facts = job.module ? { facts: scriptFacts(tree, source, job.component === "mdx" ? source : text) } : {};
    return { kind: "source", ...functions, ...facts };
  });
  return answer ?? { kind: "late" };
}

function sourceOf(text: string, component: "markup" | "astro" | "mdx" | undefined): string {
  if (component === undefined) return text;
  return component === "mdx" ? mdxScripts(text) : scriptsOnly(text, component === "astro");
}

function addUp(functions: readonly MeasuredFunction[]): FileFunctions {
  const complex = functions.filter((one) => one.complexity > COMPLEX);
  return {
    functions: functions.length,
    complex: complex.length,
    total: functions.reduce((sum, one) => sum + one.complexity, 0),
    max: functions.reduce((most, one) => Math.max(most, one.complexity), 0),
    worst: complex
      .sort((a, b) => b.complexity - a.complexity || a.line - b.line)
      .slice(0, BOUNDS.complexFunctions),
  };
}

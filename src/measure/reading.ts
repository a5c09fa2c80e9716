/** What is read from one file in a process of its own. */

import type { Tree } from "web-tree-sitter";
import { functionsIn, type Grammar, type MeasuredFunction, withTree } from "./complexity.ts";
import { COMPLEX, type GrammarName } from "./complexity_rules.ts";
import { readManifest, SETUP_PY } from "./dependencies.ts";
import type { Manifest } from "./manifest/native.ts";
import { readSetupPy } from "./manifest/python.ts";
import type { ModuleFacts } from "./modules/facts.ts";
import { mdxScripts } from "./modules/mdx.ts";
import { pythonFacts } from "./modules/python_facts.ts";
import { scriptFacts } from "./modules/script_facts.ts";
import { readSettings, type Settings } from "./modules/settings.ts";
import { asCompiled } from "./preprocessor.ts";
import { type LineRange, withoutTests } from "./scan.ts";
import { scriptsOnly } from "./script_parts.ts";
import { readText, type TextPlace } from "./texts.ts";

/** What is done with the text that lies there. */
export type Job =
  | (TextPlace & {
      readonly kind: "source";
      /** The folders of the grammars, and the one to use. */
      readonly grammars: readonly string[];
      readonly grammar: GrammarName;
      /** Where tests stand inside the file: their functions are none of its own. */
      readonly tests?: readonly LineRange[];
      /** A single-file component holds its scripts between markup, MDX between prose. */
      readonly component?: "markup" | "astro" | "mdx";
      /** What is asked of it. */
      readonly functions: boolean;
      /** What it says about other files: all of it, or only what it uses, which needs no parser. */
      readonly module?: "whole" | "uses";
      /** It is what its folder is as a Python package. */
      readonly isPackage?: boolean;
    })
  | (TextPlace & {
      readonly kind: "manifest";
      readonly path: string;
      /** For a list that is a program. */
      readonly grammars?: readonly string[];
    })
  | (TextPlace & { readonly kind: "settings"; readonly path: string });

type SourceJob = Extract<Job, { kind: "source" }>;

/** The functions of one file, added up; the complex ones by name. */
export interface FileFunctions {
  readonly functions: number;
  readonly total: number;
  readonly max: number;
  readonly complex: readonly MeasuredFunction[];
}

export type Answer =
  | { readonly kind: "source"; readonly functions?: FileFunctions; readonly facts?: ModuleFacts }
  | { readonly kind: "manifest"; readonly found: Manifest | null }
  | { readonly kind: "settings"; readonly found: Settings | null }
  /** A grammar cannot be loaded: no file of its language can be read. */
  | { readonly kind: "no-grammar" }
  | { readonly kind: "late" }
  | { readonly kind: "failed" };

/** How a job gets its grammar. */
export interface ReadingTools {
  readonly load: (folders: readonly string[], name: GrammarName) => Promise<Grammar>;
}

/** Does one job. Throws what the parser throws. */
export async function doJob(job: Job, tools: ReadingTools): Promise<Answer> {
  const text = readText(job);
  if (job.kind === "manifest")
    return { kind: "manifest", found: (await manifestOf(job, text, tools)) ?? null };
  if (job.kind === "settings") return { kind: "settings", found: readSettings(job.path, text) ?? null };
  if (!job.functions && job.module === "uses") return { kind: "source", facts: usesOf(job, text) };
  let grammar: Grammar;
  try {
    grammar = await tools.load(job.grammars, job.grammar);
  } catch {
    return { kind: "no-grammar" };
  }
  const source = sourceOf(job, text);
  const answer = withTree(grammar, source, (tree): Answer => {
    const functions = job.functions
      ? { functions: addUp(functionsIn(grammar, tree, (complexity) => complexity > COMPLEX)) }
      : {};
    return {
      kind: "source",
      ...functions,
      ...(job.module !== undefined ? { facts: factsOf(job, tree, text, source) } : {}),
    };
  });
  return answer ?? { kind: "late" };
}

function usesOf(job: SourceJob, text: string): ModuleFacts {
  const source = sourceOf(job, text);
  return scriptFacts(undefined, source, job.component === "mdx" ? source : text);
}

async function manifestOf(
  { path, grammars }: Extract<Job, { kind: "manifest" }>,
  text: string,
  tools: ReadingTools,
): Promise<Manifest | undefined> {
  if (!SETUP_PY.test(path)) return readManifest(path, text);
  if (grammars === undefined) throw new Error("no grammar reads it");
  const grammar = await tools.load(grammars, "python");
  const read = withTree(grammar, text, (tree) => ({ found: readSetupPy(tree.rootNode) }));
  if (read === undefined) throw new Error("took too many steps to parse");
  return read.found;
}

function factsOf(job: SourceJob, tree: Tree, text: string, source: string): ModuleFacts {
  if (job.grammar === "python") return pythonFacts(tree, text, job.isPackage === true);
  return scriptFacts(tree, source, job.component === "mdx" ? source : text);
}

/** The text in the grammar's own language, each line at its own number. */
function sourceOf({ component, grammar, tests = [] }: SourceJob, text: string): string {
  if (component === "mdx") return mdxScripts(text);
  if (component !== undefined) return scriptsOnly(text, component === "astro");
  const own = tests.length > 0 ? withoutTests(text, tests) : text;
  return grammar === "c" || grammar === "cpp" ? asCompiled(own) : own;
}

function addUp(functions: readonly MeasuredFunction[]): FileFunctions {
  return {
    functions: functions.length,
    total: functions.reduce((sum, one) => sum + one.complexity, 0),
    max: functions.reduce((most, one) => Math.max(most, one.complexity), 0),
    complex: functions.filter((one) => one.complexity > COMPLEX),
  };
}

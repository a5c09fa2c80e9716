/** One pass over every file that a grammar covers, for its functions and for what it says about other files. */

import { words } from "../base/text.ts";
import { GRAMMAR_OF_LANGUAGE, type GrammarName, grammarsOf } from "./complexity_rules.ts";
import type { FileReaders } from "./file_reader.ts";
import { languageOf } from "./languages.ts";
import type { ModuleFacts } from "./modules/facts.ts";
import { isSettings, type Settings } from "./modules/settings.ts";
import type { FileFunctions, Job } from "./reading.ts";
import type { Selection, SourceFile } from "./select.ts";
import type { Stage } from "./texts.ts";

export interface Parsed {
  /** The functions of the code files, in the order of the selection. */
  readonly functions: ReadonlyMap<string, FileFunctions>;
  readonly facts: ReadonlyMap<string, ModuleFacts>;
  /** What packages' and tools' settings say, by their paths. */
  readonly settings: ReadonlyMap<string, Settings>;
  /** The files that could not be read: no figure holds them. */
  readonly unread: ReadonlySet<string>;
}

interface ParsingTools {
  readonly reader: FileReaders;
  /** The folders of the grammars. */
  readonly grammars: readonly string[];
  readonly onFile: (done: number, of: number) => void;
}

/** More files than these that cannot be read, and there is no figure: each of them costs its whole deadline. */
const MAX_UNREAD = 20;

/** Figures that lack files name them: without that they could not be held against figures that hold them. */
export function notParsed(paths: readonly string[]): string {
  return `${paths.length === 1 ? "1 file" : `${paths.length} files`} not parsed: ${paths.join(", ")}`;
}

/** Whether the functions of a file count. */
export function hasFunctions(
  file: SourceFile,
  grammarOf: (file: SourceFile) => GrammarName | undefined,
): boolean {
  return file.inPaths && !file.test && grammarOf(file) !== undefined;
}

/** Parses every file once, or says why there is no figure. */
export async function parseFiles(
  selection: Selection,
  stage: Stage,
  tools: ParsingTools,
): Promise<Parsed | string> {
  const jobs = jobsOf(selection, stage, tools.grammars);
  const functions = new Map<string, FileFunctions>();
  const facts = new Map<string, ModuleFacts>();
  const settings = new Map<string, Settings>();
  const unread = new Set<string>();
  let index = 0;
  for await (const read of tools.reader.readAll(jobs.map(({ job }) => job))) {
    const path = jobs[index++]?.path ?? "";
    tools.onFile(index, jobs.length);
    if (read?.kind === "no-grammar") return "The parser failed.";
    if (read?.kind === "settings") {
      if (read.found !== null) settings.set(path, read.found);
    } else if (read?.kind === "source") {
      if (read.functions !== undefined) functions.set(path, read.functions);
      if (read.facts !== undefined) facts.set(path, read.facts);
    } else if (unread.add(path).size > MAX_UNREAD)
      return `More than ${MAX_UNREAD} files could not be parsed.`;
  }
  if (jobs.length > 0 && unread.size === jobs.length) return "No file could be parsed.";
  return { functions, facts, settings, unread };
}

/** Of a file that is never reported only its uses matter; Python's are read from its tree. */
function isWhole(file: SourceFile | undefined, grammar: GrammarName): boolean {
  return grammar === "python" || (file !== undefined && !file.test);
}

/** Code files for their functions; modules wherever they lie, tests and generated files with them, since they use others. */
function jobsOf(
  selection: Selection,
  stage: Stage,
  grammars: readonly string[],
): { path: string; job: Job }[] {
  const grammarOf = grammarsOf(selection.sources);
  const sources = new Map(selection.sources.map((file) => [file.path, file]));
  const settings = selection.staged
    .filter(isSettings)
    .map((path) => ({ path, job: { kind: "settings", ...stage.placeOf(path), path } as const }));
  const files = selection.staged.flatMap((path) => {
    const file = sources.get(path);
    const reading = moduleReading(path, file?.language.name);
    const functions = file !== undefined && hasFunctions(file, grammarOf);
    const grammar = reading?.grammar ?? (functions ? grammarOf(file) : undefined);
    if (grammar === undefined) return [];
    const job: Job = {
      kind: "source",
      ...stage.placeOf(path),
      grammars,
      grammar,
      functions,
      ...(path.endsWith("/__init__.py") || path === "__init__.py" ? { isPackage: true } : {}),
      ...(reading === undefined ? {} : { module: isWhole(file, grammar) ? "whole" : "uses" }),
      ...(file === undefined || file.lines.tests.length === 0 ? {} : { tests: file.lines.tests }),
      ...(reading?.component === undefined ? {} : { component: reading.component }),
    };
    return [{ path, job }];
  });
  return [...settings, ...files];
}

// Which files are modules, and how each is parsed.

interface ModuleReading {
  readonly grammar: GrammarName;
  /** A single-file component holds its scripts between markup; MDX holds imports between prose. */
  readonly component?: "markup" | "astro" | "mdx";
}

/** Languages whose files are modules, by the line counter's names. */
export const MODULE_LANGUAGES: ReadonlySet<string> = new Set(
  words("JavaScript TypeScript Vue Svelte Astro Python"),
);

/** Packages that somebody installed into the repository, and squeezed code: nothing of the project's own is named in them. */
const NOT_READ = /(^|\/)(node_modules|bower_components|jspm_packages|\.yarn)\/|[.-]min\.[cm]?js$/;

/** How a module is parsed; `undefined` for what is none. `language` is what the selection calls a file of the project's own. */
function moduleReading(path: string, language: string | undefined): ModuleReading | undefined {
  if (NOT_READ.test(path)) return undefined;
  const extension = path.slice(path.lastIndexOf(".") + 1).toLowerCase();
  if (extension === "mdx") return { grammar: "tsx", component: "mdx" };
  const name = language ?? languageOf(path, new Uint8Array(0))?.name;
  if (name === undefined || !MODULE_LANGUAGES.has(name)) return undefined;
  const grammar = extension === "tsx" ? "tsx" : GRAMMAR_OF_LANGUAGE[name];
  if (grammar === undefined) return undefined;
  if (name === "Astro") return { grammar, component: "astro" };
  return name === "Vue" || name === "Svelte" ? { grammar, component: "markup" } : { grammar };
}

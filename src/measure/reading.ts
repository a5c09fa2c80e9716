/** What is read from one file in a process of its own. */

import type { Tree } from "web-tree-sitter";
import { functionsIn, type Grammar, grammarLoader, type MeasuredFunction, withTree } from "./complexity.ts";
import { COMPLEX, type GrammarName } from "./complexity_rules.ts";
import { readManifest, SETUP_PY } from "./dependencies.ts";
import { countLines } from "./lines.ts";
import type { Manifest } from "./manifest/native.ts";
import { readSetupPy } from "./manifest/python.ts";
import type { ModuleFacts } from "./modules/facts.ts";
import { pythonFacts } from "./modules/python_facts.ts";
import { scriptFacts } from "./modules/script_facts.ts";
import { readSettings, type Settings } from "./modules/settings.ts";
import { type LineRange, replaced, withoutTests } from "./scan.ts";
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
      readonly grammars: readonly string[] | undefined;
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

const loaders = new Map<string, ReturnType<typeof grammarLoader>>();

function load(folders: readonly string[], name: GrammarName): Promise<Grammar> {
  return loaders.getOrInsertComputed(folders.join("\n"), () => grammarLoader(folders))(name);
}

/** Does one job. Throws what the parser throws. */
export async function doJob(job: Job): Promise<Answer> {
  const text = readText(job);
  if (job.kind === "manifest") return { kind: "manifest", found: (await manifestOf(job, text)) ?? null };
  if (job.kind === "settings") return { kind: "settings", found: readSettings(job.path, text) ?? null };
  const source = sourceOf(job, text);
  if (!job.functions && job.module === "uses")
    return { kind: "source", facts: factsOf(job, undefined, text, source) };
  let grammar: Grammar;
  try {
    grammar = await load(job.grammars, job.grammar);
  } catch {
    return { kind: "no-grammar" };
  }
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

async function manifestOf(
  { path, grammars }: Extract<Job, { kind: "manifest" }>,
  text: string,
): Promise<Manifest | undefined> {
  if (!SETUP_PY.test(path)) return readManifest(path, text);
  if (grammars === undefined) throw new Error("no grammar reads it");
  const grammar = await load(grammars, "python");
  const read = withTree(grammar, text, (tree) => ({ found: readSetupPy(tree.rootNode) }));
  if (read === undefined) throw new Error("took too many steps to parse");
  return read.found;
}

function factsOf(job: SourceJob, tree: Tree | undefined, text: string, source: string): ModuleFacts {
  if (tree !== undefined && job.grammar === "python") return pythonFacts(tree, text, job.isPackage === true);
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

// MDX: imports and exports stand in blocks of their own between prose.

/** The text with everything but those blocks made blank, at its own lines. */
export function mdxScripts(text: string): string {
  let isScript = false;
  let isFenced = false;
  const lines = text.split("\n").map((line) => {
    if (/^\s{0,3}(```|~~~)/.test(line)) isFenced = !isFenced;
    else if (!isFenced && /^(import|export)\s/.test(line)) isScript = true;
    else if (line.trim() === "") isScript = false;
    return isScript && !isFenced ? line : "";
  });
  return lines.join("\n");
}

// Single-file components: everything outside the scripts becomes spaces, so that line numbers stay right.

const OPEN = /<script\b(?:"[^"]{0,1000}"|'[^']{0,1000}'|[^>"']){0,1000}>/gi;
const CLOSE = /<\/script/gi;

/** The script text of a Vue, Svelte or Astro file, at its own lines. */
export function scriptsOnly(text: string, astro: boolean): string {
  let out = "";
  let at = 0;
  for (const [start, end] of [...(astro ? frontMatter(text) : []), ...scripts(text)]) {
    if (start < at) continue;
    out += blank(text.slice(at, start)) + text.slice(start, end);
    at = end;
  }
  return out + blank(text.slice(at));
}

type Part = readonly [start: number, end: number];

function frontMatter(text: string): Part[] {
  const open = /^\s*---[ \t]*\r?\n/.exec(text)?.[0].length;
  const close = open === undefined ? -1 : text.indexOf("\n---", open - 1);
  return open === undefined || close < open ? [] : [[open, close]];
}

function scripts(text: string): Part[] {
  const parts: Part[] = [];
  OPEN.lastIndex = 0;
  for (let match = OPEN.exec(text); match !== null; match = OPEN.exec(text)) {
    const start = OPEN.lastIndex;
    CLOSE.lastIndex = start;
    const end = CLOSE.exec(text)?.index;
    if (end === undefined) break;
    parts.push([start, end]);
    OPEN.lastIndex = end;
  }
  return parts;
}

function blank(text: string): string {
  return text.replace(/[^\n]/g, " ");
}

// C and C++ as one compilation sees them. `#if` and `#else` often stand around half a statement, so that the text as a
// whole has no grammar: functions around such a place would be lost, or run into each other. Lines that go become
// empty; all others keep their numbers.

/** Where a point of the text is: in how many braces, and in whose. */
interface Place {
  readonly depth: number;
  /** Depth outside the function that the point lies in, or -1. */
  readonly body: number;
  /** Whether a parenthesis has stood since the last statement: a brace behind one opens a function. */
  readonly parenthesis: boolean;
}

/** An open `#if` with what is known of its branches. */
interface Group {
  readonly start: Place;
  /** First line of the branch that is being read, and whether anything compiles it. */
  from: number;
  live: boolean;
  /** Lowest depth inside the branch. */
  lowest: number;
  /** How the first live branch ends. */
  end: Place | undefined;
  /** Every branch is made of whole declarations. */
  whole: boolean;
  /** First and behind the last line of the branches that nothing compiles, and of those that stand instead of the first. */
  readonly dead: (readonly [from: number, to: number])[];
  readonly others: (readonly [from: number, to: number])[];
}

/**
 * Empties the directives, and of the branches of an `#if` those that a compiler would not take beside the first one. Outside
 * functions whole declarations of every branch stay: each is a function that somebody maintains.
 */
export function asCompiled(text: string): string {
  return new Reading(text).run();
}

const DIRECTIVE = /^\s*#(?:[ \t]*(if|ifdef|ifndef|elif|elifdef|elifndef|else|endif)\b(?:[ \t]+0\s*$)?)?/;

/** The text with comments as white space, a backslash before each line's end in one, and literals as words. */
function bare(text: string): string {
  const comments: number[] = [];
  const literals: number[] = [];
  countLines(text, "cpp", comments, literals);
  const code = replaced(text, literals, (part) => part.replace(/[^\n]/g, "_"));
  return replaced(code, comments, (part) => part.replace(/[^\n]/g, " ").replace(/ ?\n/g, "\\\n"));
}

class Reading {
  readonly #text: string;
  #line = 0;
  #place: Place = { depth: 0, body: -1, parenthesis: false };
  /** The last character that means something; a new branch begins without one. */
  #last = "";
  readonly #groups: Group[] = [];
  /** Lines at which emptying begins (+1) and ends (-1). */
  readonly #changes = new Map<number, number>();

  constructor(text: string) {
    this.#text = text;
  }

  run(): string {
    const lines = bare(this.#text).split("\n");
    for (; this.#line < lines.length; this.#line++) {
      const line = lines[this.#line] ?? "";
      const directive = DIRECTIVE.exec(line);
      if (directive === null) for (const char of line) this.#readChar(char);
      else this.#readDirective(directive, lines);
    }
    return this.#emptied();
  }

  #readChar(char: string): void {
    if (char === "\\" || char.trim() === "") return;
    this.#last = char;
    const { depth, body, parenthesis } = this.#place;
    if (char === "(") {
      if (!parenthesis) this.#place = { depth, body, parenthesis: true };
    } else if (char === ";") {
      if (parenthesis) this.#place = { depth, body, parenthesis: false };
    } else if (char === "{") {
      this.#place = { depth: depth + 1, body: body < 0 && parenthesis ? depth : body, parenthesis: false };
    } else if (char === "}") {
      const below = Math.max(0, depth - 1);
      this.#place = { depth: below, body: body >= below ? -1 : body, parenthesis: false };
      const group = this.#groups.at(-1);
      if (group !== undefined) group.lowest = Math.min(group.lowest, below);
    }
  }

  /** A backslash joins the lines of one. */
  #readDirective([whole, word]: RegExpExecArray, lines: readonly string[]): void {
    const first = this.#line;
    while (/\\\r?$/.test(lines[this.#line] ?? "")) this.#line++;
    this.#empty(first, this.#line + 1);
    if (word === undefined) return;
    if (word.startsWith("if")) this.#open(!(word === "if" && /0/.test(whole)));
    else if (word === "endif") this.#close(first);
    else this.#turn(first);
  }

  #open(live: boolean): void {
    this.#groups.push({
      start: this.#place,
      from: this.#line + 1,
      live,
      lowest: this.#place.depth,
      end: undefined,
      whole: true,
      dead: [],
      others: [],
    });
    this.#last = "";
  }

  /** Ends a branch in front of the line. */
  #endBranch(group: Group, line: number): void {
    const span = [group.from, line] as const;
    const { depth } = group.start;
    if (!group.live) group.dead.push(span);
    else {
      if (group.end !== undefined) group.others.push(span);
      group.end ??= this.#place;
      const isWhole = this.#last === "" || this.#last === ";" || this.#last === "}";
      group.whole &&= isWhole && this.#place.depth === depth && group.lowest >= depth;
    }
  }

  /** The next branch of a group begins where its first one began. */
  #turn(line: number): void {
    const group = this.#groups.at(-1);
    if (group === undefined) return;
    this.#endBranch(group, line);
    this.#place = group.start;
    this.#last = "";
    group.from = this.#line + 1;
    group.live = true;
    group.lowest = group.start.depth;
  }

  #close(line: number): void {
    const group = this.#groups.pop();
    if (group === undefined) return;
    this.#endBranch(group, line);
    this.#place = group.end ?? group.start;
    for (const [from, to] of group.dead) this.#empty(from, to);
    if (group.start.body >= 0 || !group.whole) for (const [from, to] of group.others) this.#empty(from, to);
    const outer = this.#groups.at(-1);
    if (outer !== undefined) outer.lowest = Math.min(outer.lowest, this.#place.depth);
  }

  #empty(from: number, to: number): void {
    this.#changes.set(from, (this.#changes.get(from) ?? 0) + 1);
    this.#changes.set(to, (this.#changes.get(to) ?? 0) - 1);
  }

  #emptied(): string {
    if (this.#changes.size === 0) return this.#text;
    let depth = 0;
    const lines = this.#text.split("\n");
    for (const [index] of lines.entries()) {
      depth += this.#changes.get(index) ?? 0;
      if (depth > 0) lines[index] = "";
    }
    return lines.join("\n");
  }
}

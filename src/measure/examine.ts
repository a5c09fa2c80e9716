/** The part of a run that reads files: select and stage them once, then count, compare and parse. */

import { join } from "node:path";
import { countText, countWords } from "../base/text.ts";
import { BOUNDS, type CodebaseReport } from "../reports/measures.ts";
import type { MeasuredFunction } from "./complexity.ts";
import { COMPLEXITY_RULES_VERSION, grammarsOf } from "./complexity_rules.ts";
import {
  countDependencies,
  includedPaths,
  manifestPaths,
  PACKAGE_READER,
  type ReadList,
} from "./dependencies.ts";
import {
  COMPLEXITY_KEYS,
  DUPLICATION_KEYS,
  explain,
  type Figures,
  LINE_KEYS,
  note,
  record,
  UNUSED_KEYS,
} from "./figures.ts";
import { FileReaders } from "./file_reader.ts";
import type { TreeEntry } from "./git/history.ts";
import type { Repository } from "./git/objects.ts";
import type { AttributeLookup, Dismissals } from "./ignore.ts";
import { LINE_COUNTER } from "./lines.ts";
import { hasFunctions, notParsed, type Parsed, parseFiles } from "./parsing.ts";
import { MARKUP } from "./repeats/comparable.ts";
import { compareText } from "./repeats/duplication.ts";
import { type SourceFile, selectFiles } from "./select.ts";
import { duplicationStep } from "./step_duplication.ts";
import { LEAST_SHARE, unusedStep } from "./step_unused.ts";
import {
  type FindingLists,
  NOTHING,
  type RunContext,
  type StepContext,
  type StepResult,
  type UnusedFinding,
} from "./steps.ts";
import type { Stage } from "./texts.ts";
import { overLimits, pathFilter, type Skips, type UsableFile, usableFiles } from "./usable.ts";

// Lines, files and languages of a selection.

/** Records the line measures; test files, and tests inside a file, only add to `test_lines`. */
function recordLines(figures: Figures, sources: readonly SourceFile[]): void {
  const own = sources.filter((file) => !file.test);
  const code = sum(own.map((file) => file.lines.code));
  const inline = sum(own.map((file) => file.lines.testCode));
  const test =
    inline + sum(sources.filter((file) => file.test).map((file) => file.lines.code + file.lines.testCode));
  record(figures, {
    code_lines: code,
    comment_lines: sum(own.map((file) => file.lines.comment)),
    files: own.length,
    languages: new Set(own.map((file) => file.language.name)).size,
    test_lines: test,
    test_ratio: code === 0 ? undefined : Math.round((test / code) * 10_000) / 10_000,
  });
  if (inline > 0)
    note(figures, ["test_lines"], `${countText(inline)} of them in test modules inside code files`);
}

/** The languages with the most code, without test files. */
function topLanguages(sources: readonly SourceFile[]) {
  const counts = new Map<string, { files: number; code: number }>();
  for (const { language, lines, test } of sources) {
    if (test) continue;
    const count = counts.getOrInsert(language.name, { files: 0, code: 0 });
    count.files++;
    count.code += lines.code;
  }
  return [...counts]
    .map(([language, { files, code }]) => ({ language, files, code_lines: code }))
    .sort((a, b) => b.code_lines - a.code_lines || compareText(a.language, b.language))
    .slice(0, BOUNDS.byLanguage);
}

function fileCount(language: string, files: number): string {
  return `${language} (${countWords(files, "file")})`;
}

/** The largest code files, without test files. */
function largestFiles(sources: readonly SourceFile[]) {
  return sources
    .filter((file) => !file.test)
    .map((file) => ({ path: file.path, code_lines: file.lines.code }))
    .sort((a, b) => b.code_lines - a.code_lines || compareText(a.path, b.path))
    .slice(0, BOUNDS.largestFiles);
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

/** More files than these that cannot be read, and there is no figure: it would say too little of the project, and name too many. */
const MAX_UNREAD = 5;

/** Complexity of the functions in the non-test files. A failed tool leaves the measures unmeasured, never 0. */
export async function complexityStep(
  context: StepContext,
  parsing: Promise<Parsed | string>,
): Promise<StepResult> {
  const { figures, tools, selection, dismissals } = context;
  const parsed = await parsing;
  const grammarOf = grammarsOf(selection.sources);
  const covered = selection.sources.filter((file) => hasFunctions(file, grammarOf));
  const unmeasured = (why: string) => {
    explain(figures, COMPLEXITY_KEYS, why);
    return NOTHING;
  };
  if (covered.length === 0) return unmeasured("No file is in a language that the complexity tool covers.");
  const names = new Set(covered.map(({ language }) => language.name));
  const others = topLanguages(selection.sources.filter((file) => file.inPaths)).filter(
    ({ language }) => !names.has(language) && !MARKUP.has(language),
  );
  const coveredLines = sum(covered.map(({ lines }) => lines.code));
  const least = LEAST_SHARE * (coveredLines + sum(others.map((one) => one.code_lines)));
  const missed = others.filter((one) => one.code_lines >= least && least > 0);
  const said = missed.map(({ language, files }) => fileCount(language, files)).join(", ");
  if (coveredLines < least)
    return unmeasured(`The complexity tool does not cover ${said || "most of the code"}.`);
  if (said !== "") note(figures, ["functions"], `no function of these is counted: ${said}`);
  if (typeof parsed === "string") return unmeasured(parsed);
  const unread = covered.map(({ path }) => path).filter((path) => parsed.unread.has(path));
  if (unread.length > MAX_UNREAD) return unmeasured(`More than ${MAX_UNREAD} files could not be parsed.`);
  if (unread.length === covered.length) return unmeasured("No file could be parsed.");
  const worst: (MeasuredFunction & { readonly path: string })[] = [];
  const complexity = new Map<string, number>();
  let functions = 0;
  let max = 0;
  for (const { path } of covered) {
    const found = parsed.functions.get(path);
    if (found === undefined) continue;
    functions += found.functions;
    if (found.total > 0) complexity.set(path, found.total);
    max = Math.max(max, found.max);
    for (const one of found.complex) {
      if (dismissals.dismisses("complex-function", path, one.name)) continue;
      worst.push({ path, ...one });
    }
  }
  if (functions === 0) record(figures, { complex_functions: 0, functions });
  else
    record(figures, {
      complex_functions: worst.length,
      functions,
      max_function_complexity: max,
      mean_function_complexity: Math.round((sum([...complexity.values()]) / functions) * 100) / 100,
    });
  explain(figures, COMPLEXITY_KEYS, "No function was found.");
  if (unread.length > 0) note(figures, COMPLEXITY_KEYS, notParsed(unread));
  return {
    findings: { complexFunctions: worst.sort(byComplexity).slice(0, BOUNDS.complexFunctions) },
    complexity,
    tools: { complexity: `tree-sitter ${tools.treeSitter} rules ${COMPLEXITY_RULES_VERSION}` },
  };
}

function byComplexity<T extends MeasuredFunction & { readonly path: string }>(a: T, b: T): number {
  return b.complexity - a.complexity || compareText(a.path, b.path);
}

/** What the files add to the report beside the figures. */
export interface FileResults {
  readonly findings: FindingLists;
  readonly unused: readonly UnusedFinding[];
  readonly complexity: ReadonlyMap<string, number>;
  readonly tools: Readonly<Record<string, string>>;
  readonly byLanguage?: NonNullable<CodebaseReport["byLanguage"]>;
  /** The entries of the repository's own list of findings to leave out; `undefined` when it has none. */
  readonly dismissed: CodebaseReport["dismissed"] | undefined;
  readonly leftOut: Skips;
}

/** What one commit holds, and what it says itself about its files. */
export interface CommitFiles {
  readonly entries: readonly TreeEntry[];
  /** False when the entries are those of the measured paths only. */
  readonly whole: boolean;
  /** What the commit's .gitattributes files say about a path. */
  readonly attributes: AttributeLookup;
  readonly dismissals: Dismissals;
}

/** Records every file-based figure of the paths. Over the limits none is recorded: never a partial number. */
export async function examineFiles(
  repository: Repository,
  commit: CommitFiles,
  paths: readonly string[],
  figures: Figures,
  stage: Stage,
  context: RunContext,
): Promise<FileResults> {
  const { attributes, dismissals } = commit;
  const skips: Skips = new Map();
  const inPaths = pathFilter(paths);
  const decoder = new TextDecoder();
  const isInside = (entry: TreeEntry) => inPaths(decoder.decode(entry.path));
  const inside = commit.entries.filter(isInside);
  const measured = usableFiles(inside, skips);
  if (overLimits(measured)) {
    const keys = [
      ...LINE_KEYS,
      ...DUPLICATION_KEYS,
      ...UNUSED_KEYS,
      ...COMPLEXITY_KEYS,
      "dependencies_direct",
    ] as const;
    explain(figures, keys, "The repository is larger than the measuring limit.");
    return {
      dismissed: dismissals.told(),
      findings: {},
      unused: [],
      complexity: new Map(),
      tools: {},
      leftOut: skips,
    };
  }
  const others = commit.whole ? usableOthers(commit.entries, isInside, measured) : undefined;
  const files = [...measured, ...(others ?? [])];
  const candidates = { files, inPaths, whole: others !== undefined, attributes, dismissals };
  const selection = await selectFiles(repository, candidates, stage, skips, (done) =>
    context.onStep?.({ kind: "count", step: "Reading files", done, of: files.length }),
  );
  const { signal, fileLimitMs: limitMs } = context;
  await using reader = new FileReaders({ cwd: join(stage.root, "cwd"), signal, limitMs });
  const results = await runSteps({ ...context, stage, selection, dismissals, figures, reader });
  return { ...results, dismissed: dismissals.told(), leftOut: skips };
}

/** The files outside the measured paths, read for what they use; `undefined` when they are not here or too many. */
function usableOthers(
  entries: readonly TreeEntry[],
  isInside: (entry: TreeEntry) => boolean,
  measured: readonly UsableFile[],
): readonly UsableFile[] | undefined {
  const outside = entries.filter((entry) => !isInside(entry));
  if (outside.some((entry) => entry.mode.startsWith("100") && entry.size === undefined)) return undefined;
  const others = usableFiles(outside, new Map());
  return overLimits([...measured, ...others]) ? undefined : others;
}

async function runSteps(context: StepContext) {
  const { selection, figures } = context;
  const measured = selection.sources.filter((file) => file.inPaths);
  recordLines(figures, measured);
  if (selection.uncounted.size > 0) {
    const names = [...selection.uncounted].sort(([a], [b]) => compareText(a, b));
    const said = names.map(([name, files]) => fileCount(name, files));
    note(figures, ["languages"], `no line of these is counted: ${said.join(", ")}`);
  }
  explain(figures, ["test_ratio"], "There are no code lines.");
  await recordDependencies(context);
  context.onStep?.({ kind: "start", step: "Comparing code and parsing functions" });
  const parsing = parseAll(context);
  const started = [
    duplicationStep(context).then(async (result) => {
      // Many small files: they go while others still work.
      await context.stage.removeCopies();
      return result;
    }),
    unusedStep(context, parsing),
    complexityStep(context, parsing),
  ];
  // Every step, even when one fails: only then does nothing write below the staging folder any more.
  await Promise.allSettled(started);
  const steps = await Promise.all(started);
  const findings: FindingLists = { largestFiles: largestFiles(measured) };
  const tools: Record<string, string> = { line_counter: LINE_COUNTER };
  if (figures.measures.dependencies_direct !== undefined) tools["dependencies"] = PACKAGE_READER;
  for (const step of steps) {
    Object.assign(findings, step.findings);
    Object.assign(tools, step.tools);
  }
  return {
    findings,
    unused: steps.flatMap((step) => step.unused ?? []),
    complexity: new Map(steps.flatMap((step) => [...(step.complexity ?? [])])),
    tools,
    byLanguage: topLanguages(measured),
  };
}

/** Reads functions and modules in one pass; the reason when there is none. */
async function parseAll({ tools, selection, stage, reader, onStep }: StepContext): Promise<Parsed | string> {
  if (tools.grammars === undefined || tools.treeSitter === undefined) return "The parser is not installed.";
  const parsed = await parseFiles(selection, stage, {
    reader,
    grammars: tools.grammars,
    onFile: (done, of) => onStep?.({ kind: "count", step: "Parsing files", done, of }),
  });
  // Nothing more is parsed: what the readers hold is needed for what comes next.
  await reader.close();
  return parsed;
}

// Packages: the lists of the measured paths and those that they include, read one after the other, and their count.

const KEY = ["dependencies_direct"] as const;

/** More lists than a project has. */
const MAX_LISTS = 20_000;
/** Gaps that are told one by one. */
const MAX_TOLD = 3;

/**
 * Records the packages of the lists in the measured paths, and of the lists that those include. One list that cannot be read, and there
 * is no count; what a list leaves open is said beside it.
 */
async function recordDependencies(context: StepContext): Promise<void> {
  const { figures, selection, dismissals } = context;
  const inTree = new Set(selection.staged);
  const measured = selection.staged.filter(
    (path) => selection.inPaths(path) && !dismissals.names("path", path),
  );
  const lists: ReadList[] = [];
  const gaps: string[] = [];
  const known = new Set<string>();
  for (let next = manifestPaths(measured); next.length > 0; ) {
    for (const path of next) known.add(path);
    if (known.size > MAX_LISTS) {
      explain(figures, KEY, `There are more than ${countText(MAX_LISTS)} package lists.`);
      return;
    }
    const read = await readLists(context, next);
    if (typeof read === "string") {
      explain(figures, KEY, `The package list ${read} could not be read.`);
      return;
    }
    const included: string[] = [];
    for (const list of read) {
      lists.push(list);
      const { paths, missing } = includedPaths(list, (path) => inTree.has(path));
      included.push(...paths);
      for (const name of missing) gaps.push(`${list.path} includes ${name}, which is not in the tree`);
      if (list.manifest.gap !== undefined) gaps.push(`${list.path} ${list.manifest.gap}`);
    }
    next = [...new Set(included)].filter((path) => !known.has(path));
  }
  const count = countDependencies(lists.map(({ manifest }) => manifest));
  const resolved = lists.find(({ manifest }) => manifest.resolved === true);
  const told = resolved && `${resolved.path} tells what was resolved, not what was asked for`;
  const gap = gaps[0] ?? told;
  if (lists.length === 0) explain(figures, KEY, "No package list was found.");
  else if (count === 0 && gap !== undefined) explain(figures, KEY, `${gap}.`);
  else {
    record(figures, { dependencies_direct: count });
    for (const one of gaps.slice(0, MAX_TOLD)) note(figures, KEY, one);
    if (gaps.length > MAX_TOLD) note(figures, KEY, `and ${gaps.length - MAX_TOLD} more`);
  }
}

/** The lists at these paths, or the path of the one that could not be read. */
async function readLists(
  { stage, reader, tools: { grammars } }: StepContext,
  paths: readonly string[],
): Promise<ReadList[] | string> {
  const jobs = paths.map((path) => ({ kind: "manifest", ...stage.placeOf(path), path, grammars }) as const);
  const lists: ReadList[] = [];
  let index = 0;
  for await (const read of reader.readAll(jobs)) {
    const path = paths[index++] ?? "";
    if (read?.kind !== "manifest") return path;
    if (read.found !== null) lists.push({ path, manifest: read.found });
  }
  return lists;
}

/** The part of a run that reads files: select and stage them once, then count, compare and parse. */

import { join } from "node:path";
import { countText, countWords } from "../base/text.ts";
import { BOUNDS, type CodebaseReport } from "../reports/measures.ts";
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
import { addComplexity, hasFunctions, notParsed, type Parsed, parseFiles } from "./parsing.ts";
import { compareText } from "./repeats/duplication.ts";
import { type Selection, type SourceFile, selectFiles } from "./select.ts";
import { duplicationStep } from "./step_duplication.ts";
import { unusedStep } from "./step_unused.ts";
import {
  type FindingLists,
  NOTHING,
  type RunContext,
  type StepContext,
  type StepResult,
  type UnusedFinding,
} from "./steps.ts";
import { removeCopies, type Stage, stagedText } from "./texts.ts";
import { overLimits, pathFilter, type Skips, type UsableFile, usableFiles } from "./usable.ts";

// Lines, files and languages of a selection.

interface LanguageCount {
  readonly language: string;
  readonly files: number;
  readonly code_lines: number;
}

interface LargeFile {
  readonly path: string;
  readonly code_lines: number;
}

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
    note(
      figures,
      ["test_lines"],
      `${inline.toLocaleString("en-US")} of them in test modules inside code files`,
    );
}

/** The languages with the most code, without test files. */
function topLanguages(sources: readonly SourceFile[]): LanguageCount[] {
  const counts = new Map<string, { files: number; code: number }>();
  for (const { language, lines, test } of sources) {
    if (test) continue;
    const count = counts.get(language.name) ?? { files: 0, code: 0 };
    counts.set(language.name, { files: count.files + 1, code: count.code + lines.code });
  }
  return [...counts]
    .map(([language, { files, code }]) => ({ language, files, code_lines: code }))
    .sort((a, b) => b.code_lines - a.code_lines || compareText(a.language, b.language))
    .slice(0, BOUNDS.byLanguage);
}

/** The largest code files, without test files. */
function largestFiles(sources: readonly SourceFile[]): LargeFile[] {
  return sources
    .filter((file) => !file.test)
    .map((file) => ({ path: file.path, code_lines: file.lines.code }))
    .sort((a, b) => b.code_lines - a.code_lines || compareText(a.path, b.path))
    .slice(0, BOUNDS.largestFiles);
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

// Complexity of the functions in the non-test files. A failed tool leaves the measures unmeasured, never 0.

async function complexityStep(context: StepContext, parsing: Promise<Parsed | string>): Promise<StepResult> {
  const { figures, tools, selection } = context;
  const parsed = await parsing;
  const grammarOf = grammarsOf(selection.sources);
  const covered = selection.sources.filter((file) => hasFunctions(file, grammarOf));
  const unmeasured = (why: string) => {
    explain(figures, COMPLEXITY_KEYS, why);
    return NOTHING;
  };
  if (covered.length === 0) return unmeasured("No file is in a language that the complexity tool covers.");
  if (typeof parsed === "string") return unmeasured(parsed);
  const found = addComplexity(parsed, covered, context.dismissals);
  if (typeof found === "string") return unmeasured(found);
  record(figures, {
    complex_functions: found.complex,
    functions: found.functions,
    max_function_complexity: found.functions === 0 ? undefined : found.max,
    mean_function_complexity: found.functions === 0 ? undefined : found.mean,
  });
  explain(figures, COMPLEXITY_KEYS, "No function was found.");
  if (found.unread.length > 0)
    note(figures, COMPLEXITY_KEYS, notParsed(found.unread.map(({ path }) => path)));
  return {
    findings: { complexFunctions: found.worst.map((one) => ({ ...one })) },
    complexity: new Map(
      covered.flatMap(({ path }) => {
        const total = parsed.functions.get(path)?.total ?? 0;
        return total > 0 ? [[path, total] as const] : [];
      }),
    ),
    tools: { complexity: `tree-sitter ${tools.treeSitter} rules ${COMPLEXITY_RULES_VERSION}` },
    log: found.unread.map(({ path, why }) => `not parsed, its functions are in no figure: ${path}: ${why}`),
  };
}

/** What the files add to the report beside the figures. */
export interface FileResults {
  readonly findings: FindingLists;
  readonly unused: readonly UnusedFinding[];
  readonly complexity: ReadonlyMap<string, number>;
  readonly tools: Readonly<Record<string, string>>;
  readonly byLanguage?: readonly LanguageCount[];
  /** The entries of the repository's own list of findings to leave out; absent when it has none. */
  readonly dismissed?: NonNullable<CodebaseReport["dismissed"]>;
  readonly log: readonly string[];
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
      ...told(dismissals),
      findings: {},
      unused: [],
      complexity: new Map(),
      tools: {},
      leftOut: skips,
      log: [`${measured.length} files are over the measuring limit`],
    };
  }
  const others = commit.whole ? usableOthers(commit.entries, isInside, measured) : undefined;
  const files = [...measured, ...(others ?? [])];
  const candidates = { files, inPaths, whole: others !== undefined, attributes, dismissals };
  const selection = await selectFiles(repository, candidates, stage, skips, (done) =>
    context.onStep?.({ kind: "count", step: "Reading files", done, of: files.length }),
  );
  const { signal, fileLimitMs: limitMs } = context;
  const reader = new FileReaders({
    cwd: join(stage.root, "cwd"),
    ...(signal === undefined ? {} : { signal }),
    ...(limitMs === undefined ? {} : { limitMs }),
  });
  try {
    const results = await runSteps({ ...context, stage, selection, dismissals, figures, reader });
    return {
      ...results,
      ...told(dismissals),
      leftOut: skips,
      log: [selectionLine(inside.length, selection, skips), ...results.log],
    };
  } finally {
    await reader.close();
  }
}

function told(dismissals: Dismissals): Pick<FileResults, "dismissed"> {
  const dismissed = dismissals.told();
  return dismissed === undefined ? {} : { dismissed };
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
    const said = names.map(([name, files]) => `${name} (${countWords(files, "file")})`);
    note(figures, ["languages"], `no line of these is counted: ${said.join(", ")}`);
  }
  explain(figures, ["test_ratio"], "There are no code lines.");
  const unread = await recordDependencies(context);
  context.onStep?.({ kind: "start", step: "Comparing code and parsing functions" });
  const parsing = parseAll(context);
  const steps = await allEnded([
    duplicationStep(context).then(async (result) => {
      // Many small files: they go while others still work.
      await removeCopies(context.stage);
      return result;
    }),
    unusedStep(context, parsing),
    complexityStep(context, parsing),
  ]);
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
    log: [...unread, ...steps.flatMap((step) => step.log)],
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

/** Waits for every step even when one fails: only then does nothing write below the staging folder any more. */
async function allEnded(steps: readonly Promise<StepResult>[]): Promise<StepResult[]> {
  const ended = await Promise.allSettled(steps);
  for (const step of ended) if (step.status === "rejected") throw step.reason;
  return ended.flatMap((step) => (step.status === "fulfilled" ? [step.value] : []));
}

function selectionLine(entries: number, selection: Selection, skips: Skips): string {
  const sources = selection.sources.filter((file) => file.inPaths);
  const tests = sources.filter((file) => file.test).length;
  const left = [...skips].map(([reason, count]) => `${countText(count)} ${reason}`).join(", ");
  const code = countWords(sources.length - tests, "code file");
  const chosen = `${countWords(entries, "entry", "entries")}: ${code}, ${countWords(tests, "test file")}`;
  return left === "" ? chosen : `${chosen}; left out: ${left}`;
}

// Packages: the lists of the measured paths and those that they include, read one after the other, and their count.

const KEY = ["dependencies_direct"] as const;

/** More lists than a project has. */
const MAX_LISTS = 20_000;
/** Gaps that are told one by one. */
const MAX_TOLD = 3;

/**
 * Records the packages of the lists in the measured paths, and of the lists that those include. One list that cannot be read, and there
 * is no count; what a list leaves open is said beside it. Gives the lines of the log.
 */
async function recordDependencies(context: StepContext): Promise<string[]> {
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
      explain(figures, KEY, `There are more than ${MAX_LISTS.toLocaleString("en-US")} package lists.`);
      return [];
    }
    const read = await readLists(context, next);
    if ("unreadable" in read) {
      explain(figures, KEY, `The package list ${read.unreadable} could not be read.`);
      return [`${read.unreadable} ${read.why}`];
    }
    const included: string[] = [];
    for (const list of read.lists) {
      lists.push(list);
      const { paths, missing } = includedPaths(list, (path) => inTree.has(path));
      included.push(...paths);
      for (const name of missing) gaps.push(`${list.path} includes ${name}, which is not in the tree`);
      if (list.manifest.gap !== undefined) gaps.push(`${list.path} ${list.manifest.gap}`);
    }
    next = [...new Set(included)].filter((path) => !known.has(path));
  }
  recordCount(context, lists, gaps);
  return gaps;
}

function recordCount({ figures }: StepContext, lists: readonly ReadList[], gaps: readonly string[]): void {
  const count = countDependencies(lists.map(({ manifest }) => manifest));
  const resolved = lists.find(({ manifest }) => manifest.resolved === true);
  const [
    gap = resolved === undefined
      ? undefined
      : `${resolved.path} tells what was resolved, not what was asked for`,
  ] = gaps;
  if (lists.length === 0) explain(figures, KEY, "No package list was found.");
  else if (count === 0 && gap !== undefined) explain(figures, KEY, `${gap}.`);
  else {
    record(figures, { dependencies_direct: count });
    for (const one of gaps.slice(0, MAX_TOLD)) note(figures, KEY, one);
    if (gaps.length > MAX_TOLD) note(figures, KEY, `and ${gaps.length - MAX_TOLD} more`);
  }
}

async function readLists(
  { stage, reader, tools }: StepContext,
  paths: readonly string[],
): Promise<{ lists: ReadList[] } | { unreadable: string; why: string }> {
  const { grammars } = tools;
  const jobs = paths.map(
    (path) =>
      ({
        kind: "manifest",
        ...stagedText(stage, path),
        path,
        ...(grammars === undefined ? {} : { grammars }),
      }) as const,
  );
  const lists: ReadList[] = [];
  let index = 0;
  for await (const read of reader.readAll(jobs)) {
    const path = paths[index++] ?? "";
    if (!read.ok) return { unreadable: path, why: read.why };
    if (read.value.kind !== "manifest") return { unreadable: path, why: "could not be read" };
    if (read.value.found !== null) lists.push({ path, manifest: read.value.found });
  }
  return { lists };
}

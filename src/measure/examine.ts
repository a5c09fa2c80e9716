/** The part of a run that reads files: select and stage them once, then count, compare and parse. */
import { join } from "node:path";
import type { CodebaseReport } from "../codebase/contract.ts";
import { type LanguageCount, largestFiles, recordLines, topLanguages } from "./census.ts";
import { countDependencies, type ManifestReading, manifestPaths } from "./dependencies.ts";
import {
  COMPLEXITY_KEYS,
  DUPLICATION_KEYS,
  explain,
  type Figures,
  LINE_KEYS,
  record,
  UNUSED_KEYS,
} from "./figures.ts";
import { FileReader } from "./file_reader.ts";
import type { Repository } from "./git.ts";
import { LINE_COUNTER } from "./lines.ts";
import { type Parsed, parseFiles } from "./parsing.ts";
import { type Selection, selectFiles } from "./select.ts";
import { type Stage, stagedPath } from "./stage.ts";
import type { FindingLists, RunContext, StepContext, StepResult } from "./step.ts";
import { complexityStep } from "./step_complexity.ts";
import { duplicationStep } from "./step_duplication.ts";
import { unusedStep } from "./step_unused.ts";
import type { TreeEntry } from "./tree.ts";
import { overLimits, type Skips, usableFiles } from "./usable.ts";

/** What the files add to the report beside the figures. */
export interface FileResults {
  readonly findings: FindingLists;
  readonly tools: Readonly<Record<string, string>>;
  readonly byLanguage?: readonly LanguageCount[];
  /** The entries of the repository's own list of findings to leave out; absent when it has none. */
  readonly dismissed?: NonNullable<CodebaseReport["dismissed"]>;
  readonly log: readonly string[];
}

/**
 * Records every file-based figure; `attributes` is the text of the root .gitattributes. Over the limits none is recorded: never a
 * partial number.
 */
export async function examineFiles(
  repository: Repository,
  attributes: string,
  entries: readonly TreeEntry[],
  figures: Figures,
  stage: Stage,
  context: RunContext,
): Promise<FileResults> {
  const skips: Skips = new Map();
  const files = usableFiles(entries, skips);
  if (overLimits(files)) {
    const keys = [
      ...LINE_KEYS,
      ...DUPLICATION_KEYS,
      ...UNUSED_KEYS,
      ...COMPLEXITY_KEYS,
      "dependencies_direct",
    ] as const;
    explain(figures, keys, "The repository is larger than the measuring limit.");
    return { findings: {}, tools: {}, log: [`${files.length} files are over the measuring limit`] };
  }
  const selection = await selectFiles(repository, files, attributes, stage, skips, (done) =>
    context.onStep?.({ kind: "count", step: "Reading files", done, of: files.length }),
  );
  const { signal, fileLimitMs: limitMs } = context;
  const reader = new FileReader({
    cwd: join(stage.root, "cwd"),
    ...(signal === undefined ? {} : { signal }),
    ...(limitMs === undefined ? {} : { limitMs }),
  });
  try {
    const results = await runSteps({ ...context, stage, selection, figures, reader });
    return { ...results, log: [selectionLine(entries.length, selection, skips), ...results.log] };
  } finally {
    await reader.close();
  }
}

async function runSteps(context: StepContext) {
  const { selection, figures } = context;
  recordLines(figures, selection.sources);
  explain(figures, ["test_ratio"], "There are no code lines.");
  const unread = await recordDependencies(context);
  context.onStep?.({ kind: "start", step: "Comparing code and parsing functions" });
  const parsing = parseAll(context);
  const steps = await allEnded([
    duplicationStep(context),
    unusedStep(context, parsing),
    complexityStep(context, parsing),
  ]);
  const findings: FindingLists = { largestFiles: largestFiles(selection.sources) };
  const tools: Record<string, string> = { line_counter: LINE_COUNTER };
  for (const step of steps) {
    Object.assign(findings, step.findings);
    Object.assign(tools, step.tools);
  }
  return {
    findings,
    tools,
    byLanguage: topLanguages(selection.sources),
    log: [...unread, ...steps.flatMap((step) => step.log)],
  };
}

/** Reads functions and modules in one pass; the reason when there is none. */
async function parseAll({ tools, selection, stage, reader, onStep }: StepContext): Promise<Parsed | string> {
  if (tools.grammars === undefined || tools.treeSitter === undefined) return "The parser is not installed.";
  return await parseFiles(selection, stage, {
    reader,
    grammars: tools.grammars,
    onFile: (done, of) => onStep?.({ kind: "count", step: "Parsing files", done, of }),
  });
}

/** Waits for every step even when one fails: only then does nothing write below the staging folder any more. */
async function allEnded(steps: readonly Promise<StepResult>[]): Promise<StepResult[]> {
  const ended = await Promise.allSettled(steps);
  for (const step of ended) if (step.status === "rejected") throw step.reason;
  return ended.flatMap((step) => (step.status === "fulfilled" ? [step.value] : []));
}

/** One list that cannot be read, and there is no count: it would be a partial one. Gives the lines of the log. */
async function recordDependencies({ figures, stage, selection, reader }: StepContext): Promise<string[]> {
  const manifests: ManifestReading[] = [];
  const paths = manifestPaths(selection.staged);
  const jobs = paths.map((path) => ({ kind: "manifest", file: stagedPath(stage, path), path }) as const);
  let index = 0;
  for await (const read of reader.readAll(jobs)) {
    const path = paths[index++] ?? "";
    if (!read.ok || read.value.kind !== "manifest") {
      explain(figures, ["dependencies_direct"], `The package list ${path} could not be read.`);
      return [`${path} ${read.ok ? "could not be read" : read.why}`];
    }
    if (read.value.found !== null) manifests.push(read.value.found);
  }
  record(figures, { dependencies_direct: countDependencies(manifests) });
  explain(figures, ["dependencies_direct"], "No package list was found.");
  return [];
}

function selectionLine(entries: number, selection: Selection, skips: Skips): string {
  const tests = selection.sources.filter((file) => file.test).length;
  const left = [...skips].map(([reason, count]) => `${count} ${reason}`).join(", ");
  const chosen = `${entries} entries: ${selection.sources.length - tests} code files, ${tests} test files`;
  return left === "" ? chosen : `${chosen}; left out: ${left}`;
}

/** The part of a run that reads files: select and stage them once, then count, compare and parse. */
import { type LanguageCount, largestFiles, recordLines, topLanguages } from "./census.ts";
import { countDependencies, manifestPaths } from "./dependencies.ts";
import {
  COMPLEXITY_KEYS,
  DUPLICATION_KEYS,
  explain,
  type Figures,
  LINE_KEYS,
  record,
  UNUSED_KEYS,
} from "./figures.ts";
import { type Repository, runGit } from "./git.ts";
import { LINE_COUNTER } from "./lines.ts";
import { type Selection, selectFiles } from "./select.ts";
import { closeStage, openStage, type Stage, stagedPath } from "./stage.ts";
import type { FindingLists, RunContext } from "./step.ts";
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
  readonly log: readonly string[];
}

const MAX_ATTRIBUTES_BYTES = 1024 * 1024;

/** Records every file-based figure. Over the limits none is recorded: never a partial number. */
export async function examineFiles(
  repository: Repository,
  commit: string,
  entries: readonly TreeEntry[],
  figures: Figures,
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
  const stage = openStage(context.scratch);
  try {
    const attributes = await rootAttributes(repository, commit);
    const selection = await selectFiles(repository, files, attributes, stage, skips, (done) =>
      context.onStep?.({ kind: "count", step: "Reading files", done, of: files.length }),
    );
    const results = await runSteps({ ...context, stage, selection, figures });
    return { ...results, log: [selectionLine(entries.length, selection, skips), ...results.log] };
  } finally {
    closeStage(stage);
  }
}

async function runSteps(context: RunContext & { stage: Stage; selection: Selection; figures: Figures }) {
  const { selection, figures } = context;
  recordLines(figures, selection.sources);
  explain(figures, ["test_ratio"], "There are no code lines.");
  await recordDependencies(figures, context.stage, selection);
  context.onStep?.({ kind: "start", step: "Comparing code and parsing functions" });
  const steps = await Promise.all([duplicationStep(context), unusedStep(context), complexityStep(context)]);
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
    log: steps.flatMap((step) => step.log),
  };
}

async function recordDependencies(figures: Figures, stage: Stage, selection: Selection): Promise<void> {
  const manifests = new Map<string, string>();
  for (const path of manifestPaths(selection.staged)) {
    manifests.set(path, await Bun.file(stagedPath(stage, path)).text());
  }
  record(figures, { dependencies_direct: countDependencies(manifests) });
  explain(figures, ["dependencies_direct"], "No package list was found.");
}

async function rootAttributes(repository: Repository, commit: string): Promise<string> {
  const result = await runGit(
    repository,
    ["cat-file", "blob", `${commit}:.gitattributes`],
    MAX_ATTRIBUTES_BYTES,
  );
  return result.ok && result.code === 0 ? new TextDecoder().decode(result.stdout) : "";
}

function selectionLine(entries: number, selection: Selection, skips: Skips): string {
  const tests = selection.sources.filter((file) => file.test).length;
  const left = [...skips].map(([reason, count]) => `${count} ${reason}`).join(", ");
  const chosen = `${entries} entries: ${selection.sources.length - tests} code files, ${tests} test files`;
  return left === "" ? chosen : `${chosen}; left out: ${left}`;
}

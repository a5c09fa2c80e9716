/** Measuring one checkout: from the objects of one commit to a codebase report. */
import { type CodebaseReport, MEASURE_KEYS } from "../codebase/contract.ts";
import { formatInstant } from "../lib/instant.ts";
import { boundReport, checkReport } from "./envelope.ts";
import { examineFiles, type FileResults } from "./examine.ts";
import { explain, type Figures, HISTORY_KEYS, PASSED_IN_KEYS, record } from "./figures.ts";
import type { Repository } from "./git.ts";
import { readHistory } from "./history.ts";
import type { PassedIn } from "./passed_in.ts";
import { pathspecs } from "./paths.ts";
import { type NotMeasurable, NotMeasurableError } from "./refusal.ts";
import { type Revision, readRevision } from "./revision.ts";
import type { RunContext } from "./step.ts";
import { listTree, type TreeEntry } from "./tree.ts";

/** Everything a run depends on. */
export interface MeasureOptions extends RunContext {
  /** Folder of the checkout: its root, or a bare repository. */
  readonly checkout: string;
  readonly asset: string;
  /** Normalised by `readPaths`; `.` is the whole tree. */
  readonly paths: readonly string[];
  readonly passedIn: PassedIn;
  /** The measuring image with its digest, when the run knows it. */
  readonly image?: string;
  /** The branch or tag as the caller's workflow names it. */
  readonly ref?: string;
}

/** A report that keeps the server's contract, and lines that say how it came about. */
export interface Measured {
  readonly ok: true;
  readonly report: CodebaseReport;
  readonly log: readonly string[];
}

/** Measures the commit at HEAD. A tool that fails leaves its measures unmeasured; it never fails the run. */
export async function measureCheckout(options: MeasureOptions): Promise<Measured | NotMeasurable> {
  try {
    return await run(options);
  } catch (error) {
    if (!(error instanceof NotMeasurableError)) throw error;
    const { fault, message, hint } = error;
    return { ok: false, fault, reason: message, ...(hint === undefined ? {} : { hint }) };
  }
}

async function run(options: MeasureOptions): Promise<Measured> {
  const startedAt = options.now();
  const repository = repositoryOf(options);
  options.onStep?.({ kind: "start", step: "Reading the commit" });
  const revision = await readRevision(repository, options.ref);
  const entries = await listTree(repository, revision.commit, pathspecs(options.paths));
  requirePaths(entries, options.paths);

  const figures: Figures = { measures: {}, unmeasured: {} };
  await recordHistory(figures, repository, revision, options, startedAt);
  record(figures, { ...options.passedIn });
  explain(figures, PASSED_IN_KEYS, "The sender did not pass it in.");
  explain(figures, ["unused_dependencies"], "No tool measures unused packages yet.");
  const files = await examineFiles(repository, revision.commit, entries, figures, options);

  const { report, dropped } = boundReport(assemble(options, startedAt, revision, figures, files));
  checkReport(report);
  const log = [
    `commit ${revision.commit} (${revision.ref})`,
    ...files.log,
    ...Object.entries(dropped).map(([list, count]) => `${count} of ${list} dropped to keep the size limit`),
    `measured in ${((options.now() - startedAt) / 1000).toFixed(1)} s`,
  ];
  return { ok: true, report, log };
}

function repositoryOf(options: MeasureOptions): Repository {
  if (options.tools.git === undefined) throw new NotMeasurableError("Git was not found.", "Install git.");
  const signal = options.signal;
  return { git: options.tools.git, root: options.checkout, ...(signal === undefined ? {} : { signal }) };
}

/** A path that names nothing would otherwise read as an empty project. */
function requirePaths(entries: readonly TreeEntry[], paths: readonly string[]): void {
  const decoder = new TextDecoder();
  const names = paths.includes(".") ? [] : entries.map((entry) => decoder.decode(entry.path));
  for (const path of paths) {
    if (path === "." || names.some((name) => name === path || name.startsWith(`${path}/`))) continue;
    throw new NotMeasurableError(
      `The commit has no ${JSON.stringify(path)}.`,
      "Name a path of the commit.",
      "path",
    );
  }
}

async function recordHistory(
  figures: Figures,
  repository: Repository,
  revision: Revision,
  options: MeasureOptions,
  now: number,
): Promise<void> {
  if (revision.shallow) {
    explain(figures, HISTORY_KEYS, "The checkout is shallow.");
    return;
  }
  options.onStep?.({ kind: "start", step: "Reading 30 days of history" });
  const history = await readHistory(repository, revision.commit, pathspecs(options.paths), now);
  record(figures, {
    commits_30d: history?.commits,
    files_touched_30d: history?.filesTouched,
    large_commits_30d: history?.largeCommits,
  });
  explain(figures, HISTORY_KEYS, "Git could not read the history.");
}

function assemble(
  options: MeasureOptions,
  startedAt: number,
  revision: Revision,
  figures: Figures,
  files: FileResults,
): CodebaseReport {
  const { commit, committedAt, ref, remote } = revision;
  const missing = MEASURE_KEYS.filter((key) => figures.measures[key] === undefined);
  explain(figures, missing, "It could not be measured.");
  return {
    asset: options.asset,
    generatedAt: formatInstant(startedAt),
    repository: {
      ...(remote === undefined ? {} : { remote }),
      ref,
      commit,
      ...(committedAt === undefined ? {} : { committedAt }),
    },
    paths: [...options.paths],
    tools: { ...(options.image === undefined ? {} : { image: options.image }), ...files.tools },
    measures: figures.measures,
    unmeasured: figures.unmeasured,
    ...(files.byLanguage === undefined ? {} : { byLanguage: [...files.byLanguage] }),
    findings: files.findings,
  };
}

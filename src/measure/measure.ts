/**
 * Measuring one checkout: from the objects of one commit to a codebase report. Nothing of the repository is run, and only its git objects
 * are read. A figure that cannot be measured is absent, with its reason.
 *
 * The run: `command.ts` (words to an exit code) → here → `git/` (commit, tree, 30 days of history) → `examine.ts` (the files).
 * The files: `select.ts` (which count, read once) → `step_duplication.ts`, and `parsing.ts`, which parses every file
 * once in processes of its own → `step_unused.ts` (with `modules/`) and complexity and packages in `examine.ts`.
 * The report: `assemble` below → bounded and checked against the contract → `command.ts` (file) or `post.ts`; `summary.ts` says it in words.
 *
 * Start reading at `run` below; what counts as a repository's own code at `foreign/foreign.ts`; `README.md` has the rules in prose.
 */

import { join } from "node:path";
import { readContract } from "../base/contract.ts";
import { formatInstant } from "../base/time.ts";
import {
  type CodebaseReport,
  CodebaseReportSchema,
  MAX_REPORT_BYTES,
  MEASURE_KEYS,
  type MeasureKey,
} from "../reports/measures.ts";
import type { MeasureCommand } from "./arguments.ts";
import { type CommitFiles, examineFiles, type FileResults } from "./examine.ts";
import { explain, type Figures, NotMeasurableError, noFigures, PASSED_IN_KEYS, record } from "./figures.ts";
import { type Checkout, type Revision, readCheckout, readRevision } from "./git/checkout.ts";
import { HISTORY_READER, listTree, type TreeEntry } from "./git/history.ts";
import { makeStore, ObjectReader, type Repository } from "./git/objects.ts";
import { readAttributeFiles, readAttributes, readDismissals } from "./ignore.ts";
import { hotspotsOf, recordHistory } from "./step_history.ts";
import type { RunContext } from "./steps.ts";
import type { Account } from "./summary.ts";
import { removeStale, Stage } from "./texts.ts";
import { pathspecs, usableName } from "./usable.ts";

// The report as it is sent: within the size limit and checked against the server's own contract.

/** The text of a report: one line, with a newline at its end. */
export function reportText(report: CodebaseReport): string {
  return `${JSON.stringify(report)}\n`;
}

const DISMISSED = "dismissed";

/**
 * Drops last items of the longest list (by its bytes) until the text fits, and tells how many of each. Notes and reasons stay whole, since a number would say
 * more than it may without them; they are short enough to fit beside empty lists.
 */
export function boundReport(report: CodebaseReport, maxBytes = MAX_REPORT_BYTES) {
  const lists: Record<string, readonly unknown[]> = { ...report.findings };
  if (report.dismissed !== undefined) lists[DISMISSED] = report.dismissed;
  const dropped: Record<string, number> = {};
  const now = (): CodebaseReport => {
    const { [DISMISSED]: dismissed, ...findings } = lists;
    return {
      ...report,
      ...(report.findings === undefined ? {} : { findings }),
      ...(dismissed === undefined
        ? {}
        : { dismissed: dismissed as NonNullable<CodebaseReport["dismissed"]> }),
    };
  };
  while (Buffer.byteLength(reportText(now())) > maxBytes) {
    const longest = Object.entries(lists)
      .filter(([, list]) => list.length > 0)
      .sort(([, a], [, b]) => Buffer.byteLength(JSON.stringify(b)) - Buffer.byteLength(JSON.stringify(a)))[0];
    if (longest === undefined) break;
    const [name, list] = longest;
    lists[name] = list.slice(0, -1);
    dropped[name] = (dropped[name] ?? 0) + 1;
  }
  return { report: now(), dropped };
}

/** Throws when the server would refuse or ignore any part of the report: that is a fault of this program. */
export function checkReport(report: CodebaseReport): void {
  const result = readContract(CodebaseReportSchema, JSON.parse(JSON.stringify(report)));
  if (!result.ok) {
    const first = result.errors.map(({ pointer, message }) => `${pointer} ${message}`).join("; ");
    throw new Error(`The report breaks its own contract: ${first}`);
  }
  if (result.ignored.length > 0) throw new Error(`The contract does not know ${result.ignored.join(", ")}`);
}

/** Everything a run depends on. */
export interface MeasureOptions
  extends Omit<RunContext, "signal">,
    Pick<MeasureCommand, "checkout" | "asset" | "paths" | "passedIn" | "image" | "ref"> {
  readonly signal?: AbortSignal | undefined;
  /** Longest time of the whole run. */
  readonly limitMs?: number;
}

type Run = MeasureOptions & RunContext;

/** The largest repositories measured took less than a minute; beyond this nobody waits for the answer. */
const RUN_LIMIT_MS = 15 * 60_000;

/** A report that keeps the server's contract, and what it does not hold. */
export interface Measured {
  readonly report: CodebaseReport;
  readonly account: Account;
}

/** Measures the commit at HEAD. A tool that fails leaves its measures unmeasured; it never fails the run. Throws NotMeasurableError. */
export async function measureCheckout(options: MeasureOptions): Promise<Measured> {
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(), options.limitMs ?? RUN_LIMIT_MS);
  const signal = options.signal === undefined ? late.signal : AbortSignal.any([options.signal, late.signal]);
  try {
    return await inStage({ ...options, signal });
  } catch (error) {
    options.signal?.throwIfAborted();
    if (!late.signal.aborted) throw error;
    throw new NotMeasurableError("The run went over its time limit.", "Measure a part of it with --path.");
  } finally {
    clearTimeout(timer);
  }
}

/** Everything temporary lies in one folder, which goes however the run ends. */
async function inStage(options: Run): Promise<Measured> {
  const startedAt = options.now();
  if (options.tools.git === undefined) throw new NotMeasurableError("Git was not found.", "Install git.");
  options.onStep?.({ kind: "start", step: "Reading the commit" });
  const checkout = readCheckout(options.checkout);
  removeStale(options.scratch, startedAt);
  using stage = new Stage(options.scratch);
  const store = join(stage.root, "git");
  makeStore(store, join(checkout.common, "objects"));
  const repository = { git: options.tools.git, store, signal: options.signal };
  return await run(options, startedAt, checkout, repository, stage);
}

async function run(
  options: Run,
  startedAt: number,
  checkout: Checkout,
  repository: Repository,
  stage: Stage,
): Promise<Measured> {
  const figures = noFigures();
  const {
    revision,
    changes,
    files: commit,
  } = await readCommit(options, startedAt, checkout, repository, figures);
  record(figures, { ...options.passedIn });
  explain(figures, PASSED_IN_KEYS, "The sender did not pass it in.");
  explain(figures, ["unused_dependencies"], "No tool measures unused packages yet.");
  const files = await examineFiles(repository, commit, options.paths, figures, stage, options);

  const { report, dropped } = boundReport(assemble(options, startedAt, revision, figures, files));
  checkReport(report);
  const seconds = (options.now() - startedAt) / 1000;
  const { leftOut, unused } = files;
  const hotspots = changes === undefined ? [] : hotspotsOf(changes, files.complexity);
  return { report, account: { leftOut, dropped, seconds, unused, hotspots } };
}

/** Everything that comes from commits and trees rather than from files. */
async function readCommit(
  options: MeasureOptions,
  startedAt: number,
  checkout: Checkout,
  repository: Repository,
  figures: Figures,
): Promise<{ revision: Revision; changes: ReadonlyMap<string, number> | undefined; files: CommitFiles }> {
  await using objects = new ObjectReader(repository);
  const revision = await readRevision(checkout, repository, objects, options.ref);
  const { entries, whole } = await listFiles(repository, objects, revision.commit, options.paths);
  requirePaths(entries, options.paths);
  const dismissals = await readDismissals(objects, revision.commit);
  const attributes = readAttributes(
    await readAttributeFiles(objects, revision.commit, attributePaths(entries)),
  );
  const window = { ...options, now: startedAt };
  const changes = await recordHistory(figures, repository, objects, revision, window);
  return { revision, changes, files: { entries, whole, attributes, dismissals } };
}

/** The whole tree, since what uses a file can lie anywhere in it; the measured paths alone where it is too large or not all here. */
async function listFiles(
  repository: Repository,
  objects: ObjectReader,
  commit: string,
  paths: readonly string[],
): Promise<{ entries: readonly TreeEntry[]; whole: boolean }> {
  const parts = pathspecs(paths);
  try {
    return { entries: await listTree(repository, objects, commit, []), whole: true };
  } catch (error) {
    if (parts.length === 0 || !(error instanceof NotMeasurableError)) throw error;
    return { entries: await listTree(repository, objects, commit, parts), whole: false };
  }
}

/** The paths that can be .gitattributes files; names that are no text, or hold a line's end, cannot be asked for. */
function attributePaths(entries: readonly TreeEntry[]): string[] {
  return entries.flatMap(({ mode, path }) =>
    mode.startsWith("100") && path.at(-1) === "s".charCodeAt(0) ? (usableName(path) ?? []) : [],
  );
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
  // An absent measure has its reason instead.
  const notes = inOrder(figures.notes, (key) => key in figures.measures);
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
    tools: {
      ...(options.image === undefined ? {} : { image: options.image }),
      ...files.tools,
      ...(figures.measures.commits_30d === undefined ? {} : { history: HISTORY_READER }),
    },
    measures: inOrder(figures.measures),
    unmeasured: inOrder(figures.unmeasured),
    ...(Object.keys(notes).length === 0 ? {} : { notes }),
    ...(files.byLanguage === undefined ? {} : { byLanguage: [...files.byLanguage] }),
    findings: files.findings,
    ...(files.dismissed === undefined ? {} : { dismissed: [...files.dismissed] }),
  };
}

/** Steps that run beside each other end in any order; a report of the same commit is the same text. */
function inOrder<T>(
  values: Partial<Record<MeasureKey, T>>,
  counts: (key: MeasureKey) => boolean = () => true,
): Partial<Record<MeasureKey, T>> {
  const keys = MEASURE_KEYS.filter((key) => key in values && counts(key));
  return Object.fromEntries(keys.map((key) => [key, values[key]]));
}

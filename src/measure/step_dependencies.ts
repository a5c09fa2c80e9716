import { BOUNDS } from "../reports/measures.ts";
import { countDependencies, includedPaths, manifestPaths, type ReadList } from "./dependencies.ts";
import { explain, type Figures, HISTORY_KEYS, note, record } from "./figures.ts";
import type { Revision } from "./git/checkout.ts";
import { readHistory } from "./git/history.ts";
import type { ObjectReader, Repository } from "./git/objects.ts";
import { compareText } from "./repeats/duplication.ts";
import type { RunContext, StepContext } from "./step_duplication.ts";
import { stagedText } from "./texts.ts";
import { isUsablePath } from "./usable.ts";

const KEY = ["dependencies_direct"] as const;

/** More lists than a project has. */
const MAX_LISTS = 20_000;
/** Gaps that are told one by one. */
const MAX_TOLD = 3;

/**
 * Records the packages of the lists in the measured paths, and of the lists that those include. One list that cannot be read, and there
 * is no count; what a list leaves open is said beside it. Gives the lines of the log.
 */
export async function recordDependencies(context: StepContext): Promise<string[]> {
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

/** The `--path` options: which parts of the tree are measured. */

type PathsResult =
  | { readonly ok: true; readonly paths: readonly string[] }
  | { readonly ok: false; readonly message: string };

/** Normalises paths: literal, POSIX, no `.` segments, no trailing slash, each once. Nothing given means `.`. */
export function readPaths(given: readonly string[]): PathsResult {
  const paths = new Set<string>();
  for (const text of given) {
    const path = text
      .split("/")
      .filter((segment) => segment !== "" && segment !== ".")
      .join("/");
    if (text === "" || text.startsWith("/") || (path !== "" && !isUsablePath(path))) {
      return { ok: false, message: `--path ${JSON.stringify(text)}: a path inside the repository is needed` };
    }
    paths.add(path === "" ? "." : path);
  }
  if (paths.size > BOUNDS.paths) {
    return { ok: false, message: `--path: at most ${BOUNDS.paths}; pass a parent directory` };
  }
  return { ok: true, paths: paths.size === 0 ? ["."] : [...paths] };
}

/** Whether a file lies inside the measured paths. */
export function pathFilter(paths: readonly string[]): (path: string) => boolean {
  if (paths.includes(".")) return () => true;
  const whole = new Set(paths);
  const folders = paths.map((path) => `${path}/`);
  return (path) => whole.has(path) || folders.some((folder) => path.startsWith(folder));
}

/** The pathspecs for git; none when the whole tree is measured. */
export function pathspecs(paths: readonly string[]): readonly string[] {
  return paths.includes(".") ? [] : paths;
}

/**
 * Change, from the history: the figures of 30 days, and the files that change most of those that are hard to change. The report has no
 * field for the latter (the specification fixes its envelope), so the command lists them on the terminal.
 */

interface Window extends Pick<RunContext, "onStep"> {
  readonly paths: readonly string[];
  /** Its end, in milliseconds since the epoch. */
  readonly now: number;
}

/** Records the figures of 30 days; gives in how many commits of 90 days each file changed, where that is known. */
export async function recordHistory(
  figures: Figures,
  repository: Repository,
  objects: ObjectReader,
  revision: Revision,
  { paths, now, onStep }: Window,
): Promise<ReadonlyMap<string, number> | undefined> {
  if (revision.shallow) {
    explain(figures, HISTORY_KEYS, "The checkout is shallow.");
    return undefined;
  }
  onStep?.({ kind: "start", step: "Reading 30 days of history" });
  const history = await readHistory(repository, objects, revision.commit, pathspecs(paths), now);
  if (typeof history === "string") {
    explain(figures, HISTORY_KEYS, history);
    return undefined;
  }
  record(figures, {
    commits_30d: history.commits,
    files_touched_30d: history.filesTouched,
    large_commits_30d: history.largeCommits,
  });
  const longer = await readHistory(repository, objects, revision.commit, pathspecs(paths), now, HOTSPOT_DAYS);
  return typeof longer === "string" ? undefined : longer.changes;
}

const HOTSPOT_DAYS = 90;
const MAX_HOTSPOTS = 10;

/** A file that changes often and is hard to change. */
export interface Hotspot {
  readonly path: string;
  readonly changes: number;
  /** Of its functions together. */
  readonly complexity: number;
}

/** The files with the most changes times complexity. */
export function hotspotsOf(
  changes: ReadonlyMap<string, number>,
  complexity: ReadonlyMap<string, number>,
): readonly Hotspot[] {
  const spots = [...complexity].flatMap(([path, one]) => {
    const times = changes.get(path);
    return times === undefined ? [] : [{ path, changes: times, complexity: one }];
  });
  const weight = (spot: Hotspot) => spot.changes * spot.complexity;
  return spots.sort((a, b) => weight(b) - weight(a) || compareText(a.path, b.path)).slice(0, MAX_HOTSPOTS);
}

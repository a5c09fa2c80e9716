/** Packages: the lists of the measured paths and those that they include, read one after the other, and their count. */

import { countDependencies, includedPaths, manifestPaths, type ReadList } from "./dependencies.ts";
import { explain, note, record } from "./figures.ts";
import type { StepContext } from "./steps.ts";
import { stagedText } from "./texts.ts";

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

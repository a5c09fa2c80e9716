/** Repeated code: the files that are compared, jscpd over their copies, and the figures of what is left. */

import { BOUNDS } from "../reports/measures.ts";
import { DUPLICATION_KEYS, explain, note, record } from "./figures.ts";
import type { Dismissals } from "./ignore.ts";
import { areIdle } from "./repeats/comparable.ts";
import {
  type BlockPlace,
  byWeight,
  CopiedFile,
  type DuplicateBlock,
  findBlocks,
  type Pair,
  repeatedLines,
} from "./repeats/duplication.ts";
import { comparePairs, jscpdVersion } from "./repeats/shared_code.ts";
import type { SourceFile } from "./select.ts";
import { type FindingLists, NOTHING, type StepContext, type StepResult } from "./steps.ts";
import type { Stage } from "./texts.ts";
/** Version of our rules over the tool's pairs and of what is compared; any change raises it. */
export const DUPLICATION_RULES_VERSION = 2;

/** A source file that is compared. */
type Compared = SourceFile & { readonly copy: string };

/** Repeated code among the non-test files. A failed tool leaves the measures unmeasured, never 0. */
export async function duplicationStep(context: StepContext): Promise<StepResult> {
  const { figures, selection, dismissals } = context;
  const code = selection.sources.filter((file) => file.inPaths && !file.test);
  const compared = code.filter((file): file is Compared => file.copy !== undefined);
  const result = await search(context, compared);
  if (typeof result === "string") {
    explain(figures, DUPLICATION_KEYS, result);
    return NOTHING;
  }
  const blocks = result.blocks.flatMap((block) => withoutDismissed(block, dismissals)).sort(byWeight);
  const repeated = repeatedLines(blocks);
  const lines = compared.reduce((sum, file) => sum + file.lines.code, 0);
  record(figures, {
    duplication_percent: Math.round((repeated / lines) * 10_000) / 100,
    duplicated_lines: repeated,
    duplicate_blocks: blocks.length,
  });
  if (compared.length < code.length) {
    const left = code.length - compared.length;
    const apart = `${left} in folders of migrations, examples and benchmarks ${left === 1 ? "is" : "are"} not compared`;
    note(figures, DUPLICATION_KEYS, `of ${compared.length} files; ${apart}`);
  }
  return {
    findings: { duplicates: blocks.slice(0, BOUNDS.duplicates).map(toFinding) },
    tools: { duplication: `${result.version} rules ${DUPLICATION_RULES_VERSION}` },
  };
}

/** The repeated code, or the reason why it is not known. */
async function search(
  { tools, stage, signal }: StepContext,
  compared: readonly Compared[],
): Promise<{ blocks: readonly DuplicateBlock[]; version: string } | string> {
  if (tools.jscpd === undefined) return "jscpd is not installed.";
  if (!compared.some((file) => file.lines.code > 0)) return "There is no code to compare.";
  const version = await jscpdVersion(tools.jscpd, stage.root, signal);
  if (version === undefined) return "jscpd cannot be started.";
  const pathOf = new Map(compared.map(({ copy, path }) => [copy, path]));
  const pairs = await comparePairs(tools.jscpd, stage, pathOf, signal);
  if (typeof pairs === "string") return pairs;
  const files = new Map(compared.map((file) => [file.path, file]));
  const blocks = findBlocks(pairs, await readCopies(pairs, files, stage, signal));
  return { blocks: await withoutIdle(blocks, files, stage, signal), version };
}

/** The copies that hold a part of a pair. */
async function readCopies(
  pairs: readonly Pair[],
  files: ReadonlyMap<string, Compared>,
  stage: Stage,
  signal: AbortSignal,
): Promise<Map<string, CopiedFile>> {
  const copies = new Map<string, CopiedFile>();
  for (const path of new Set(pairs.flatMap(({ first, second }) => [first.path, second.path]))) {
    signal.throwIfAborted();
    const copy = files.get(path)?.copy ?? "";
    copies.set(path, new CopiedFile(await Bun.file(stage.codePath(copy)).bytes()));
  }
  return copies;
}

/** The blocks that are more than values, prose, parameters or overloads. Each file is read once for all of them. */
async function withoutIdle(
  blocks: readonly DuplicateBlock[],
  files: ReadonlyMap<string, Compared>,
  stage: Stage,
  signal: AbortSignal,
): Promise<DuplicateBlock[]> {
  const ofFile = new Map<string, { readonly block: DuplicateBlock; readonly longest: BlockPlace }[]>();
  for (const block of blocks) {
    const longest = block.places.find(({ lines }) => lines === block.lines);
    if (longest === undefined) continue;
    ofFile.getOrInsert(longest.path, []).push({ block, longest });
  }
  const kept: DuplicateBlock[] = [];
  for (const [path, list] of ofFile) {
    signal.throwIfAborted();
    const file = files.get(path);
    if (file === undefined) continue;
    const lines = (await Bun.file(stage.codePath(file.copy)).text()).split("\n");
    const parts = list.map(({ block, longest }) => ({
      from: longest.startLine,
      to: longest.endLine,
      isLadder: new Set(block.places.map((place) => place.path)).size * 2 <= block.places.length,
    }));
    const idle = areIdle(lines, file.language.name, parts);
    for (const [index, { block }] of list.entries()) if (idle[index] === false) kept.push(block);
  }
  return kept;
}

/** A place that somebody dismissed is no copy; a block without two other places is no finding. */
function withoutDismissed(block: DuplicateBlock, dismissals: Dismissals): readonly DuplicateBlock[] {
  const [first] = block.places;
  const name = `${first?.path}:${first?.startLine}`;
  const dismissed = block.places.filter(({ path }) => dismissals.names("duplicate", path));
  if (dismissed.length === 0) return [block];
  const places = block.places.filter((place) => !dismissed.includes(place));
  // What goes as a whole is one finding for each entry that took part, however many of its places are named.
  for (const { path } of dismissed)
    dismissals.dismisses("duplicate", path, name, places.length >= 2 ? path : "");
  if (places.length < 2) return [];
  return [{ lines: places.reduce((most, { lines }) => Math.max(most, lines), 0), places }];
}

function toFinding(block: DuplicateBlock): NonNullable<FindingLists["duplicates"]>[number] {
  return {
    lines: block.lines,
    files: block.places
      .slice(0, BOUNDS.duplicateFiles)
      .map(({ path, startLine, lines }) => ({ path, startLine, lines })),
  };
}

import { BOUNDS } from "../codebase/contract.ts";
import { CopiedFile } from "./copied_files.ts";
import {
  byWeight,
  type DuplicateBlock,
  findBlocks,
  type Pair,
  readPairs,
  repeatedLines,
} from "./duplication.ts";
import { DUPLICATION_KEYS, explain, record } from "./figures.ts";
import type { Dismissals } from "./ignore.ts";
import { findDuplicates, jscpdVersion } from "./jscpd.ts";
import { codePath, type Stage } from "./stage.ts";
import { type FindingLists, NOTHING, type StepContext, type StepResult } from "./step.ts";

/** Version of our rules over the tool's pairs and of what is compared; any change raises it. */
export const DUPLICATION_RULES_VERSION = 1;

/** Repeated code among the non-test files. A failed tool leaves the measures unmeasured, never 0. */
export async function duplicationStep(context: StepContext): Promise<StepResult> {
  const { figures, selection, dismissals } = context;
  const result = await search(context);
  if (typeof result === "string") {
    explain(figures, DUPLICATION_KEYS, result);
    return NOTHING;
  }
  const blocks = result.blocks.flatMap((block) => withoutDismissed(block, dismissals)).sort(byWeight);
  const compared = selection.sources.reduce(
    (sum, { copy, lines }) => sum + (copy === undefined ? 0 : lines.code),
    0,
  );
  const repeated = repeatedLines(blocks);
  record(figures, {
    duplication_percent: compared === 0 ? 0 : Math.round((repeated / compared) * 10_000) / 100,
    duplicated_lines: repeated,
    duplicate_blocks: blocks.length,
  });
  return {
    findings: { duplicates: blocks.slice(0, BOUNDS.duplicates).map(toFinding) },
    tools: { duplication: `${result.version} rules ${DUPLICATION_RULES_VERSION}` },
    log: [],
  };
}

/** The repeated code, or the reason why it is not known. */
async function search({
  tools,
  stage,
  selection,
  signal,
}: StepContext): Promise<{ blocks: readonly DuplicateBlock[]; version: string } | string> {
  if (tools.jscpd === undefined) return "jscpd is not installed.";
  const copies = new Map<string, string>();
  let hasCode = false;
  for (const { path, copy, lines } of selection.sources) {
    if (copy === undefined) continue;
    copies.set(copy, path);
    hasCode ||= lines.code > 0;
  }
  if (!hasCode) return "There is no code to compare.";
  const version = await jscpdVersion(tools.jscpd, stage.root, signal);
  if (version === undefined) return "jscpd cannot be started.";
  const answer = await findDuplicates(tools.jscpd, stage, signal);
  if (!answer.ok) return `${answer.reason}.`;
  if (answer.stderr.includes("analyzed no files")) return "jscpd found no file that it can compare.";
  const pairs = readPairs(answer.report, copies);
  if (pairs === undefined) return "jscpd's report has an unknown shape.";
  return { blocks: findBlocks(pairs, await readCopies(pairs, copies, stage, signal)), version };
}

/** The copies that hold a part of a pair. */
async function readCopies(
  pairs: readonly Pair[],
  copies: ReadonlyMap<string, string>,
  stage: Stage,
  signal: AbortSignal | undefined,
): Promise<Map<string, CopiedFile>> {
  const wanted = new Set(pairs.flatMap(({ first, second }) => [first.path, second.path]));
  const files = new Map<string, CopiedFile>();
  for (const [copy, path] of copies) {
    if (!wanted.has(path)) continue;
    signal?.throwIfAborted();
    files.set(path, new CopiedFile(await Bun.file(codePath(stage, copy)).bytes()));
  }
  return files;
}

/** A place that somebody dismissed is no copy; a block without two other places is no finding. */
function withoutDismissed(block: DuplicateBlock, dismissals: Dismissals): readonly DuplicateBlock[] {
  const [first] = block.places;
  const name = `${first?.path}:${first?.startLine}`;
  const dismissed = block.places.filter(({ path }) => dismissals.names("duplicate", path));
  if (dismissed.length === 0) return [block];
  const places = block.places.filter((place) => !dismissed.includes(place));
  // What goes as a whole is one finding, however many of its places are named.
  for (const { path } of places.length >= 2 ? dismissed : dismissed.slice(0, 1))
    dismissals.dismisses("duplicate", path, name);
  if (places.length < 2) return [];
  return [{ lines: places.reduce((most, { lines }) => Math.max(most, lines), 0), places }];
}

function toFinding(block: DuplicateBlock): NonNullable<FindingLists["duplicates"]>[number] {
  return {
    lines: block.lines,
    files: block.places.slice(0, BOUNDS.duplicateFiles).map((place) => ({ ...place })),
  };
}

/** Version of our rules over the tool's pairs and of what is compared; any change raises it. */

import { dirname, join } from "node:path";
import { BOUNDS, type CodebaseReport } from "../reports/measures.ts";
import { DUPLICATION_KEYS, explain, type Figures, note, record } from "./figures.ts";
import type { FileReaders } from "./file_reader.ts";
import type { Dismissals } from "./ignore.ts";
import { areIdle } from "./repeats/comparable.ts";
import { CopiedFile } from "./repeats/copied_files.ts";
import {
  type BlockPlace,
  byWeight,
  type DuplicateBlock,
  findBlocks,
  type Pair,
  repeatedLines,
} from "./repeats/duplication.ts";
import { jscpdVersion } from "./repeats/jscpd.ts";
import { comparePairs } from "./repeats/shared_code.ts";
import type { Selection, SourceFile } from "./select.ts";
import { codePath, type Self, type Stage } from "./texts.ts";

/** Steps of a run, for the person who waits. */
type Step =
  | { readonly kind: "start"; readonly step: string }
  | { readonly kind: "count"; readonly step: string; readonly done: number; readonly of: number };

/** Where progress goes: a terminal shows one live line, anything else gets one line per step. */
interface ProgressSink {
  readonly isTTY: boolean;
  readonly write: (text: string) => void;
}

const CLEAR = "\r\u001b[K";
const REDRAW_MS = 80;

interface Progress {
  readonly on: (step: Step) => void;
  /** Removes the live line. */
  readonly clear: () => void;
}

/** Draws progress; `now` limits how often the live line is redrawn. */
export function drawProgress(sink: ProgressSink, now: () => number): Progress {
  let drawn = 0;
  let live = false;
  return {
    on: (step) => {
      if (!sink.isTTY) {
        if (step.kind === "start") sink.write(`${step.step}\n`);
        return;
      }
      const at = now();
      if (step.kind === "count" && step.done < step.of && at - drawn < REDRAW_MS) return;
      drawn = at;
      live = true;
      sink.write(`${CLEAR}${step.step}${step.kind === "count" ? ` ${step.done}/${step.of}` : " …"}`);
    },
    clear: () => {
      if (live) sink.write(CLEAR);
      live = false;
    },
  };
}

/** The measuring tools: where they lie and which versions they are. */

/** Places of the tools; an absent one leaves its measures unmeasured. */
export interface Tools {
  readonly git: string | undefined;
  readonly jscpd: string | undefined;
  /** The folders of the tree-sitter grammars. */
  readonly grammars: readonly string[] | undefined;
  /** Versions of the parser and of its packages of grammars, from their own package files. */
  readonly treeSitter: string | undefined;
}

/** The machine, as `process` names it. */
export interface Machine {
  readonly platform: string;
  readonly arch: string;
}

/** Finds the tools next to this program. `git` is looked up in `path`. */
export async function findTools(machine: Machine, path: string | undefined): Promise<Tools> {
  const [parser, grammars, c] = ["web-tree-sitter", "@vscode/tree-sitter-wasm", "tree-sitter-c"].map(
    packageFolder,
  );
  const versions = await Promise.all([parser, grammars, c].map(packageVersion));
  return {
    git: Bun.which("git", path === undefined ? {} : { PATH: path }) ?? undefined,
    jscpd: findJscpd(machine),
    grammars: grammars === undefined || c === undefined ? undefined : [join(grammars, "wasm"), c],
    treeSitter: versions.includes(undefined) ? undefined : versions.join("/"),
  };
}

/** jscpd is one program per machine kind, each an optional package: a missing one does not fail the install. */
function findJscpd({ platform, arch }: Machine): string | undefined {
  const kinds = platform === "linux" ? [`linux-${arch}-gnu`, `linux-${arch}-musl`] : [`${platform}-${arch}`];
  const names = platform === "win32" ? [`windows-${arch}-msvc`] : kinds;
  for (const name of names) {
    const folder = packageFolder(`jscpd-${name}`);
    if (folder !== undefined) return join(folder, "bin", platform === "win32" ? "jscpd.exe" : "jscpd");
  }
  return undefined;
}

function packageFolder(name: string): string | undefined {
  try {
    return dirname(Bun.resolveSync(`${name}/package.json`, import.meta.dir));
  } catch {
    return undefined;
  }
}

async function packageVersion(folder: string | undefined): Promise<string | undefined> {
  if (folder === undefined) return undefined;
  try {
    const { version } = await Bun.file(join(folder, "package.json")).json();
    return typeof version === "string" ? version : undefined;
  } catch {
    return undefined;
  }
}

/** What every step of a run shares. */

/** The outside things of a run. Nothing is read from the process. */
export interface RunContext {
  readonly tools: Tools;
  /** An existing folder in which the run may make a temporary one. */
  readonly scratch: string;
  /** Named in that temporary folder, so that a later run can tell whether it is abandoned. */
  readonly self?: Self;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  readonly onStep?: (step: Step) => void;
  /** Longest time for one file that is read in a process of its own. */
  readonly fileLimitMs?: number;
  readonly signal?: AbortSignal;
}

/** A step's input: the outside things, the selected files, and where its figures go. */
export interface StepContext extends RunContext {
  readonly stage: Stage;
  readonly selection: Selection;
  /** What the repository wants left out: a finding that one of its entries names is in no list and in no count. */
  readonly dismissals: Dismissals;
  readonly figures: Figures;
  /** Reads lists of files, and only for one step at a time. */
  readonly reader: FileReaders;
}

/** Lists of findings as the envelope holds them; a list of a tool that did not run is absent. */
export type FindingLists = NonNullable<CodebaseReport["findings"]>;

/** One unused thing; the report holds the kinds that are counted, `file` and `export`. */
export type UnusedFinding = NonNullable<FindingLists["unused"]>[number];

/** What a step adds to the report beside its figures. */
export interface StepResult {
  readonly findings: FindingLists;
  /** Every unused thing, without the bound of the report. */
  readonly unused?: readonly UnusedFinding[];
  /** The complexity of the functions of each file together. */
  readonly complexity?: ReadonlyMap<string, number>;
  /** Tool name to version, for the tools that produced numbers. */
  readonly tools: Readonly<Record<string, string>>;
  readonly log: readonly string[];
}

/** A step that produced nothing. */
export const NOTHING: StepResult = { findings: {}, tools: {}, log: [] };

export const DUPLICATION_RULES_VERSION = 1;

/** A source file that is compared. */
interface Compared extends SourceFile {
  readonly copy: string;
}

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
    log: [],
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
  signal: AbortSignal | undefined,
): Promise<Map<string, CopiedFile>> {
  const copies = new Map<string, CopiedFile>();
  for (const path of new Set(pairs.flatMap(({ first, second }) => [first.path, second.path]))) {
    signal?.throwIfAborted();
    const copy = files.get(path)?.copy ?? "";
    copies.set(path, new CopiedFile(await Bun.file(codePath(stage, copy)).bytes()));
  }
  return copies;
}

/** The blocks that are more than values, prose, parameters or overloads. Each file is read once for all of them. */
async function withoutIdle(
  blocks: readonly DuplicateBlock[],
  files: ReadonlyMap<string, Compared>,
  stage: Stage,
  signal: AbortSignal | undefined,
): Promise<DuplicateBlock[]> {
  const ofFile = new Map<string, { readonly block: DuplicateBlock; readonly longest: BlockPlace }[]>();
  for (const block of blocks) {
    const longest = block.places.find(({ lines }) => lines === block.lines);
    if (longest === undefined) continue;
    const known = ofFile.get(longest.path) ?? [];
    known.push({ block, longest });
    ofFile.set(longest.path, known);
  }
  const kept: DuplicateBlock[] = [];
  for (const [path, list] of ofFile) {
    signal?.throwIfAborted();
    const file = files.get(path);
    if (file === undefined) continue;
    const lines = (await Bun.file(codePath(stage, file.copy)).text()).split("\n");
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

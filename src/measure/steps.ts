/** What every step of a run shares: the outside things it is given, and what it adds to the report. */

import { dirname, join } from "node:path";
import type { CodebaseReport } from "../reports/measures.ts";
import type { Figures } from "./figures.ts";
import type { FileReaders } from "./file_reader.ts";
import type { Dismissals } from "./ignore.ts";
import type { Selection } from "./select.ts";
import type { Stage } from "./texts.ts";

/** Steps of a run, for the person who waits. */
export type Step =
  | { readonly kind: "start"; readonly step: string }
  | { readonly kind: "count"; readonly step: string; readonly done: number; readonly of: number };

/** The outside things of a run. Nothing is read from the process. */
export interface RunContext {
  readonly tools: Tools;
  /** An existing folder in which the run may make a temporary one. */
  readonly scratch: string;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  readonly onStep?: (step: Step) => void;
  /** Longest time for one file that is read in a process of its own. */
  readonly fileLimitMs?: number;
  readonly signal: AbortSignal;
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
}

/** A step that produced nothing. */
export const NOTHING: StepResult = { findings: {}, tools: {} };

// The measuring tools: where they lie and which versions they are.

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
  const folder = kinds.map((kind) => packageFolder(`jscpd-${kind}`)).find((one) => one !== undefined);
  return folder === undefined ? undefined : join(folder, "bin", "jscpd");
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

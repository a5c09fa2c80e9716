/** What every step of a run shares: the outside things it is given, and what it adds to the report. */

import type { CodebaseReport } from "../reports/measures.ts";
import type { Figures } from "./figures.ts";
import type { FileReaders } from "./file_reader.ts";
import type { Dismissals } from "./ignore.ts";
import type { Selection } from "./select.ts";
import type { Self, Stage } from "./texts.ts";
import type { Tools } from "./tools.ts";

/** Steps of a run, for the person who waits. */
export type Step =
  | { readonly kind: "start"; readonly step: string }
  | { readonly kind: "count"; readonly step: string; readonly done: number; readonly of: number };

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

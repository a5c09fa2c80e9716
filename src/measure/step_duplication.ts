import { BOUNDS } from "../codebase/contract.ts";
import { type DuplicateBlock, type Duplication, readDuplication } from "./duplication.ts";
import { DUPLICATION_KEYS, explain, record } from "./figures.ts";
import { findDuplicates, jscpdVersion } from "./jscpd.ts";
import { type FindingLists, NOTHING, type StepContext, type StepResult } from "./step.ts";

/** Repeated code among the non-test files. A failed tool leaves the measures unmeasured, never 0. */
export async function duplicationStep(context: StepContext): Promise<StepResult> {
  const { figures } = context;
  const result = await search(context);
  if (typeof result === "string") {
    explain(figures, DUPLICATION_KEYS, result);
    return NOTHING;
  }
  record(figures, {
    duplication_percent: result.found.percent,
    duplicated_lines: result.found.duplicatedLines,
    duplicate_blocks: result.found.blocks.length,
  });
  return {
    findings: {
      duplicates: result.found.blocks.filter(isRepeated).slice(0, BOUNDS.duplicates).map(toFinding),
    },
    tools: { duplication: result.version },
    log: [],
  };
}

/** The repeated code, or the reason why it is not known. */
async function search(context: StepContext): Promise<{ found: Duplication; version: string } | string> {
  const { tools, stage, selection, signal } = context;
  if (tools.jscpd === undefined) return "jscpd is not installed.";
  const code = selection.sources.filter((file) => file.inPaths && !file.test);
  const physical = new Map(code.map((file) => [file.path, file.lines.physical]));
  if (!code.some((file) => file.lines.physical > 0)) return "There is no code to compare.";
  const version = await jscpdVersion(tools.jscpd, stage.root, signal);
  if (version === undefined) return "jscpd cannot be started.";
  const answer = await findDuplicates(tools.jscpd, stage, signal);
  if (!answer.ok) return `${answer.reason}.`;
  if (answer.stderr.includes("analyzed no files")) return "jscpd found no file that it can compare.";
  const found = readDuplication(answer.report, physical);
  return found === undefined ? "jscpd's report has an unknown shape." : { found, version };
}

function isRepeated(block: DuplicateBlock): boolean {
  return block.places.length >= 2;
}

function toFinding(block: DuplicateBlock): NonNullable<FindingLists["duplicates"]>[number] {
  return {
    lines: block.lines,
    files: block.places.slice(0, BOUNDS.duplicateFiles).map((place) => ({ ...place })),
  };
}

/** Which tool made which figure, and between which reports one was updated. */
import { entryOf } from "../lib/entry_of.ts";
import type { UtcDay } from "../lib/utc_day.ts";
import type { MeasureKey } from "./measures.ts";

/** The versions of the tools that made a report's numbers, and the image they lie in. */
export type Tools = Readonly<Record<string, string>>;

/** The tool of each measure, by the name it has in a report; what the sender passes in has none. */
const TOOL_OF: { readonly [K in MeasureKey]?: string } = {
  code_lines: "line_counter",
  comment_lines: "line_counter",
  files: "line_counter",
  languages: "line_counter",
  test_lines: "line_counter",
  test_ratio: "line_counter",
  duplication_percent: "duplication",
  duplicated_lines: "duplication",
  duplicate_blocks: "duplication",
  unused_files: "unused",
  unused_exports: "unused",
  complex_functions: "complexity",
  functions: "complexity",
  max_function_complexity: "complexity",
  mean_function_complexity: "complexity",
  commits_30d: "history",
  files_touched_30d: "history",
  large_commits_30d: "history",
  dependencies_direct: "dependencies",
};

const KNOWN: ReadonlySet<string> = new Set(Object.values(TOOL_OF));

/** The input of a rule that names the tools updated between the two reports it compared. */
export const TOOLS_UPDATED = "tools_updated";

/** A tool that two reports both name with different versions. */
export interface ToolChange {
  readonly tool: string;
  readonly before: string;
  readonly now: string;
}

/**
 * The tools that two reports both name with different versions. One that only one of them names came or went with its figures,
 * which is no update. The image is left out: it is known only to some runs, and a rebuilt image may hold the same tools.
 */
export function changedTools(before: Tools | undefined, now: Tools | undefined): readonly ToolChange[] {
  if (before === undefined || now === undefined) return [];
  return Object.entries(now).flatMap(([tool, version]) => {
    const earlier = entryOf(before, tool);
    if (tool === "image" || earlier === undefined || earlier === version) return [];
    return [{ tool, before: earlier, now: version }];
  });
}

/** Most changes that are told of: a report may name thousands of tools, and each flag keeps what it tells. */
const MOST_TOLD = 20;

/**
 * Those of the changes that may have moved a measure: of its own tool first, then of tools whose figures are not known here, no more
 * than are told of.
 */
export function changesOf(changes: readonly ToolChange[], key: MeasureKey): readonly ToolChange[] {
  const own = changes.filter(({ tool }) => tool === TOOL_OF[key]);
  const unknown = changes.filter(({ tool }) => !KNOWN.has(tool));
  return [...own, ...unknown].slice(0, MOST_TOLD);
}

/** The version of the tool that made a measure; undefined where the report does not name it. */
export function toolVersion(tools: Tools | undefined, key: MeasureKey): string | undefined {
  const tool = TOOL_OF[key];
  return tools === undefined || tool === undefined ? undefined : entryOf(tools, tool);
}

/**
 * The days of the reports in which a tool has another version than in the report before. Where one of the two does not name it, its
 * figures were not measured there, and nothing is said of an update. `reports` are in the order of their days.
 */
export function toolChanges(
  reports: readonly { readonly date: UtcDay; readonly tools: Tools | undefined }[],
): ReadonlySet<UtcDay> {
  return new Set(
    reports.flatMap(({ date, tools }, place) =>
      changedTools(reports[place - 1]?.tools, tools).length === 0 ? [] : [date],
    ),
  );
}

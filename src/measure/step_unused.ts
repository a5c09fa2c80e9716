import { BOUNDS } from "../codebase/contract.ts";
import { explain, record, UNUSED_KEYS } from "./figures.ts";
import { findDeadCode } from "./jscpd.ts";
import { searchMentions } from "./mentions.ts";
import { stagedPath } from "./stage.ts";
import { NOTHING, type StepContext, type StepResult } from "./step.ts";
import { DEAD_CODE_LANGUAGES, type DeadCode, readDeadCode } from "./unused.ts";

/** Unused files and exports. A failed tool leaves the measures unmeasured, never 0. */
export async function unusedStep(context: StepContext): Promise<StepResult> {
  const { figures } = context;
  const found = await search(context);
  if (typeof found === "string") {
    explain(figures, UNUSED_KEYS, found);
    return NOTHING;
  }
  const files = await withoutMentioned(context, found.files);
  record(figures, { unused_files: files.length, unused_exports: found.exports.length });
  const items = [
    ...files.map((path) => ({ kind: "file", path })),
    ...[...new Set(found.exports)].map((path) => ({ kind: "export", path })),
  ];
  return {
    findings: { unused: items.slice(0, BOUNDS.unused) },
    tools: {},
    log: [`unused files: ${found.files.length} candidates, ${files.length} that nothing mentions`],
  };
}

/** The candidates, or the reason why they are not known. */
async function search({ tools, stage, selection, signal }: StepContext): Promise<DeadCode | string> {
  if (tools.jscpd === undefined) return "jscpd is not installed.";
  const measured = selection.sources.filter((file) => file.inPaths && !file.test);
  const own = new Set(measured.map((file) => file.path));
  if (!measured.some((file) => DEAD_CODE_LANGUAGES.has(file.language.name))) {
    return "Only JavaScript, TypeScript and Python are covered.";
  }
  if (!selection.whole)
    return "What uses a file can lie anywhere, and the whole repository could not be read.";
  const answer = await findDeadCode(tools.jscpd, stage, signal);
  if (!answer.ok) return `${answer.reason}.`;
  const result = readDeadCode(answer.report, (path) => own.has(path));
  return result.ok ? result.value : `${result.reason}.`;
}

async function withoutMentioned(
  context: StepContext,
  candidates: readonly string[],
): Promise<readonly string[]> {
  if (candidates.length === 0) return candidates;
  context.onStep?.({ kind: "start", step: "Looking for mentions" });
  const { staged } = context.selection;
  const mentions = searchMentions(candidates, staged);
  for (const path of staged) mentions.read(path, await Bun.file(stagedPath(context.stage, path)).text());
  return mentions.unmentioned();
}

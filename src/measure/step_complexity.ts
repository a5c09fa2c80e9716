import { COMPLEXITY_RULES_VERSION } from "./complexity_rules.ts";
import { COMPLEXITY_KEYS, explain, record } from "./figures.ts";
import { addComplexity } from "./functions.ts";
import { hasFunctions, type Parsed } from "./parsing.ts";
import { NOTHING, type StepContext, type StepResult } from "./step.ts";

/** Complexity of the functions in the non-test files. A failed tool leaves the measures unmeasured, never 0. */
export async function complexityStep(
  context: StepContext,
  parsing: Promise<Parsed | string>,
): Promise<StepResult> {
  const { figures, tools, selection } = context;
  const parsed = await parsing;
  const covered = selection.sources.filter(hasFunctions);
  if (covered.length === 0) {
    explain(figures, COMPLEXITY_KEYS, "No file is in a language that the complexity tool covers.");
    return NOTHING;
  }
  const found = typeof parsed === "string" ? parsed : addComplexity(parsed, selection.sources);
  if (typeof found === "string" || found.unread.length === covered.length) {
    explain(figures, COMPLEXITY_KEYS, typeof found === "string" ? found : "No file could be parsed.");
    return NOTHING;
  }
  record(figures, {
    complex_functions: found.complex,
    functions: found.functions,
    max_function_complexity: found.functions === 0 ? undefined : found.max,
    mean_function_complexity: found.functions === 0 ? undefined : found.mean,
  });
  explain(figures, COMPLEXITY_KEYS, "No function was found.");
  return {
    findings: { complexFunctions: found.worst.map((one) => ({ ...one })) },
    tools: {
      complexity: `tree-sitter ${tools.treeSitter} rules ${COMPLEXITY_RULES_VERSION}${notParsed(found.unread.length)}`,
    },
    log: found.unread.map((line) => `not parsed, its functions are in no figure: ${line}`),
  };
}

/** Figures that lack a file say so where they say how they came about: they cannot be held against figures that hold it. */
function notParsed(count: number): string {
  if (count === 0) return "";
  return `, ${count} ${count === 1 ? "file" : "files"} not parsed`;
}

import { COMPLEXITY_RULES_VERSION, grammarsOf } from "./complexity_rules.ts";
import { COMPLEXITY_KEYS, explain, note, record } from "./figures.ts";
import { addComplexity } from "./functions.ts";
import { hasFunctions, notParsed, type Parsed } from "./parsing.ts";
import { NOTHING, type StepContext, type StepResult } from "./step.ts";

/** Complexity of the functions in the non-test files. A failed tool leaves the measures unmeasured, never 0. */
export async function complexityStep(
  context: StepContext,
  parsing: Promise<Parsed | string>,
): Promise<StepResult> {
  const { figures, tools, selection } = context;
  const parsed = await parsing;
  const grammarOf = grammarsOf(selection.sources);
  const covered = selection.sources.filter((file) => hasFunctions(file, grammarOf));
  if (covered.length === 0) {
    explain(figures, COMPLEXITY_KEYS, "No file is in a language that the complexity tool covers.");
    return NOTHING;
  }
  const found = typeof parsed === "string" ? parsed : addComplexity(parsed, covered, context.dismissals);
  if (typeof found === "string") {
    explain(figures, COMPLEXITY_KEYS, found);
    return NOTHING;
  }
  record(figures, {
    complex_functions: found.complex,
    functions: found.functions,
    max_function_complexity: found.functions === 0 ? undefined : found.max,
    mean_function_complexity: found.functions === 0 ? undefined : found.mean,
  });
  explain(figures, COMPLEXITY_KEYS, "No function was found.");
  if (found.unread.length > 0)
    note(figures, COMPLEXITY_KEYS, notParsed(found.unread.map(({ path }) => path)));
  return {
    findings: { complexFunctions: found.worst.map((one) => ({ ...one })) },
    complexity: new Map(
      covered.flatMap(({ path }) => {
        const total = (typeof parsed === "string" ? undefined : parsed.functions.get(path))?.total ?? 0;
        return total > 0 ? [[path, total] as const] : [];
      }),
    ),
    tools: { complexity: `tree-sitter ${tools.treeSitter} rules ${COMPLEXITY_RULES_VERSION}` },
    log: found.unread.map(({ path, why }) => `not parsed, its functions are in no figure: ${path}: ${why}`),
  };
}

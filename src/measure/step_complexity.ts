import { grammarLoader } from "./complexity.ts";
import { COMPLEXITY_RULES_VERSION, grammarOf } from "./complexity_rules.ts";
import { COMPLEXITY_KEYS, explain, record } from "./figures.ts";
import { type Complexity, measureComplexity } from "./functions.ts";
import { NOTHING, type StepContext, type StepResult } from "./step.ts";

/** Complexity of the functions in the non-test files. A failed tool leaves the measures unmeasured, never 0. */
export async function complexityStep(context: StepContext): Promise<StepResult> {
  const { figures, tools, selection } = context;
  if (tools.grammars === undefined || tools.treeSitter === undefined) {
    explain(figures, COMPLEXITY_KEYS, "The parser is not installed.");
    return NOTHING;
  }
  if (
    !selection.sources.some((file) => !file.test && grammarOf(file.language.name, file.path) !== undefined)
  ) {
    explain(figures, COMPLEXITY_KEYS, "No file is in a language that the complexity tool covers.");
    return NOTHING;
  }
  const found = await measure(context, tools.grammars);
  if (found === undefined) {
    explain(figures, COMPLEXITY_KEYS, "The parser failed.");
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
    tools: { complexity: `tree-sitter ${tools.treeSitter} rules ${COMPLEXITY_RULES_VERSION}` },
    log: found.abandoned.map((path) => `${path}: parsing took too long, its functions are not counted`),
  };
}

/** `undefined` when the parser or a grammar broke; an interrupted run goes on being interrupted. */
async function measure(context: StepContext, grammars: string): Promise<Complexity | undefined> {
  try {
    return await measureComplexity(context.selection.sources, context.stage, {
      load: grammarLoader(grammars),
      now: context.now,
      onFile: (done, of) => {
        context.signal?.throwIfAborted();
        context.onStep?.({ kind: "count", step: "Parsing functions", done, of });
      },
    });
  } catch {
    context.signal?.throwIfAborted();
    return undefined;
  }
}

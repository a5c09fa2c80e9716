/** What is wrong with a constants document, and where. */
export interface Problem {
  /** Counted from 1. */
  readonly line: number;
  /** Counted from 1, in UTF-16 units. */
  readonly column?: number;
  /** The key as TOML writes it, for example `assets."trail".flow_rules.alpha`; empty when it is about the whole text. */
  readonly key: string;
  /** The broken rule's code, for example `unknown-key`, `type`, `range`, `syntax`. */
  readonly rule: string;
  /** A clause that follows the key: "must be a whole number from 1 to 28". */
  readonly message: string;
}

/** One problem in one line: `line 12, flow_rules.alpha: must be ...`. */
export function problemLine(problem: Problem): string {
  const at = `line ${problem.line}`;
  return problem.key === "" ? `${at}: ${problem.message}` : `${at}, ${problem.key}: ${problem.message}`;
}

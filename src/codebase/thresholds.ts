/** Thresholds of the five codebase rules, as `codebase_rules` of the constants document holds them. */
export interface CodebaseThresholds {
  /** codebase-growth fires from this growth of code_lines, in percent … */
  readonly growth_percent: number;
  /** … and from this many lines. */
  readonly growth_lines: number;
  /** codebase-duplication fires from this percentage. */
  readonly duplication_percent: number;
  /** codebase-unused fires from this many unused files and packages. */
  readonly unused_items: number;
  /** codebase-complexity fires from this many more hard-to-change functions. */
  readonly complex_functions: number;
  /** codebase-vulnerabilities fires from this many packages; below 1 it is read as 1. */
  readonly vulnerable: number;
}

export const DEFAULT_CODEBASE_THRESHOLDS: CodebaseThresholds = {
  growth_percent: 25,
  growth_lines: 500,
  duplication_percent: 8,
  unused_items: 10,
  complex_functions: 5,
  vulnerable: 1,
};

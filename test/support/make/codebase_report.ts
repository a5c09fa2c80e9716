/** A valid report with as little in it as the contract asks for. */

import type { CodebaseReport } from "../../../src/reports/measures.ts";

export function codebaseReport(changes: Partial<CodebaseReport> = {}): CodebaseReport {
  return { asset: "harbor", generatedAt: "2026-03-01T02:30:00Z", measures: {}, ...changes };
}

/** A report with every field and every measure. */
export function fullCodebaseReport(changes: Partial<CodebaseReport> = {}): CodebaseReport {
  return codebaseReport({
    repository: {
      remote: "https://git.example/harbor.git",
      ref: "refs/heads/main",
      commit: "0123456789abcdef0123456789abcdef01234567",
      committedAt: "2026-03-01T01:00:00+01:00",
    },
    paths: ["src", "packages/web"],
    tools: { image: "measure@sha256:0123", lines: "1.2.3", duplication: "4.5.6", complexity: "7.8.9" },
    measures: {
      code_lines: 12_000,
      comment_lines: 900,
      files: 210,
      languages: 3,
      test_lines: 6_000,
      test_ratio: 0.5,
      duplication_percent: 2.5,
      duplicated_lines: 300,
      duplicate_blocks: 12,
      unused_files: 1,
      unused_exports: 4,
      unused_dependencies: 0,
      complex_functions: 3,
      functions: 800,
      max_function_complexity: 31,
      mean_function_complexity: 2.4,
      commits_30d: 41,
      files_touched_30d: 77,
      large_commits_30d: 2,
      dependencies_direct: 19,
      build_passed: 1,
      tests_passed: 0,
      vulnerable_dependencies: 0,
    },
    unmeasured: {},
    notes: { unused_files: "of 12 covered files" },
    byLanguage: [{ language: "TypeScript", files: 200, code_lines: 11_000 }],
    findings: {
      duplicates: [{ lines: 12, files: [{ path: "src/a.ts", startLine: 3, lines: 12 }] }],
      complexFunctions: [{ path: "src/b.ts", name: "decide", line: 9, complexity: 31, length: 120 }],
      unused: [
        { kind: "file", path: "src/old.ts" },
        { kind: "export", path: "src/c.ts", name: "formerly", line: 4 },
      ],
      largestFiles: [{ path: "src/big.ts", code_lines: 900 }],
    },
    dismissed: [
      { kind: "unused-export", path: "src/api/**", name: "handler", reason: "Called by the host.", count: 2 },
    ],
    ...changes,
  });
}

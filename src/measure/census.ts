/** Lines, files and languages of a selection. */
import { BOUNDS } from "../codebase/contract.ts";
import { type Figures, note, record } from "./figures.ts";
import { compareText } from "./repeats/duplication.ts";
import type { SourceFile } from "./select.ts";

export interface LanguageCount {
  readonly language: string;
  readonly files: number;
  readonly code_lines: number;
}

export interface LargeFile {
  readonly path: string;
  readonly code_lines: number;
}

/** Records the line measures; test files, and tests inside a file, only add to `test_lines`. */
export function recordLines(figures: Figures, sources: readonly SourceFile[]): void {
  const own = sources.filter((file) => !file.test);
  const code = sum(own.map((file) => file.lines.code));
  const inline = sum(own.map((file) => file.lines.testCode));
  const test =
    inline + sum(sources.filter((file) => file.test).map((file) => file.lines.code + file.lines.testCode));
  record(figures, {
    code_lines: code,
    comment_lines: sum(own.map((file) => file.lines.comment)),
    files: own.length,
    languages: new Set(own.map((file) => file.language.name)).size,
    test_lines: test,
    test_ratio: code === 0 ? undefined : Math.round((test / code) * 10_000) / 10_000,
  });
  if (inline > 0)
    note(
      figures,
      ["test_lines"],
      `${inline.toLocaleString("en-US")} of them in test modules inside code files`,
    );
}

/** The languages with the most code, without test files. */
export function topLanguages(sources: readonly SourceFile[]): LanguageCount[] {
  const counts = new Map<string, { files: number; code: number }>();
  for (const { language, lines, test } of sources) {
    if (test) continue;
    const count = counts.get(language.name) ?? { files: 0, code: 0 };
    counts.set(language.name, { files: count.files + 1, code: count.code + lines.code });
  }
  return [...counts]
    .map(([language, { files, code }]) => ({ language, files, code_lines: code }))
    .sort((a, b) => b.code_lines - a.code_lines || compareText(a.language, b.language))
    .slice(0, BOUNDS.byLanguage);
}

/** The largest code files, without test files. */
export function largestFiles(sources: readonly SourceFile[]): LargeFile[] {
  return sources
    .filter((file) => !file.test)
    .map((file) => ({ path: file.path, code_lines: file.lines.code }))
    .sort((a, b) => b.code_lines - a.code_lines || compareText(a.path, b.path))
    .slice(0, BOUNDS.largestFiles);
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

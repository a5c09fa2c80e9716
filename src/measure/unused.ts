/** Unused files and exports from jscpd's dead-code report, JavaScript, TypeScript and Python only. */
import * as v from "valibot";
import { compareText } from "./duplication.ts";

const Report = v.object({
  findings: v.array(
    v.object({
      category: v.string(),
      path: v.string(),
      language: v.string(),
      lines: v.number(),
      confidence: v.number(),
    }),
  ),
  statistics: v.object({ files: v.number(), unparsed: v.number(), entryPoints: v.number() }),
});

/** Least confidence of a finding that counts, of 100. */
export const CONFIDENCE = { file: 90, export: 80 } as const;

/** Above this share of unparsed files the tool did not understand the repository. */
const MAX_UNPARSED = 0.2;

/** Languages the tool covers, by the line counter's names. */
export const DEAD_CODE_LANGUAGES: ReadonlySet<string> = new Set(["JavaScript", "TypeScript", "Python"]);

export interface DeadCode {
  /** Candidates before the mention filter, largest first. */
  readonly files: readonly string[];
  /** One path per unused export, in path order. */
  readonly exports: readonly string[];
}

export type DeadCodeResult =
  | { readonly ok: true; readonly value: DeadCode }
  | { readonly ok: false; readonly reason: string };

/** Reads a report; `isOwn` tells the project's own non-test source files from everything else. */
export function readDeadCode(report: unknown, isOwn: (path: string) => boolean): DeadCodeResult {
  const parsed = v.safeParse(Report, report);
  if (!parsed.success) return { ok: false, reason: "The dead-code report has an unknown shape" };
  const { findings, statistics } = parsed.output;
  if (statistics.entryPoints === 0) return { ok: false, reason: "No entry point was found" };
  if (statistics.unparsed > statistics.files * MAX_UNPARSED) {
    return { ok: false, reason: "More than 20% of the files could not be parsed" };
  }
  const own = findings.filter((finding) => isOwn(finding.path));
  const files = own
    .filter(({ category, confidence }) => category === "unused-file" && confidence >= CONFIDENCE.file)
    .filter(({ path }) => !isSideFile(path))
    .sort((a, b) => b.lines - a.lines || compareText(a.path, b.path));
  const exports = own
    .filter(({ category, confidence }) => category === "unused-export" && confidence >= CONFIDENCE.export)
    .map(({ path }) => path)
    .sort(compareText);
  return { ok: true, value: { files: files.map(({ path }) => path), exports } };
}

/** Files that stand on their own by custom: settings in dot folders, examples, documentation. */
function isSideFile(path: string): boolean {
  return /(^|\/)(\.[^/]+|examples?|docs?)(\/|$)/.test(path);
}

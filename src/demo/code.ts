/** The codebase reports of a site of the demo: one a week, measured at noon. */

import { DAY_MS, SEED } from "./history.ts";
import { seedOf, uniform } from "./simulator/figures.ts";
import type { DemoCode, DemoSite } from "./site.ts";

/** Weeks before the demo was made; the newest report is of the day before. */
const WEEKS = 17;
const NOON_MS = 12 * 3_600_000;
/** From which week before on the tools are newer ones. */
const UPDATED_WEEK = 6;
const FOLDERS = ["src/checkout", "src/catalogue", "src/account", "src/search"];

type CodebaseReport = ReturnType<typeof reportOf>;

/** Every report up to the day on which the demo was made, the oldest first. */
export function codebaseReports(site: DemoSite, madeAt: number): readonly CodebaseReport[] {
  const { code } = site;
  if (code === undefined) return [];
  const day = Math.floor(madeAt / DAY_MS);
  return Array.from({ length: WEEKS }, (_, place) => {
    const week = WEEKS - 1 - place;
    return reportOf(site, code, week, (day - 1 - 7 * week) * DAY_MS + NOON_MS);
  });
}

function reportOf(site: DemoSite, code: DemoCode, week: number, at: number) {
  const lines = linesBefore(code, week);
  const seed = seedOf(SEED, site.id, "code");
  const share = lines / code.lines;
  // What is left lying about becomes more with the weeks.
  const duplication =
    Math.round(code.duplication * (1 - week * 0.013 + 0.02 * uniform(seed, 700 + week)) * 10) / 10;
  const testRatio = Math.round(code.testRatio * (1 + (week - 4) * 0.004) * 100) / 100;
  const unused = Math.round(code.unused * (1 - week * 0.04));
  const files = Math.round(lines / 118);
  const functions = Math.round(lines / 14);
  const complex = Math.max(0, Math.round(code.complex * share ** 2));
  const blocks = Math.round((lines * duplication) / 100 / 18);
  const extension = EXTENSIONS[code.language] ?? "txt";
  const path = (place: number) =>
    `${FOLDERS[place % FOLDERS.length] ?? "src"}/part_${1 + Math.floor(uniform(seed, place) * 40)}.${extension}`;
  return {
    asset: site.id,
    generatedAt: new Date(at).toISOString(),
    repository: {
      remote: `https://git.example/${site.id.split(".")[0] ?? ""}.git`,
      ref: "refs/heads/main",
      commit: commitOf(site.id, week),
      committedAt: new Date(at - 5_400_000).toISOString(),
    },
    paths: ["src"],
    tools: { lines: "2.1.0", duplication: week < UPDATED_WEEK ? "5.3.2" : "5.2.0", complexity: "1.4.1" },
    measures: {
      code_lines: lines,
      comment_lines: Math.round(lines * 0.08),
      files,
      languages: 2,
      test_lines: Math.round(lines * testRatio),
      test_ratio: testRatio,
      duplication_percent: duplication,
      duplicated_lines: Math.round((lines * duplication) / 100),
      duplicate_blocks: blocks,
      ...(UNUSED_IS_MEASURED.has(code.language)
        ? { unused_files: unused, unused_exports: Math.round(unused * 2.5) }
        : {}),
      complex_functions: complex,
      functions,
      max_function_complexity: 12 + code.complex,
      mean_function_complexity: 2.3,
      commits_30d: 12 + Math.round(40 * uniform(seed, week)),
      files_touched_30d: Math.round(files * 0.2),
      large_commits_30d: Math.round(3 * uniform(seed, 100 + week)),
      dependencies_direct: 14 + Math.round(lines / 4_000),
      build_passed: 1,
      tests_passed: code.failsTests === true && week < 2 ? 0 : 1,
      ...(code.vulnerable === undefined ? {} : { vulnerable_dependencies: week < 4 ? code.vulnerable : 0 }),
    },
    unmeasured: UNUSED_IS_MEASURED.has(code.language)
      ? {}
      : { unused_files: `No tool looks for unused files of ${code.language}` },
    byLanguage: [
      { language: code.language, files: files - 6, code_lines: lines - 640 },
      { language: "CSS", files: 6, code_lines: 640 },
    ],
    findings: {
      duplicates: [0, 1, 2].map((place) => ({
        lines: 42 - 9 * place,
        files: [
          { path: path(place), startLine: 20 + place },
          { path: path(place + 7), startLine: 88 + place },
        ],
      })),
      complexFunctions: Array.from({ length: Math.min(8, complex) }, (_, place) => ({
        path: path(place + 20),
        name: ["priceOf", "readForm", "matchDates", "routeFor"][place % 4] ?? "",
        line: 30 + 12 * place,
        complexity: 12 + code.complex - place,
        length: 140 - 9 * place,
      })),
      ...(UNUSED_IS_MEASURED.has(code.language)
        ? {
            unused: Array.from({ length: unused }, (_, place) => ({
              kind: "file",
              path: `src/old/part_${place + 1}.${extension}`,
            })),
          }
        : {}),
      largestFiles: [0, 1, 2, 3].map((place) => ({
        path: path(place + 40),
        code_lines: 1_400 - 210 * place,
      })),
    },
  };
}

const EXTENSIONS: Readonly<Record<string, string>> = {
  TypeScript: "ts",
  JavaScript: "js",
  Python: "py",
  PHP: "php",
  Ruby: "rb",
};
const UNUSED_IS_MEASURED = new Set(["TypeScript", "JavaScript", "Python"]);

/** The lines of code so many weeks before the newest report. */
function linesBefore({ lines, weekly }: DemoCode, week: number): number {
  let left = lines;
  for (let back = 0; back < week; back++) left -= weekly.at(-1 - back) ?? weekly[0] ?? 0;
  return Math.max(500, left);
}

function commitOf(id: string, week: number): string {
  return [0, 1, 2, 3, 4]
    .map((place) => seedOf(SEED, id, "commit", week, place).toString(16).padStart(8, "0"))
    .join("");
}

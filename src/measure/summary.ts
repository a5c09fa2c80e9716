/** What a report says, for the person who waits for it: plain lines of 80 columns. Names of the repository are somebody else's text. */

import { countText, countWords } from "../base/text.ts";
import type { CodebaseReport, MeasureKey } from "../reports/measures.ts";
import type { Hotspot } from "./step_history.ts";
import type { UnusedFinding } from "./steps.ts";
import { printable } from "./terminal.ts";
import type { Skips } from "./usable.ts";

/** What the report itself does not hold. */
export interface Account {
  /** Files left out, by reason. */
  readonly leftOut: Skips;
  /** Findings dropped to keep the size limit, by list. */
  readonly dropped: Readonly<Record<string, number>>;
  readonly seconds: number;
  /** Every unused thing, also of the kinds that are not counted. */
  readonly unused: readonly UnusedFinding[];
  /** Files that change often and are hard to change. */
  readonly hotspots: readonly Hotspot[];
}

type Row = readonly [key: MeasureKey, label: string, unit: readonly [one: string, many: string]];

const NO_UNIT = ["", ""] as const;
const ROWS: readonly Row[] = [
  ["code_lines", "Lines of code", ["line", "lines"]],
  ["comment_lines", "Comment lines", ["line", "lines"]],
  ["files", "Files", ["file", "files"]],
  ["languages", "Languages", NO_UNIT],
  ["test_lines", "Test code", ["line", "lines"]],
  ["test_ratio", "Test code per line of code", ["line", "lines"]],
  ["duplication_percent", "Repeated code", ["%", "%"]],
  ["duplicated_lines", "Repeated lines", ["line", "lines"]],
  ["duplicate_blocks", "Repeated blocks", ["block", "blocks"]],
  ["unused_files", "Unused files", ["file", "files"]],
  ["unused_exports", "Unused exports", ["export", "exports"]],
  ["unused_dependencies", "Unused packages", ["package", "packages"]],
  ["functions", "Functions", ["function", "functions"]],
  ["complex_functions", "Hard-to-change functions", ["function", "functions"]],
  ["max_function_complexity", "Highest complexity", NO_UNIT],
  ["mean_function_complexity", "Average complexity", NO_UNIT],
  ["commits_30d", "Commits in 30 days", ["commit", "commits"]],
  ["files_touched_30d", "Files touched in 30 days", ["file", "files"]],
  ["large_commits_30d", "Commits of 20 files or more", ["commit", "commits"]],
  ["dependencies_direct", "Packages installed by name", ["package", "packages"]],
  ["build_passed", "Build", NO_UNIT],
  ["tests_passed", "Tests", NO_UNIT],
  ["vulnerable_dependencies", "Vulnerable packages", ["package", "packages"]],
];

const WIDTH = 80;
const LABEL_WIDTH = 30;
const VALUE_WIDTH = 11;
/** Findings shown of each list. */
const WORST = 3;
const MAX_NAME = 160;

/** The summary, line by line; with `all`, also every unused thing. */
export function summaryLines(report: CodebaseReport, account: Account, all = false): string[] {
  return [
    ...heading(report),
    "",
    ...figures(report),
    ...section("Not measured", notMeasured(report)),
    ...section("Worst findings", worstFindings(report)),
    ...section(
      "Hotspots: changes in 90 days times complexity",
      account.hotspots.flatMap(({ path, changes, complexity }) =>
        row([shown(path), `${countWords(changes, "change")}, complexity ${countText(complexity)}`]),
      ),
    ),
    ...section("All unused code", all ? account.unused.flatMap((one) => row(unusedRow(one))) : []),
    ...section("Files left out", counts(account.leftOut)),
    ...section("Findings left out for the size limit of a report", counts(Object.entries(account.dropped))),
    ...section("Dismissed by .tower-measure", dismissed(report)),
    "",
    `Measured in ${account.seconds.toFixed(1)} s.`,
  ];
}

function section(title: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : ["", title, ...lines];
}

function heading({ asset, repository, paths = [] }: CodebaseReport): string[] {
  const { commit = "", ref, committedAt, remote } = repository ?? {};
  const at = committedAt === undefined ? "" : `, committed ${committedAt.slice(0, 10)}`;
  const parts = paths.includes(".") ? [] : [`Only ${paths.map((path) => shown(path)).join(", ")}`];
  const from = remote === undefined ? [] : [shown(remote)];
  return [`${asset}: commit ${commit.slice(0, 12)} (${shown(ref ?? "HEAD")})${at}`, ...from, ...parts];
}

/** A note that several rows in turn share stands below the first of them. */
function figures({ measures, notes }: CodebaseReport): string[] {
  let last: string | undefined;
  return ROWS.flatMap(([key, label, unit]) => {
    const value = measures[key];
    if (value === undefined) return [];
    const passed = key === "build_passed" || key === "tests_passed";
    const number = passed
      ? value === 1
        ? "passed"
        : "failed"
      : value.toLocaleString("en-US", { maximumFractionDigits: 4 });
    const row = `  ${label.padEnd(LABEL_WIDTH)}${number.padStart(VALUE_WIDTH)} ${value === 1 ? unit[0] : unit[1]}`;
    const note = notes?.[key];
    const isSaid = note === last;
    last = note;
    return [row.trimEnd(), ...(note === undefined || isSaid ? [] : wrapped(shown(note, WIDTH * 4), 6))];
  });
}

/** Each reason once, with everything that is absent for it. */
function notMeasured({ measures, unmeasured = {} }: CodebaseReport): string[] {
  const byReason = new Map<string, string[]>();
  for (const [key, label] of ROWS) {
    if (measures[key] !== undefined) continue;
    const reason = shown(unmeasured[key] ?? "No reason is known.", WIDTH * 4);
    byReason.getOrInsert(reason, []).push(label);
  }
  return [...byReason].flatMap(([reason, labels]) => [
    ...wrapped(labels.map((label, at) => (at === 0 ? label : lowerFirst(label))).join(", "), 2),
    ...wrapped(reason, 6),
  ]);
}

function lowerFirst(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}

function worstFindings({ findings = {} }: CodebaseReport): string[] {
  const { complexFunctions = [], duplicates = [], unused = [] } = findings;
  return [
    ...few(complexFunctions, "complex function", ({ path, line, name, complexity }) => [
      `${shown(path)}:${line}`,
      `${shown(name)}, complexity ${complexity}`,
    ]),
    ...few(duplicates, "repeated block", ({ lines, files }) => {
      const [first, second] = files;
      if (first === undefined || second === undefined) return [`${lines} lines`, "repeated"];
      const more = files.length === 2 ? "" : ` and ${files.length - 2} more`;
      return [
        `${shown(first.path)}:${first.startLine}`,
        `${lines} lines, also at ${shown(second.path)}:${second.startLine}${more}`,
      ];
    }),
    ...few(
      unused.filter(({ kind }) => kind === "file"),
      "unused file",
      unusedRow,
    ),
    ...few(
      unused.filter(({ kind }) => kind !== "file"),
      "unused export",
      unusedRow,
    ),
  ];
}

/** A finding: where, and what. */
type FindingRow = readonly [where: string, what: string];

function unusedRow({ kind, path, line, name }: UnusedFinding): FindingRow {
  const what = kind === "own-file export" ? kind : `unused ${kind}`;
  return [
    line === undefined ? shown(path) : `${shown(path)}:${line}`,
    name === undefined ? what : `${what} ${shown(name)}`,
  ];
}

/** Both on one line when there is room for it. */
function row([where, what]: FindingRow): string[] {
  const one = `  ${where}  ${what}`;
  return Bun.stringWidth(one) <= WIDTH ? [one] : [`  ${where}`, ...wrapped(what, 6)];
}

/** The first of a list. */
function few<T>(list: readonly T[], what: string, show: (item: T) => FindingRow): string[] {
  const lines = list.slice(0, WORST).flatMap((item) => row(show(item)));
  const more = list.length - WORST;
  return more > 0
    ? [...lines, `      and ${more} more ${what}${more === 1 ? "" : "s"} in the report`]
    : lines;
}

function counts(counted: Iterable<readonly [what: string, count: number]>): string[] {
  return wrapped([...counted].map(([what, count]) => `${what}: ${countText(count)}`).join(", "), 2);
}

function dismissed({ dismissed: entries = [], paths = ["."] }: CodebaseReport): string[] {
  return entries.flatMap(({ kind, path, name, reason, count }) => {
    const what = `${kind} ${shown(path)}${name === undefined ? "" : ` ${shown(name)}`}`;
    const found = count === 0 && paths.includes(".") ? "matched nothing, it can go" : countText(count);
    return wrapped(`${what}: ${found} (${shown(reason)})`, 2);
  });
}

function shown(text: string, maxLength = MAX_NAME): string {
  return printable(text, maxLength);
}

/** Words in lines of 80 columns behind an indent; what is longer than a line has one of its own. */
function wrapped(text: string, indent: number): string[] {
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(" ")) {
    const longer = line === "" ? word : `${line} ${word}`;
    if (line !== "" && indent + Bun.stringWidth(longer) > WIDTH) {
      lines.push(line);
      line = word;
    } else line = longer;
  }
  if (line !== "") lines.push(line);
  return lines.map((one) => `${" ".repeat(indent)}${one}`);
}

/** Everything the Codebase tab shows, from stored reports: plain data, no HTML, no query. */

import { countWords } from "../base/text.ts";
import { addDays, type UtcDay } from "../base/time.ts";
import type { FlagRow } from "../flags/flags.ts";
import {
  changedTools,
  changesOf,
  type MeasureReading,
  readMeasure,
  readSum,
  type ToolChange,
  type Tools,
  toolChanges,
  toolVersion,
} from "./codebase_rules.ts";
import { codebaseSentence, type VisitorsMeasured } from "./codebase_sentence.ts";
import {
  type CodebaseReport,
  MEASURE_UNITS,
  type MeasureKey,
  type Measures,
  type UnitClass,
} from "./measures.ts";
import type { ReportRow } from "./reports.ts";

interface SeriesReport {
  readonly date: UtcDay;
  readonly measures: Measures;
  readonly tools: Tools | undefined;
}

/** Which days a chart shows, both included. */
interface DayRange {
  readonly from: UtcDay;
  readonly to: UtcDay;
}

/** What the range links offer, in days. */
export const RANGES = [30, 90, 365] as const;

export type CodebaseRange = (typeof RANGES)[number];

/** Sums the measured ones of several measures; undefined when none was measured. */
export function sumOf(...keys: readonly MeasureKey[]): (measures: Measures) => number | undefined {
  return (measures) => {
    const values = keys.map((key) => measures[key]).filter((value) => value !== undefined);
    return values.length === 0 ? undefined : values.reduce((sum, value) => sum + value, 0);
  };
}

/** A current report of the site: the newest revision of its day. */
export interface ViewReport
  extends SeriesReport,
    Pick<ReportRow, "revision" | "receivedAt" | "generatedAt"> {}

/** A lasting condition that a codebase rule found, as the flag that told it last has it. */
export interface ViewFlag extends Pick<FlagRow, "id" | "severity" | "message" | "status"> {
  readonly rule: string;
  /** Put away for a while: it is listed again when it returns. */
  readonly snoozed?: boolean;
  /** When the condition began. */
  readonly heldSince: number;
}

export interface CodebaseViewInput {
  /** Current reports of the site, one per day, in any order. */
  readonly reports: readonly ViewReport[];
  /** The latest report as it was sent. */
  readonly latestBody: CodebaseReport | undefined;
  /** The comparison report that the rules chose, with what was sent. */
  readonly comparison: { readonly report: ViewReport; readonly body: CodebaseReport | undefined } | null;
  readonly visitors: VisitorsMeasured;
  /** Each lasting condition once, newest first. */
  readonly flags: readonly ViewFlag[];
  readonly range: CodebaseRange;
  /** Last day of the charts; the latest report's day when absent or later than it. */
  readonly until?: UtcDay | undefined;
}

/** An entry of the repository's own list, with how many findings, or files, it left out. */
export type Dismissal = NonNullable<CodebaseReport["dismissed"]>[number];

/** What one report says by itself. */
export type ReportView = ReturnType<typeof reportView>;

/** A site with at least one report. */
export type CodebaseView = NonNullable<ReturnType<typeof codebaseView>>;

/** Most past conditions listed, the newest ones. */
const PAST_FLAGS = 20;

const TRACKS = [
  { id: "lines", label: "Lines of code", unit: "count", read: sumOf("code_lines") },
  { id: "repeated", label: "Repeated code", unit: "percent", read: sumOf("duplication_percent") },
  {
    id: "unused",
    label: "Unused code",
    unit: "count",
    read: sumOf("unused_files", "unused_exports", "unused_dependencies"),
  },
  { id: "complex", label: "Hard-to-change functions", unit: "count", read: sumOf("complex_functions") },
  { id: "test-ratio", label: "Test coverage by size", unit: "ratio", read: sumOf("test_ratio") },
] as const;

/** One figure over time, a point for each report. */
export type Track = ReturnType<typeof codebaseTracks>[number];

/** The read model of the tab; undefined while the site has sent no codebase report. */
export function codebaseView(input: CodebaseViewInput) {
  const reports = [...input.reports].sort((one, other) => (one.date < other.date ? -1 : 1));
  const latest = reports.at(-1);
  const [first] = reports;
  if (latest === undefined || first === undefined) return undefined;
  const { comparison, latestBody } = input;
  const before = comparison?.report;
  const changes = toolChanges(reports);
  return {
    ...reportView(latest, latestBody, {
      comparison: comparison === null ? null : { ...comparison.report, body: comparison.body },
      reports: reports.map((report) => ({ ...report, body: undefined })),
    }),
    latest,
    comparison: before ?? null,
    /** A tool of the latest report was updated since the report before it. */
    toolsChanged: changes.has(latest.date),
    counterUpdated: counterUpdates(before, latest),
    sentence: codebaseSentence(
      before === undefined ? null : { now: latest.measures.code_lines, before: before.measures.code_lines },
      input.visitors,
    ),
    visitors: input.visitors,
    charts: chartsOf(input, reports, changes, first.date, latest.date),
    openFlags: input.flags.filter((flag) => flag.status === "open"),
    pastFlags: input.flags.filter((flag) => flag.status === "resolved").slice(0, PAST_FLAGS),
  };
}

/** What a report says, beside the report it is compared with and those around it; by itself where these are left out. */
export function reportView(
  report: Pick<ViewReport, "date" | "measures" | "tools">,
  body: CodebaseReport | undefined,
  beside: { readonly comparison: FigureReport | null; readonly reports: readonly FigureReport[] } = {
    comparison: null,
    reports: [],
  },
) {
  return {
    repository: body?.repository,
    paths: body?.paths,
    tools: report.tools,
    ...codebaseFigures({ ...report, body }, beside.comparison, beside.reports),
    /** A list that is absent was not measured; an empty one means nothing found. */
    findings: { ...body?.findings, byLanguage: body?.byLanguage },
    dismissed: body?.dismissed ?? [],
  };
}

function counterUpdates(before: ViewReport | undefined, latest: ViewReport): readonly ToolChange[] {
  const isCompared = latest.measures.code_lines !== undefined && before?.measures.code_lines !== undefined;
  return isCompared ? changesOf(changedTools(before.tools, latest.tools), "code_lines") : [];
}

/** The figures over days of one's own choice, of current reports, one a day; those before the first day tell where tools changed. */
export function codebaseTracks(given: readonly SeriesReport[], range: DayRange) {
  const reports = [...given].sort((one, other) => (one.date < other.date ? -1 : 1));
  return tracksOf(reports, toolChanges(reports), range);
}

function tracksOf(reports: readonly SeriesReport[], changes: ReadonlySet<UtcDay>, range: DayRange) {
  const shown = reports.filter(({ date }) => date >= range.from && date <= range.to);
  return TRACKS.map(({ read, ...track }) => ({
    ...track,
    points: shown.map(({ date, measures }) => ({
      date,
      /** Undefined where the report did not measure the figure. */
      value: read(measures),
      /** A tool was updated since the report before it, so the two values are not one line. */
      toolsChanged: changes.has(date),
    })),
  }));
}

function chartsOf(
  input: CodebaseViewInput,
  reports: readonly ViewReport[],
  changes: ReadonlySet<UtcDay>,
  first: UtcDay,
  last: UtcDay,
) {
  const until = input.until === undefined || input.until > last ? last : input.until;
  const range = { from: addDays(until, 1 - input.range), to: until };
  return {
    days: input.range,
    range,
    tracks: tracksOf(reports, changes, range),
    earlier: first < range.from,
    later: last > range.to,
  };
}

// The figures of the Codebase tab in their rows (spec, Presentation of codebase figures).

/** One report with what was sent, as far as the figures read it. */
export interface FigureReport extends SeriesReport {
  readonly body: CodebaseReport | undefined;
}

/** What a report says beside measures of a figure. */
export interface Remark {
  /** Which of the figure's measures it is about; null for the figure itself. */
  readonly about: string | null;
  readonly words: string;
}

export type Figure = ReturnType<typeof figureOf>;

/** A figure that stands beside another one, with its words for one and for many. */
export type Detail = Figure["details"][number];

type Words = readonly [key: MeasureKey, one: string, many: string] | readonly [key: MeasureKey, lead: string];

interface Row {
  readonly id: string;
  readonly label: string;
  /** Several keys are summed, those that were measured. */
  readonly keys: readonly [MeasureKey, ...MeasureKey[]];
  readonly details: readonly Words[];
  /** What a repository's own list can leave out of it. */
  readonly dismissed?: readonly Dismissible[];
}

/** Kinds of entries of a repository's own list, with what they count. */
interface Dismissible {
  readonly kinds: readonly string[];
  readonly one: string;
  readonly many: string;
}

/** Files that are left out are in none of the figures that files make, so it is said beside each of them. */
const LEFT_OUT_FILES: Dismissible = { kinds: ["path"], one: "file", many: "files" };

const FIGURE_ROWS: readonly Row[] = [
  {
    id: "lines",
    label: "Lines of code",
    keys: ["code_lines"],
    details: [
      ["comment_lines", "comment line", "comment lines"],
      ["files", "file", "files"],
      ["languages", "language", "languages"],
    ],
    dismissed: [LEFT_OUT_FILES],
  },
  {
    id: "repeated",
    label: "Repeated code",
    keys: ["duplication_percent"],
    details: [
      ["duplicated_lines", "repeated line", "repeated lines"],
      ["duplicate_blocks", "block", "blocks"],
    ],
    dismissed: [LEFT_OUT_FILES, { kinds: ["duplicate"], one: "block", many: "blocks" }],
  },
  {
    id: "unused",
    label: "Unused code",
    keys: ["unused_files", "unused_exports", "unused_dependencies"],
    details: [
      ["unused_files", "unused file", "unused files"],
      ["unused_exports", "unused shared piece", "unused shared pieces"],
      ["unused_dependencies", "unused package", "unused packages"],
    ],
    dismissed: [
      LEFT_OUT_FILES,
      { kinds: ["unused-file", "unused-export"], one: "finding", many: "findings" },
    ],
  },
  {
    id: "complex",
    label: "Hard-to-change functions",
    keys: ["complex_functions"],
    details: [
      ["functions", "function", "functions"],
      ["max_function_complexity", "highest complexity"],
      ["mean_function_complexity", "average"],
    ],
    dismissed: [LEFT_OUT_FILES, { kinds: ["complex-function"], one: "function", many: "functions" }],
  },
  {
    id: "test-ratio",
    label: "Test coverage by size",
    keys: ["test_ratio"],
    details: [["test_lines", "test line", "test lines"]],
    dismissed: [LEFT_OUT_FILES],
  },
  { id: "build", label: "Build", keys: ["build_passed"], details: [] },
  { id: "tests", label: "Tests", keys: ["tests_passed"], details: [] },
  { id: "vulnerable", label: "Vulnerable packages", keys: ["vulnerable_dependencies"], details: [] },
];

const WORK_ROWS: readonly Row[] = [
  { id: "commits", label: "Commits in 30 days", keys: ["commits_30d"], details: [] },
  { id: "touched", label: "Files touched in 30 days", keys: ["files_touched_30d"], details: [] },
  { id: "large", label: "Commits of 20 files or more", keys: ["large_commits_30d"], details: [] },
  { id: "packages", label: "Packages installed by name", keys: ["dependencies_direct"], details: [] },
];

/** Days over which passed and failed results are counted, the latest report's day included. */
const PASS_DAYS = 30;

/** Results of the reports that carry the figure, of the 30 days that end at `latest`. */
export function countPasses(key: MeasureKey, latest: UtcDay, reports: readonly FigureReport[]) {
  let passed = 0;
  let carried = 0;
  const first = addDays(latest, 1 - PASS_DAYS);
  for (const { date, measures } of reports) {
    const value = measures[key];
    if (date < first || date > latest || value === undefined) continue;
    carried++;
    if (value === 1) passed++;
  }
  return { passed, carried };
}

function read(row: Row, report: FigureReport): MeasureReading {
  const [first, ...more] = row.keys;
  return more.length === 0
    ? readMeasure(report.measures, first, report.body)
    : readSum(report.measures, row.keys, report.body);
}

/** What a report says beside the measures of a row, each text once, and what its repository left out of them. */
function remarksOf(row: Row, report: FigureReport): readonly Remark[] {
  const leftOut = leftOutOf(row, report);
  return [...notesOf(row, report), ...(leftOut === undefined ? [] : [{ about: null, words: leftOut }])];
}

/** A figure that is lower because findings were dismissed never looks like a better one. */
function leftOutOf({ keys, dismissed = [] }: Row, { measures, body }: FigureReport): string | undefined {
  if (keys.every((key) => measures[key] === undefined)) return undefined;
  const parts = dismissed.flatMap(({ kinds, one, many }) => {
    const entries = (body?.dismissed ?? []).filter(({ kind }) => kinds.includes(kind));
    const count = entries.reduce((sum, entry) => sum + entry.count, 0);
    return count === 0 ? [] : [countWords(count, one, many)];
  });
  return parts.length === 0 ? undefined : `${parts.join(" and ")} left out by the repository itself`;
}

function notesOf(row: Row, { measures, body }: FigureReport): readonly Remark[] {
  const measured = row.keys.filter((key) => measures[key] !== undefined);
  const keys = new Set([...row.keys, ...row.details.map(([key]) => key)]);
  const said = new Map<string, Set<MeasureKey>>();
  for (const key of keys) {
    const reading = readMeasure(measures, key, body);
    if (!reading.measured || reading.note === undefined) continue;
    said.set(reading.note, (said.get(reading.note) ?? new Set()).add(key));
  }
  return [...said].map(([words, about]) => ({
    about: measured.length > 0 && measured.every((key) => about.has(key)) ? null : namesOf(row, about),
    words,
  }));
}

function namesOf(row: Row, keys: ReadonlySet<MeasureKey>): string {
  const named = row.details.filter(([key]) => keys.has(key)).map(([, one, many]) => many ?? one);
  return named.length === 0 ? row.label : named.join(", ");
}

/** The version of the tool that made the figure's numbers, or those beside it, as far as the report names it. */
function toolFor(row: Row, { measures, tools }: FigureReport): string | null {
  const keys = [...row.keys, ...row.details.map(([key]) => key)];
  const measured = keys.filter((key) => measures[key] !== undefined);
  return measured.map((key) => toolVersion(tools, key)).find((version) => version !== undefined) ?? null;
}

function figureOf(
  row: Row,
  latest: FigureReport,
  comparison: FigureReport | null,
  reports: readonly FigureReport[],
) {
  const [key] = row.keys;
  const unit: UnitClass = MEASURE_UNITS[key];
  const remarks = remarksOf(row, latest);
  const tool = toolFor(row, latest);
  const toolBefore = comparison === null ? null : toolFor(row, comparison);
  const remarksBefore = comparison === null ? [] : remarksOf(row, comparison);
  return {
    id: row.id,
    label: row.label,
    unit,
    latest: read(row, latest),
    /** The same figure in the comparison report; null when there is no comparison report. */
    before: comparison === null ? null : read(row, comparison),
    details: row.details.map(([detail, one, many]) => ({
      key: detail,
      unit: MEASURE_UNITS[detail] as UnitClass,
      one,
      many: many ?? one,
      /** The words come first, as in "highest complexity 61"; otherwise they follow, as in "618 files". */
      lead: many === undefined,
      reading: readMeasure(latest.measures, detail, latest.body),
    })),
    /** The version of the tool that measured it; null where the report names none, or has no value. */
    tool,
    /** The version that measured the comparison report's value, where that is another one. */
    toolBefore: tool === null || toolBefore === tool ? null : toolBefore,
    /** What the latest report says beside it, and where the comparison report says something else, what that says. */
    remarks,
    remarksBefore: JSON.stringify(remarksBefore) === JSON.stringify(remarks) ? [] : remarksBefore,
    /** For Build and Tests: results of the reports of 30 days that carry the figure. */
    passes: unit === "pass" ? countPasses(key, latest.date, reports) : null,
  };
}

/** The eight figures of the tab, and the four that describe the work of 30 days and the packages. */
export function codebaseFigures(
  latest: FigureReport,
  comparison: FigureReport | null,
  reports: readonly FigureReport[],
) {
  const rowsOf = (rows: readonly Row[]) => rows.map((row) => figureOf(row, latest, comparison, reports));
  return { figures: rowsOf(FIGURE_ROWS), work: rowsOf(WORK_ROWS) };
}

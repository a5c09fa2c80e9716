/** Everything the Codebase tab shows, from stored reports: plain data, no HTML, no query. */

import { addDays, type UtcDay } from "../base/time.ts";
import { codebaseFigures, type FigureReport } from "./codebase_figures.ts";
import { changedTools, changesOf, type ToolChange, type Tools, toolChanges } from "./codebase_rules.ts";
import { codebaseSentence, type VisitorsMeasured } from "./codebase_sentence.ts";
import type { CodebaseReport, MeasureKey, Measures } from "./measures.ts";

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
export interface ViewReport extends SeriesReport {
  readonly revision: number;
  /** Milliseconds since the epoch. */
  readonly receivedAt: number;
  readonly generatedAt: number;
}

/** A lasting condition that a codebase rule found, as the flag that told it last has it. */
export interface ViewFlag {
  readonly id: string;
  readonly rule: string;
  readonly severity: "info" | "warn" | "error";
  readonly message: string;
  readonly status: "open" | "resolved";
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

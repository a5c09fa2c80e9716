/** One report of a panel: what it is, of which day and attempt, how much it covers, and its first rows. */
import type { KeptReport } from "../../archive/mod.ts";
import { parseUtcDay, type UtcDay } from "../../lib/utc_day.ts";
import type { ReportFamily } from "../../provider/report/contract.ts";
import { Meter } from "../component/meter.tsx";
import { type ColumnOf, DataTable } from "../component/table.tsx";
import { Term } from "../component/term.tsx";
import { Unseen } from "../component/text.tsx";
import { countOf, formatCount, formatDay } from "../format.ts";
import type { Child } from "../jsx/jsx-runtime.ts";
import { paths } from "../paths.ts";
import { figureText } from "../site_days/named.ts";
import { isAssistantReferral } from "./assistant.tsx";
import { familyWords, figureWords } from "./family_words.ts";
import { KeyCell } from "./key_cell.tsx";
import { NoteMarks } from "./note_marks.tsx";
import type { PanelReport } from "./panel_report.ts";
import { changeWords, coverWords, dateWords, rowsWords, weekOf } from "./report_words.ts";
import { type PanelRow, panelRows } from "./rows.ts";
import { Shade, ShareBar } from "./share_bar.tsx";

/** Rows of a report on the overview, and of one that comes after others. */
export const ROWS = { leading: 10, short: 5, all: Number.POSITIVE_INFINITY } as const;

interface PartProps {
  readonly report: PanelReport;
  readonly hosts: readonly string[];
  readonly now: number;
  /** How many of the rows that are kept are shown; the others stand on the page of all of them. */
  readonly rows?: keyof typeof ROWS;
  /** Its leading figure as one bar of all rows. */
  readonly asShares?: boolean;
}

/** A report with its rows; nothing where none could be read yet. */
export function ReportPart(props: PartProps) {
  const { report, now } = props;
  const { family, shown } = report;
  if (shown === undefined) return null;
  return (
    <section class="part" id={partId(family)}>
      <PartHead report={report} shown={shown} now={now} />
      <Rows {...props} shown={shown} />
    </section>
  );
}

/** What it is called, the day it is of (which leads to where it is from), and what is known of it beside its rows. */
export function PartHead(props: {
  readonly report: PanelReport;
  readonly shown: KeptReport;
  readonly now: number;
  readonly children?: Child;
}) {
  const { report, shown, now } = props;
  const { family, coverage } = report;
  const { insight, manifest, notes } = shown;
  const week = weekOf(family, insight);
  const weekDay = week === undefined ? undefined : parseUtcDay(week);
  // What rows cover would be a claim about the assistants' visits among them, too.
  const hasAssistants = insight.top.some(({ keys }) => isAssistantReferral(family, keys));
  const cover = hasAssistants ? undefined : coverWords(coverage);
  return (
    <header>
      <h3>{familyWords(family.name).title}</h3>
      <FromReport report={manifest}>{dateWords(report, insight.date as UtcDay, now)}</FromReport>
      <NoteMarks notes={notes} />
      {props.children ?? (
        <p class="note">
          {rowsWords(family, insight.among ?? insight.rows)}.{" "}
          {weekDay === undefined ? null : `The week of ${formatDay(weekDay, now)}. `}
          {cover === undefined ? null : covering(cover)}
          {hasAssistants ? "Assistant referrals are a lower bound." : null}
        </p>
      )}
    </header>
  );
}

/** Leads from a figure to the attempt that it is from. */
export function FromReport({ report, children }: { readonly report: number; readonly children: Child }) {
  return (
    <a class="from" href={paths.archiveReport(report)} title="Where these figures are from">
      {children}
      <Unseen>: where these figures are from</Unseen>
    </a>
  );
}

function covering(words: string): Child {
  const [before = "", after] = words.split("rows cover");
  if (after === undefined) return words;
  return (
    <>
      {before}
      <Term name="coverage">rows cover</Term>
      {after}
    </>
  );
}

function Rows(props: PartProps & { readonly shown: KeptReport }) {
  const { report, shown, asShares = false, rows: amount = "all" } = props;
  const rows = panelRows(report, ROWS[amount]);
  return (
    <>
      {asShares ? <Shares report={report} shown={shown} /> : null}
      <DataTable
        caption={familyWords(report.family.name).title}
        class="figures-of"
        items={rows}
        columns={columnsOf(props, report.before)}
        fold
      />
      <Beyond shown={shown} family={report.family} listed={rows.length} kept={shown.insight.top.length} />
    </>
  );
}

/** Where the rows stand that are not listed: on the page of all that are kept, or in the report alone. */
function Beyond(props: {
  readonly shown: KeptReport;
  readonly family: ReportFamily;
  readonly listed: number;
  readonly kept: number;
}) {
  const { shown, family, listed, kept } = props;
  if (listed < kept) {
    return (
      <p class="note">
        <a href={`${paths.siteInsights(shown.insight.asset)}#${partId(family)}`}>
          {countOf(kept - listed, "more row")}
        </a>
      </p>
    );
  }
  const beyond = (shown.insight.among ?? shown.insight.rows) - kept;
  if (beyond <= 0) return null;
  return (
    <p class="note">
      The other {formatCount(beyond)} stand in <a href={paths.archiveReport(shown.manifest)}>the report</a>.
    </p>
  );
}

/** Where a report stands on its page. */
export const partId = ({ provider, name }: Pick<ReportFamily, "provider" | "name">): string =>
  `report-${provider}-${name}`;

function Shares({ report, shown }: { readonly report: PanelReport; readonly shown: KeptReport }) {
  const metric = report.family.metrics[0] ?? "";
  const kept = shown.insight.top.map(({ values }) => values[0] ?? 0);
  const rest = (shown.insight.sums[metric] ?? 0) - kept.reduce((sum, part) => sum + part, 0);
  const { title } = familyWords(report.family.name);
  return (
    <ShareBar
      parts={rest > 0 ? [...kept, rest] : kept}
      label={`${title} by their share of ${figureWords(metric).words.toLowerCase()}; the table has the counts`}
    />
  );
}

function columnsOf(
  { report, hosts, now, asShares = false }: PartProps,
  before: KeptReport | undefined,
): readonly (ColumnOf<PanelRow> | null)[] {
  const { family } = report;
  const [lead = "", ...others] = family.metrics;
  const { beside, row } = familyWords(family.name);
  const figure = (metric: string): ColumnOf<PanelRow> => ({
    words: figureWords(metric).words,
    numeric: true,
    label: true,
    class: "aside",
    cell: ({ figures }) => textOf(metric, figures[metric]),
  });
  return [
    {
      words: row.charAt(0).toUpperCase() + row.slice(1),
      names: true,
      class: "key",
      cell: ({ keys }, place) =>
        asShares ? (
          <span class="shaded">
            <Shade place={place} />
            <KeyCell family={family} keys={keys} hosts={hosts} />
          </span>
        ) : (
          <KeyCell family={family} keys={keys} hosts={hosts} />
        ),
    },
    asShares
      ? null
      : {
          words: "Share of the highest",
          unseen: true,
          class: "bar-of",
          cell: ({ share }) => <Meter share={share} />,
        },
    {
      words: figureWords(lead).words,
      numeric: true,
      label: true,
      class: "lead",
      cell: (of) => textOf(lead, of.lead),
    },
    before === undefined
      ? null
      : {
          words: (
            <span title="The report of seven days before">
              {formatDay(before.insight.date as UtcDay, now)}
            </span>
          ),
          numeric: true,
          label: formatDay(before.insight.date as UtcDay, now),
          class: "before",
          cell: (of) => <Before row={of} metric={lead} />,
        },
    ...beside.filter((metric) => others.includes(metric)).map(figure),
  ];
}

/** A figure as text; a dash where the provider tells none. Below 1 there is no position: it is what a provider writes for none. */
function textOf(metric: string, value: number | null | undefined): Child {
  const { unit } = figureWords(metric);
  const isNone = value === null || value === undefined || (unit === "position" && value < 0);
  return isNone ? <span class="dim">–</span> : figureText(unit, value);
}

/** The same figure seven days before, and the change from it. */
function Before({ row, metric }: { readonly row: PanelRow; readonly metric: string }) {
  const { earlier, lead } = row;
  if (earlier === undefined) return null;
  if (earlier.told === "no_row") return <span class="dim">none</span>;
  if (earlier.told === "not_known") {
    return (
      <span class="dim" title="Not among the rows that are kept of that report">
        –
      </span>
    );
  }
  const change = lead === null ? undefined : changeWords(lead, earlier.value);
  return (
    <>
      {textOf(metric, earlier.value)}
      {change === undefined ? null : <small> {change}</small>}
    </>
  );
}

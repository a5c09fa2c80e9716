/** One report of a panel: what it is, of which day and attempt, how much it covers, and its first rows. */

import type { ArchiveNote } from "../../archive/manifest_row.ts";
import type { KeptReport } from "../../archive/site_insights.ts";
import { countWords as countOf } from "../../base/text.ts";
import { parseUtcDay, type UtcDay } from "../../base/time.ts";
import type { ReportFamily } from "../../providers/report_families.ts";
import type { TermName } from "../../sites/glossary.ts";
import { formatCount, formatDay } from "../format.ts";
import type { Child } from "../jsx/child.ts";
import { here } from "../kit/here.ts";
import { type ColumnOf, DataTable, Unseen } from "../kit/links.tsx";
import { Meter, percent } from "../kit/plot.tsx";
import { Term } from "../kit/term.tsx";
import { paths } from "../paths.ts";
import {
  changeWords,
  coverWords,
  dateWords,
  familyWords,
  figureWords,
  rowsWords,
  weekOf,
} from "./family_words.ts";
import { isAssistantReferral, KeyCell } from "./key_cell.tsx";
import { figureText } from "./lanes.ts";
import { type PanelReport, type PanelRow, panelRows } from "./panel_state.ts";

/** That a report is provisional stands beside its date. */

const MARKS: Readonly<Record<Exclude<ArchiveNote, "provisional">, readonly [name: TermName, words: string]>> =
  {
    sampled: ["sampled", "sampled"],
    thresholded: ["thresholded", "thresholded"],
    other_row: ["other-row", "rest in one row"],
    top_rows: ["top-rows", "top rows"],
  };

/** What is known of a report beside its rows: a small mark each, which opens its sentence. */
function NoteMarks({ notes }: { readonly notes: readonly ArchiveNote[] }) {
  const marked = notes.filter((note) => note !== "provisional");
  if (marked.length === 0) return null;
  return (
    <span class="marks">
      {marked.map((note) => {
        const [name, words] = MARKS[note];
        return (
          <span class="tag">
            <Term name={name}>{words}</Term>
          </span>
        );
      })}
    </span>
  );
}

/** Parts that have a shade of their own; the rest is one. */

const MOST_PARTS = 5;

/** Parts of a whole as one bar, the largest first. The table below it names them, in the same order and with the same shades. */
function ShareBar({ parts, label }: { readonly parts: readonly number[]; readonly label: string }) {
  const whole = parts.reduce((sum, part) => sum + part, 0);
  if (whole <= 0) return null;
  const widths = parts.slice(0, MOST_PARTS).map((part) => (part / whole) * 100);
  let at = 0;
  return (
    <svg class="shares" role="img" aria-label={label}>
      <rect class="s-rest" width="100%" height="12" />
      {widths.map((width, place) => {
        const x = at;
        at += width;
        return <rect class={`s${place}`} x={percent(x)} width={percent(width)} height="12" />;
      })}
      {widths.map((_, place) => {
        const x = widths.slice(0, place).reduce((sum, width) => sum + width, 0);
        return place === 0 ? null : <rect class="gap" x={percent(x)} width="1.5" height="12" />;
      })}
    </svg>
  );
}

/** The shade of a part beside its name. */
function Shade({ place }: { readonly place: number }) {
  return (
    <svg class="shade" aria-hidden="true">
      <rect class={place < MOST_PARTS ? `s${place}` : "s-rest"} width="10" height="10" />
    </svg>
  );
}

/** Rows of a report on the overview, and of one that comes after others. */
export const ROWS = { leading: 10, short: 5, all: Number.POSITIVE_INFINITY } as const;

interface PartProps {
  readonly report: PanelReport;
  readonly hosts: readonly string[];
  /** How many of the rows that are kept are shown; the others stand on the page of all of them. */
  readonly rows?: keyof typeof ROWS;
  /** Its leading figure as one bar of all rows. */
  readonly asShares?: boolean;
}

/** A report with its rows; nothing where none could be read yet. */
export function ReportPart(props: PartProps) {
  const { report } = props;
  const { family, shown } = report;
  if (shown === undefined) return null;
  return (
    <section class="part" id={partId(family)}>
      <PartHead report={report} shown={shown} />
      <Rows {...props} shown={shown} />
    </section>
  );
}

/** What it is called, the day it is of (which leads to where it is from), and what is known of it beside its rows. */
export function PartHead(props: {
  readonly report: PanelReport;
  readonly shown: KeptReport;
  readonly children?: Child;
}) {
  const { now } = here();
  const { report, shown } = props;
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
function FromReport({ report, children }: { readonly report: number; readonly children: Child }) {
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
      The other {formatCount(beyond)} are in <a href={paths.archiveReport(shown.manifest)}>the report</a>.
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
  { report, hosts, asShares = false }: PartProps,
  before: KeptReport | undefined,
): readonly (ColumnOf<PanelRow> | null)[] {
  const { now } = here();
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

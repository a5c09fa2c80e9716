/** One report of a panel: what it is, of which day and attempt, how much it covers, and its first rows. */

import type { ArchiveNote } from "../../archive/manifest_row.ts";
import type { KeptReport } from "../../archive/site_insights.ts";
import { capital } from "../../base/text.ts";
import { parseUtcDay, type UtcDay } from "../../base/time.ts";
import type { TermName } from "../../sites/glossary.ts";
import { formatCount, formatDay } from "../format.ts";
import type { Child } from "../jsx/child.ts";
import { here } from "../kit/here.ts";
import { type ColumnOf, DataTable, Told, Unseen } from "../kit/links.tsx";
import { SearchForm } from "../kit/search_form.tsx";
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
import {
  CHANGE,
  type InsightQuery,
  insightAddress,
  type PanelReport,
  type PanelRow,
  panelRows,
  reportKey,
  type SitePanels,
} from "./panel_state.ts";

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

interface PartProps {
  readonly report: PanelReport;
  readonly site: SitePanels;
  readonly query: InsightQuery;
}

/** One report with the rows that are kept of it, sorted and searched as the address says. */
export function ReportPart({ report, site, query }: PartProps) {
  const { family, shown, before } = report;
  if (shown === undefined) return null;
  const kept = panelRows(report);
  const rows = sortedRows(
    kept.filter(({ keys }) => keys.some((key) => key.toLowerCase().includes(query.q.toLowerCase()))),
    query,
  );
  return (
    <section class="block" id="report">
      <PartHead report={report} shown={shown} />
      {kept.length < 2 ? null : (
        <SearchForm
          action={paths.siteInsights(site.asset)}
          words={`Search ${familyWords(family.name).title.toLowerCase()}`}
          value={query.q}
          keep={insightAddress.search({ ...query, report: reportKey(family), q: "" })}
        />
      )}
      <DataTable
        caption={familyWords(family.name).title}
        class="figures-of"
        items={rows}
        empty={
          <p>
            None of the {formatCount(kept.length)} rows that are kept holds <Told>{query.q}</Told>.
          </p>
        }
        columns={columnsOf({ report, site, query }, before)}
        fold
      />
      <Beyond shown={shown} kept={kept.length} />
    </section>
  );
}

/** By a figure, the largest first unless `asc` is asked for; what is not told comes last either way. Pure. */
export function sortedRows(rows: readonly PanelRow[], { sort, order }: InsightQuery): PanelRow[] {
  if (sort === null && order === null) return [...rows];
  const figureOf = (row: PanelRow) =>
    sort === CHANGE ? changeOf(row) : sort === null ? row.lead : row.figures[sort];
  return rows.toSorted((a, b) => {
    const [one, other] = [figureOf(a) ?? null, figureOf(b) ?? null];
    if (one === null || other === null) return Number(one === null) - Number(other === null);
    return order === "asc" ? one - other : other - one;
  });
}

function changeOf({ lead, earlier }: PanelRow): number | null {
  if (lead === null || earlier === undefined || earlier.told === "not_known") return null;
  return lead - (earlier.told === "value" ? earlier.value : 0);
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
      <h2>{familyWords(family.name).title}</h2>
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

/** Where the rows stand that are not kept to be shown. */
function Beyond({ shown, kept }: { readonly shown: KeptReport; readonly kept: number }) {
  const beyond = (shown.insight.among ?? shown.insight.rows) - kept;
  if (beyond <= 0) return null;
  return (
    <p class="note">
      The other {formatCount(beyond)} are in <a href={paths.archiveReport(shown.manifest)}>the report</a>.
    </p>
  );
}

function columnsOf(
  { report, site, query }: PartProps,
  before: KeptReport | undefined,
): readonly (ColumnOf<PanelRow> | null)[] {
  const { now } = here();
  const { family } = report;
  const [lead = "", ...others] = family.metrics;
  const { beside, row } = familyWords(family.name);
  const sorted = query.sort ?? lead;
  /** A heading that sorts: the largest first, and the other way round where it is sorted so already. */
  const heading = (by: string, words: string) => {
    const order = sorted === by && query.order === null ? "asc" : null;
    const sort = by === lead ? null : by;
    const href = insightAddress.search({ ...query, report: reportKey(family), sort, order });
    return {
      words: <a href={`${paths.siteInsights(site.asset)}${href}#report`}>{words}</a>,
      label: words,
      numeric: true,
      sorted:
        sorted !== by ? undefined : query.order === "asc" ? ("ascending" as const) : ("descending" as const),
    };
  };
  return [
    {
      words: capital(row),
      names: true,
      class: "key",
      cell: ({ keys }) => <KeyCell family={family} keys={keys} hosts={site.hosts} />,
    },
    { ...heading(lead, figureWords(lead).words), cell: (of) => <b>{textOf(lead, of.lead)}</b> },
    before === undefined
      ? null
      : {
          words: formatDay(before.insight.date as UtcDay, now),
          label: formatDay(before.insight.date as UtcDay, now),
          numeric: true,
          class: "before",
          cell: ({ earlier }) => <Before earlier={earlier} metric={lead} />,
        },
    before === undefined ? null : { ...heading(CHANGE, "Change"), cell: (of) => <Change row={of} /> },
    ...beside
      .filter((metric) => others.includes(metric))
      .map((metric) => ({
        ...heading(metric, figureWords(metric).words),
        class: "aside",
        cell: ({ figures }: PanelRow) => textOf(metric, figures[metric]),
      })),
  ];
}

/** A figure as text; a dash where the provider tells none. Below 1 there is no position: it is what a provider writes for none. */
function textOf(metric: string, value: number | null | undefined): Child {
  const { unit } = figureWords(metric);
  const isNone = value === null || value === undefined || (unit === "position" && value < 0);
  return isNone ? <span class="dim">–</span> : figureText(unit, value);
}

/** The same figure seven days before. */
function Before({ earlier, metric }: { readonly earlier: PanelRow["earlier"]; readonly metric: string }) {
  if (earlier === undefined) return null;
  if (earlier.told === "no_row") return <span class="dim">none</span>;
  if (earlier.told === "value") return <>{textOf(metric, earlier.value)}</>;
  return (
    <span class="dim" title="Not among the rows that are kept of that report">
      –
    </span>
  );
}

function Change({ row: { lead, earlier } }: { readonly row: PanelRow }) {
  if (lead === null || earlier === undefined || earlier.told === "not_known") return null;
  return <>{earlier.told === "no_row" ? "new" : changeWords(lead, earlier.value)}</>;
}

/** One archived report: what it is, of which day and attempt, how much it covers, and the rows that are kept of it. */

import type { ArchiveNote } from "../../archive/manifest_row.ts";
import type { KeptReport } from "../../archive/site_insights.ts";
import { capital } from "../../base/text.ts";
import { parseUtcDay, type UtcDay } from "../../base/time.ts";
import type { TermName } from "../../sites/glossary.ts";
import { issueTypeOf } from "../../sites/rule_catalogue.ts";
import { formatCount, formatDay } from "../format.ts";
import type { Child } from "../jsx/child.ts";
import { SearchForm } from "../kit/field.tsx";
import { Glyph } from "../kit/glyph.tsx";
import { here } from "../kit/here.ts";
import { Told, Unseen } from "../kit/links.tsx";
import { type Column, changeColumn, inOrder, List, Pager, pageOf } from "../kit/list.tsx";
import { DateOf, Term } from "../kit/proof.tsx";
import { paths } from "../paths.ts";
import { coverWords, dateWords, familyWords, figureWords, rowsWords, weekOf } from "./family_words.ts";
import { Address, isAssistantReferral, KeyCell } from "./key_cell.tsx";
import { figureText } from "./lanes.ts";
import {
  CHANGE,
  type InsightQuery,
  insightAddress,
  NAME,
  type PanelReport,
  type PanelRow,
  panelRows,
  reportKey,
  type SitePanels,
} from "./panel_state.ts";

interface PartProps {
  readonly report: PanelReport;
  readonly site: SitePanels;
  readonly query: InsightQuery;
}

/** Rows on one page of the table. */
const PAGE_ROWS = 25;

/** One report with the rows that are kept of it: searched, sorted and paged as the address says. */
export function ReportPart({ report, site, query }: PartProps) {
  const { family, shown } = report;
  if (shown === undefined) return null;
  if (family.name === "crawl-issues") return <CrawlIssues report={report} shown={shown} site={site} />;
  const { title } = familyWords(family.name);
  const kept = panelRows(report);
  const wanted = query.q.toLowerCase();
  const found = kept.filter(({ keys }) => keys.some((key) => key.toLowerCase().includes(wanted)));
  const columns = columnsOf(report, site.hosts);
  // As it is kept: the largest first, or the newest day.
  const isOfDays = family.dimensions.length === 1 && family.dimensions[0] === "date";
  const sort = query.sort === "" && !isOfDays ? (family.metrics[0] ?? "") : query.sort;
  const { items, paging } = pageOf(inOrder(found, columns, query.sort), query.page, PAGE_ROWS);
  const chosen = { ...query, report: reportKey(family) };
  const href = (changes: Partial<InsightQuery>) =>
    `${insightAddress.at(paths.siteInsights(site.asset))({ ...chosen, ...changes })}#report`;
  // Where the rows stand that are not kept to be shown.
  const beyond = (shown.insight.among ?? shown.insight.rows) - kept.length;
  return (
    <section class="block" id="report">
      <PartHead report={report} shown={shown} />
      {kept.length < 2 || isOfDays ? null : (
        <SearchForm
          action={paths.siteInsights(site.asset)}
          words={`Search ${title.toLowerCase()}`}
          value={query.q}
          keep={insightAddress.search({ ...chosen, q: "", page: 1 })}
        />
      )}
      <List
        of={title}
        class="figures-of"
        items={items}
        empty={
          kept.length === 0 ? (
            <p>None counted.</p>
          ) : (
            <p>
              None of the {formatCount(kept.length)} rows that are kept holds <Told>{query.q}</Told>.
            </p>
          )
        }
        columns={columns}
        sort={{ by: sort, href: (by) => href({ sort: by, page: 1 }) }}
      />
      <Pager paging={paging} what="rows" href={(page) => href({ page })} />
      {beyond <= 0 ? null : (
        <p class="note">
          The other {formatCount(beyond)} are in <a href={paths.archiveReport(shown.manifest)}>the report</a>.
        </p>
      )}
    </section>
  );
}

/** That a report is provisional stands beside its date. */
const MARKS: Readonly<Record<Exclude<ArchiveNote, "provisional">, readonly [name: TermName, words: string]>> =
  {
    sampled: ["sampled", "sampled"],
    thresholded: ["thresholded", "thresholded"],
    other_row: ["other-row", "rest in one row"],
    top_rows: ["top-rows", "top rows"],
  };

/** What it is called, the day it is of (which leads to where it is from), and what is known of it beside its rows. */
function PartHead(props: { readonly report: PanelReport; readonly shown: KeptReport }) {
  const { now } = here();
  const { report, shown } = props;
  const { family, coverage } = report;
  const { insight, manifest, notes } = shown;
  const week = parseUtcDay(weekOf(family, insight) ?? "");
  // What rows cover would be a claim about the assistants' visits among them, too.
  const hasAssistants = insight.top.some(({ keys }) => isAssistantReferral(family, keys));
  const [before, after] = coverWords(coverage)?.split("rows cover") ?? [];
  return (
    <header>
      <h2>{familyWords(family.name).title}</h2>
      <a class="from" href={paths.archiveReport(manifest)} title="Where these figures are from">
        {dateWords(report, insight.date as UtcDay, now)}
        <Unseen>: where these figures are from</Unseen>
      </a>
      {notes.map((note) =>
        note === "provisional" ? null : (
          <span class="tag">
            <Term name={MARKS[note][0]}>{MARKS[note][1]}</Term>
          </span>
        ),
      )}
      <p class="note">
        {rowsWords(family, insight.among ?? insight.rows)}.{" "}
        {week === undefined ? null : `The week of ${formatDay(week, now)}. `}
        {hasAssistants ? (
          "Assistant referrals are a lower bound."
        ) : after === undefined ? (
          before
        ) : (
          <>
            {before}
            <Term name="coverage">rows cover</Term>
            {after}
          </>
        )}
      </p>
    </header>
  );
}

/** Crawl issues by their type, each with its flag: the provider's own findings, which no rule on figures is mixed with. */
function CrawlIssues(props: {
  readonly report: PanelReport;
  readonly shown: KeptReport;
  readonly site: SitePanels;
}) {
  const { now } = here();
  const { report, shown, site } = props;
  return (
    <section class="block" id="report">
      <PartHead report={report} shown={shown} />
      <List
        of="Crawl issues by type"
        class="columns"
        fold={false}
        items={shown.insight.issues ?? []}
        columns={[
          [
            "Issue",
            ({ type, urls, of }) => (
              <details class="items">
                <summary>{issueTypeOf(type)?.name ?? capital(type.replaceAll("_", " "))}</summary>
                <ul>
                  {urls.map((url) => (
                    <li>
                      <Address address={url} hosts={site.hosts} />
                    </li>
                  ))}
                </ul>
                {of > urls.length ? (
                  <p class="note">{formatCount(of - urls.length)} more are in the report.</p>
                ) : null}
              </details>
            ),
            { class: "key" },
          ],
          ["Addresses", ({ of }) => formatCount(of), { numeric: true }],
          [
            "Flag",
            ({ type }) => {
              const flag = site.issueFlags.find(({ subject }) => subject === type);
              if (flag === undefined) return <span class="dim">none open</span>;
              const { id, severity, firstSeen } = flag;
              return (
                <a class="sev" data-sev={severity} href={paths.flag(id)}>
                  <Glyph name={`f-${severity}`} />
                  <Unseen>{severity}: </Unseen>
                  {firstSeen === undefined ? "View flag" : `since ${formatDay(firstSeen, now)}`}
                </a>
              );
            },
          ],
        ]}
      />
    </section>
  );
}

function columnsOf(
  { family, before }: PanelReport,
  hosts: readonly string[],
): readonly (Column<PanelRow> | null)[] {
  const { now } = here();
  const [lead = "", ...others] = family.metrics;
  const { beside, row } = familyWords(family.name);
  const figure = (metric: string, unusual: Column<PanelRow>[2]): Column<PanelRow> => [
    figureWords(metric).words,
    ({ figures }) => textOf(metric, figures[metric]),
    { numeric: true, sort: [metric, ({ figures }) => figures[metric]], ...unusual },
  ];
  return [
    [
      capital(row),
      ({ keys }) => <KeyCell family={family} keys={keys} hosts={hosts} />,
      { class: "key", sort: [NAME, ({ keys }) => keys.join(" ")] },
    ],
    figure(lead, { class: "main" }),
    before === undefined
      ? null
      : [
          formatDay(before.insight.date as UtcDay, now),
          // What is not among the rows that are kept of that report is not known.
          ({ earlier }) => textOf(lead, earlier),
          { numeric: true, class: "before" },
        ],
    before === undefined
      ? null
      : changeColumn<PanelRow>("Change", (row) => ({ now: row.lead, before: row.earlier }), CHANGE),
    ...beside.filter((metric) => others.includes(metric)).map((metric) => figure(metric, { class: "aside" })),
  ];
}

/** A figure as text; a dash where the provider tells none. Below 1 there is no position: it is what a provider writes for none. */
function textOf(metric: string, value: number | null | undefined): Child {
  const { unit } = figureWords(metric);
  if (metric === "last_crawled")
    return typeof value === "number" ? <DateOf at={value} /> : <span class="dim">never</span>;
  const isNone = value === null || value === undefined || (unit === "position" && value < 0);
  return isNone ? <span class="dim">–</span> : figureText(unit, value);
}

/** What webmaster tools report of crawling: statistics by day, issues by type, feeds. */

import type { InsightBody, StoredInsight } from "../../archive/insights.ts";
import { capital, countWords as countOf } from "../../base/text.ts";
import { addDays, eachDay, parseUtcDay, type UtcDay } from "../../base/time.ts";
import { issueTypeOf } from "../../sites/issue_types.ts";
import { formatCount, formatDay } from "../format.ts";
import { Chart, type ChartLane } from "../kit/chart.tsx";
import { Glyph } from "../kit/glyph.tsx";
import { here } from "../kit/here.ts";
import { DataTable, NumbersTable, Unseen } from "../kit/links.tsx";
import { DateOf } from "../kit/proof.tsx";
import { paths } from "../paths.ts";
import { type FigureDay, figureDays, lastValued } from "./day_words.ts";
import { Address, CutText } from "./key_cell.tsx";
import { figureText } from "./lanes.ts";
import type { IssueFlag, PanelReport } from "./panel_state.ts";
import { PartHead } from "./report_part.tsx";

/** The days of crawl statistics as the chart draws them. Pure. */

/** Days that are drawn. */
const CRAWL_DAYS = 28;
const CHART_HEIGHT = 46;

interface CrawlDays {
  readonly from: UtcDay;
  readonly to: UtcDay;
  /** Every one of the days, oldest first, by metric. */
  readonly of: (metric: string) => FigureDay[];
}

/**
 * The days up to the newest that was told, which is provisional: nothing promises that it is complete. Undefined where no day was told.
 */
function crawlDays({ family, shown }: PanelReport): CrawlDays | undefined {
  const told = new Map(daysOf(shown?.insight));
  const days = [...told.keys()].toSorted();
  const [to, first] = [days.at(-1), days[0]];
  if (to === undefined) return undefined;
  const from = addDays(to, 1 - CRAWL_DAYS);
  return {
    from,
    to,
    of: (metric) => {
      const place = family.metrics.indexOf(metric);
      const values = new Map(
        [...told].flatMap(([day, row]) => {
          const value = row[place] ?? null;
          const state = day === to ? ("provisional" as const) : ("final" as const);
          return value === null ? [] : [[day, { state, basis: "reported" as const, value }] as const];
        }),
      );
      return figureDays(eachDay({ from, to }), values, { first, last: to });
    },
  };
}

function daysOf(snapshot: StoredInsight | undefined): (readonly [UtcDay, readonly (number | null)[]])[] {
  return (snapshot?.top ?? []).flatMap(({ keys, values }) => {
    const day = parseUtcDay(keys[0] ?? "");
    return day === undefined ? [] : [[day, values] as const];
  });
}

const LANES = [
  { metric: "crawled_pages", label: "Crawled pages", isLevel: false },
  { metric: "crawl_errors", label: "Crawl errors", isLevel: false },
  { metric: "in_index", label: "In the index", isLevel: true },
] as const;

/** The days of crawling as a small chart. */
export function CrawlStats({ report }: { readonly report: PanelReport }) {
  const { now } = here();
  const { shown } = report;
  const days = crawlDays(report);
  if (shown === undefined || days === undefined) return null;
  return (
    <section class="block" id="report">
      <PartHead report={report} shown={shown}>
        <p class="note">
          {CRAWL_DAYS} days to {formatDay(days.to, now)}
        </p>
      </PartHead>

      <Chart days={days} lanes={LANES.map((lane) => crawlLane(days, lane, now))} annotations={[]}>
        <CrawlNumbers days={days} metrics={report.family.metrics} />
      </Chart>
    </section>
  );
}

function crawlLane(
  days: CrawlDays,
  { metric, label, isLevel }: (typeof LANES)[number],
  now: number,
): ChartLane {
  const figures = days.of(metric);
  const last = lastValued(figures);
  return {
    label,
    aside: (
      <>
        <h4>{label}</h4>
        {last === undefined || last.value === null ? null : (
          <>
            <p class="num">
              <b>{figureText("count", last.value)}</b>
            </p>
            <small>{formatDay(last.day, now)}</small>
          </>
        )}
      </>
    ),
    form: isLevel ? "line" : "bars",
    height: CHART_HEIGHT,
    format: (value) => figureText("count", value),
    days: figures,
  };
}

const COLUMN_WORDS: Readonly<Record<string, string>> = {
  crawled_pages: "Crawled",
  crawl_errors: "Errors",
  in_index: "In the index",
  in_links: "Links to it",
  code_2xx: "2xx",
  code_301: "301",
  code_302: "302",
  code_4xx: "4xx",
  code_5xx: "5xx",
  all_other_codes: "Other codes",
  blocked_by_robots_txt: "Blocked by robots.txt",
  connection_timeout: "Timeouts",
  contains_malware: "Malware",
  dns_failures: "DNS failures",
};

function CrawlNumbers(props: { readonly days: CrawlDays; readonly metrics: readonly string[] }) {
  const { now } = here();
  const { days, metrics } = props;
  const columns = metrics.map((metric) => ({ metric, figures: days.of(metric) }));
  const [first] = columns;
  if (first === undefined) return null;
  const places = [...first.figures.keys()].reverse();
  return (
    <NumbersTable
      caption="Crawl statistics by day"
      items={places}
      columns={[
        {
          words: "Day",
          names: true,
          cell: (place: number) => formatDay(first.figures[place]?.day ?? days.to, now),
        },
        ...columns.map(({ metric, figures }) => ({
          words: COLUMN_WORDS[metric] ?? metric.replaceAll("_", " "),
          numeric: true,
          cell: (place: number) => {
            const value = figures[place]?.value ?? null;
            return value === null ? <span class="dim">–</span> : formatCount(value);
          },
        })),
      ]}
    />
  );
}

/** What webmaster tools report of a site's addresses: the provider's own findings. */

type Issue = NonNullable<InsightBody["issues"]>[number];

/** Issues by their type, each with its flag: the provider's own findings, which no rule on figures is mixed with. */
export function CrawlIssues(props: {
  readonly report: PanelReport;
  readonly hosts: readonly string[];
  readonly flags: readonly IssueFlag[];
}) {
  const { report, hosts, flags } = props;
  const { shown } = report;
  if (shown === undefined) return null;
  const { issues = [], rows } = shown.insight;
  return (
    <section class="block" id="report">
      <PartHead report={report} shown={shown}>
        <p class="note">
          The provider's own findings, apart from every test of figures.{" "}
          {countOf(rows, "address", "addresses")} in all.
        </p>
      </PartHead>

      <DataTable
        caption="Crawl issues by type"
        class="columns"
        items={issues}
        columns={[
          {
            words: "Issue",
            names: true,
            class: "key",
            cell: (issue) => <IssueCell issue={issue} hosts={hosts} />,
          },
          { words: "Addresses", numeric: true, cell: ({ of }) => formatCount(of) },
          {
            words: "Flag",
            cell: ({ type }) => <FlagOf flag={flags.find(({ subject }) => subject === type)} />,
          },
        ]}
      />
    </section>
  );
}

/** What an issue is called; one of another release by its own name. */
const issueName = (type: string): string => issueTypeOf(type)?.name ?? capital(type.replaceAll("_", " "));

function IssueCell({ issue, hosts }: { readonly issue: Issue; readonly hosts: readonly string[] }) {
  const { type, urls, of } = issue;
  return (
    <details class="items">
      <summary>{issueName(type)}</summary>
      <ul>
        {urls.map((url) => (
          <li>
            <Address address={url} hosts={hosts} />
          </li>
        ))}
      </ul>
      {of > urls.length ? <p class="note">{formatCount(of - urls.length)} more are in the report.</p> : null}
    </details>
  );
}

function FlagOf({ flag }: { readonly flag: IssueFlag | undefined }) {
  const { now } = here();
  if (flag === undefined) return <span class="dim">none open</span>;
  const { id, severity, firstSeen } = flag;
  return (
    <a class="sev" data-sev={severity} href={paths.flag(id)}>
      <Glyph name={`f-${severity}`} />
      <Unseen>{severity}: </Unseen>
      {firstSeen === undefined ? "Its flag" : <>since {formatDay(firstSeen, now)}</>}
    </a>
  );
}

/** Feeds with how they were read last. */
export function Feeds(props: { readonly report: PanelReport; readonly hosts: readonly string[] }) {
  const { report, hosts } = props;
  const { shown, family } = report;
  if (shown === undefined) return null;
  const place = (metric: string) => family.metrics.indexOf(metric);
  const [crawled, urls] = [place("last_crawled"), place("url_count")];
  return (
    <section class="block" id="report">
      <PartHead report={report} shown={shown} />
      <DataTable
        caption="Feeds"
        class="columns"
        items={shown.insight.top}
        columns={[
          {
            words: "Feed",
            names: true,
            class: "key",
            cell: ({ keys: [url = "", type = ""] }) => (
              <>
                <Address address={url} hosts={hosts} />
                {type === "" ? null : (
                  <small>
                    <CutText text={type} />
                  </small>
                )}
              </>
            ),
          },
          {
            words: "State",
            cell: ({ keys: [, , status = ""] }) =>
              status === "" ? <span class="dim">none told</span> : <CutText text={status} />,
          },
          {
            words: "Last read",
            cell: ({ values }) => <LastRead at={values[crawled] ?? null} />,
          },
          {
            words: "Addresses",
            numeric: true,
            cell: ({ values }) => {
              const value = values[urls] ?? null;
              return value === null ? <span class="dim">–</span> : formatCount(value);
            },
          },
        ]}
      />
    </section>
  );
}

function LastRead({ at }: { readonly at: number | null }) {
  return at === null ? <span class="dim">never</span> : <DateOf at={at} />;
}

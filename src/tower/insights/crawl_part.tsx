/** What webmaster tools tell of crawling: figures by day, issues by type, feeds. */

import type { InsightBody } from "../../insights/mod.ts";
import { capital } from "../../lib/capital.ts";
import { issueTypeOf } from "../../rules/mod.ts";
import { AxisPlot } from "../component/chart.tsx";
import { Glyph } from "../component/glyph.tsx";
import { NumbersTable } from "../component/numbers_table.tsx";
import { Lane } from "../component/plot.tsx";
import { DataTable } from "../component/table.tsx";
import { Unseen } from "../component/text.tsx";
import { DateOf } from "../component/time.tsx";
import { countOf, formatCount, formatDay } from "../format.ts";
import { paths } from "../paths.ts";
import { lastValued } from "../site_days/figures.ts";
import { LanePlot } from "../site_days/lane_plot.tsx";
import { figureText } from "../site_days/named.ts";
import { CRAWL_DAYS, type CrawlDays, crawlDays } from "./crawl_days.ts";
import { CutText } from "./key_cell.tsx";
import { shownAddress } from "./page_address.ts";
import type { IssueFlag, PanelReport } from "./panel_report.ts";
import { PartHead, partId } from "./report_part.tsx";

interface CrawlProps {
  readonly report: PanelReport;
  readonly hosts: readonly string[];
  readonly now: number;
}

const LANES = [
  { metric: "crawled_pages", label: "Crawled pages", isLevel: false },
  { metric: "crawl_errors", label: "Crawl errors", isLevel: false },
  { metric: "in_index", label: "In the index", isLevel: true },
] as const;

/** The days of crawling as a small chart. */
export function CrawlStats({ report, now }: CrawlProps) {
  const { shown } = report;
  if (shown === undefined) return null;
  const days = crawlDays(report);
  return (
    <section class="part" id={partId(report.family)}>
      <PartHead report={report} shown={shown} now={now}>
        <p class="note">{days === undefined ? null : `${CRAWL_DAYS} days to ${formatDay(days.to, now)}`}</p>
      </PartHead>
      {days === undefined ? (
        <p class="note">None: the report came, and has no day.</p>
      ) : (
        <figure class="tracks">
          {LANES.map(({ metric, label, isLevel }) => (
            <CrawlLane days={days} metric={metric} label={label} isLevel={isLevel} now={now} />
          ))}
          <Lane narrow>
            <AxisPlot days={days} now={now} />
          </Lane>
          <CrawlNumbers days={days} metrics={report.family.metrics} now={now} />
        </figure>
      )}
    </section>
  );
}

function CrawlLane(props: {
  readonly days: CrawlDays;
  readonly metric: string;
  readonly label: string;
  readonly isLevel: boolean;
  readonly now: number;
}) {
  const { days, metric, label, isLevel, now } = props;
  const figures = days.of(metric);
  const last = lastValued(figures);
  const lane = {
    half: "webmaster-tools",
    label,
    unit: "count",
    days: figures,
    breaks: new Set<never>(),
    flags: [],
    isLevel,
  } as const;
  const aside = (
    <>
      <h4>
        {label}{" "}
        <span class="headline">
          {last?.value === undefined || last.value === null ? "" : figureText("count", last.value)}
        </span>
      </h4>
      {last === undefined ? null : <small>{formatDay(last.day, now)}</small>}
    </>
  );
  return (
    <Lane aside={aside}>
      <LanePlot lane={lane} days={days} marked={[]} />
    </Lane>
  );
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

function CrawlNumbers(props: {
  readonly days: CrawlDays;
  readonly metrics: readonly string[];
  readonly now: number;
}) {
  const { days, metrics, now } = props;
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

type Issue = NonNullable<InsightBody["issues"]>[number];

/** Issues by their type, each with its flag: the provider's own findings, which no rule on figures is mixed with. */
export function CrawlIssues(props: CrawlProps & { readonly flags: readonly IssueFlag[] }) {
  const { report, hosts, flags, now } = props;
  const { shown } = report;
  if (shown === undefined) return null;
  const { issues = [], rows } = shown.insight;
  return (
    <section class="part" id={partId(report.family)}>
      <PartHead report={report} shown={shown} now={now}>
        <p class="note">
          Reported by the provider; no rule of Tower judges them.
          {rows === 0 ? "" : ` ${countOf(rows, "address", "addresses")} in all.`}
        </p>
      </PartHead>
      {issues.length === 0 ? (
        <p class="note">No crawl issue is reported.</p>
      ) : (
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
              cell: ({ type }) => <FlagOf flag={flags.find(({ subject }) => subject === type)} now={now} />,
            },
          ]}
        />
      )}
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
            <CutText text={shownAddress(url, hosts)} whole={url} class="mono" />
          </li>
        ))}
      </ul>
      {of > urls.length ? (
        <p class="note">{formatCount(of - urls.length)} more stand in the report.</p>
      ) : null}
    </details>
  );
}

function FlagOf({ flag, now }: { readonly flag: IssueFlag | undefined; readonly now: number }) {
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

/** A word of the provider: one that is longer is none that it documents. */
const LONGEST_WORD = 24;

/** Feeds with how they were read last. */
export function Feeds({ report, hosts, now }: CrawlProps) {
  const { shown, family } = report;
  if (shown === undefined) return null;
  const place = (metric: string) => family.metrics.indexOf(metric);
  const [crawled, urls] = [place("last_crawled"), place("url_count")];
  return (
    <section class="part" id={partId(family)}>
      <PartHead report={report} shown={shown} now={now}>
        {null}
      </PartHead>
      {shown.insight.top.length === 0 ? (
        <p class="note">No feed is known to the provider.</p>
      ) : (
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
                  <CutText text={shownAddress(url, hosts)} whole={url} class="mono" />
                  {type === "" ? null : (
                    <small>
                      <CutText text={type} longest={LONGEST_WORD} />
                    </small>
                  )}
                </>
              ),
            },
            {
              words: "State",
              cell: ({ keys: [, , status = ""] }) =>
                status === "" ? (
                  <span class="dim">none told</span>
                ) : (
                  <CutText text={status} longest={LONGEST_WORD} />
                ),
            },
            {
              words: "Last read",
              cell: ({ values }) => <LastRead at={values[crawled] ?? null} now={now} />,
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
      )}
    </section>
  );
}

function LastRead({ at, now }: { readonly at: number | null; readonly now: number }) {
  return at === null ? <span class="dim">never</span> : <DateOf at={at} now={now} />;
}

/** What webmaster tools tell of crawling, day by day. */
import { AxisPlot } from "../component/chart.tsx";
import { NumbersTable } from "../component/numbers_table.tsx";
import { Lane } from "../component/plot.tsx";
import { formatCount, formatDay } from "../format.ts";
import { paths } from "../paths.ts";
import { lastValued } from "../site_days/figures.ts";
import { LanePlot } from "../site_days/lane_plot.tsx";
import { figureText } from "../site_days/named.ts";
import { CRAWL_DAYS, type CrawlDays, crawlDays } from "./crawl_days.ts";
import type { PanelReport } from "./panel_report.ts";
import { PartHead, partId } from "./report_part.tsx";

const LANES = [
  { metric: "crawled_pages", label: "Crawled pages", isLevel: false },
  { metric: "crawl_errors", label: "Crawl errors", isLevel: false },
  { metric: "in_index", label: "In the index", isLevel: true },
] as const;

/** The days of crawling as a small chart. */
export function CrawlStats(props: {
  readonly report: PanelReport;
  readonly now: number;
  /** With the numbers behind a summary; else they stand on the page of all reports. */
  readonly isWhole: boolean;
}) {
  const { report, now, isWhole } = props;
  const { shown } = report;
  const days = crawlDays(report);
  if (shown === undefined || days === undefined) return null;
  return (
    <section class="part" id={partId(report.family)}>
      <PartHead report={report} shown={shown} now={now}>
        <p class="note">
          {CRAWL_DAYS} days to {formatDay(days.to, now)}
        </p>
      </PartHead>

      <figure class="tracks">
        {LANES.map(({ metric, label, isLevel }) => (
          <CrawlLane days={days} metric={metric} label={label} isLevel={isLevel} now={now} />
        ))}
        <Lane narrow>
          <AxisPlot days={days} now={now} />
        </Lane>
        {isWhole ? (
          <CrawlNumbers days={days} metrics={report.family.metrics} now={now} />
        ) : (
          <p class="note">
            <a href={`${paths.siteInsights(shown.insight.asset)}#${partId(report.family)}`}>
              The numbers of the chart
            </a>
          </p>
        )}
      </figure>
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

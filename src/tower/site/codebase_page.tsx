/**
 * `/sites/{asset}/codebase`: the latest codebase report against the one of a month before: counts and passes, side by side. No score, no
 * grade, no cause.
 */

import { countWords as countOf } from "../../base/text.ts";
import { addDays, dayOfNumber, daysBetween, utcDayOf } from "../../base/time.ts";
import { COMPARISON_SPAN } from "../../reports/codebase.ts";
import { WINDOW_DAYS } from "../../reports/codebase_sentence.ts";
import { type CodebaseView, RANGES, type Track } from "../../reports/codebase_view.ts";
import { ruleOf } from "../../sites/rule_catalogue.ts";
import { formatCount, formatDay, formatDays } from "../format.ts";
import type { PageGround } from "../ground.ts";
import { address, DAY, oneOf } from "../kit/address.tsx";
import { ListedFlags } from "../kit/attention.tsx";
import { Chart } from "../kit/chart.tsx";
import { type ChartAnnotations, MarkedNote } from "../kit/chart_marks.tsx";
import { Segments, Steps, Told } from "../kit/links.tsx";
import { Block, Empty } from "../kit/list.tsx";
import { Age, Day } from "../kit/proof.tsx";
import { get, mounted } from "../kit/route.ts";
import { type SiteHead, SiteHeader, siteTitle } from "../kit/site_state.tsx";
import { Page, wholeOrDamage } from "../layout.tsx";
import { paths } from "../paths.ts";
import { siteHead } from "../site_head.ts";
import { Dismissed, FigureTable, Findings, formatUnit, MeasuredWith, trackLane } from "./codebase_parts.tsx";
import { readCodebaseView } from "./codebase_read.ts";
import { urgency } from "./lanes.ts";
import { CodebaseWays, type Destination, IngestNote } from "./ways.tsx";

/** How many days the charts show, and the last of them; null for the last report's. */
const chartsAddress = address({ range: oneOf(RANGES, 90), until: DAY });

const chartsHref = (asset: string, query: Partial<typeof chartsAddress.usual>) =>
  `${paths.codebase(asset)}${chartsAddress.search(query)}`;

const NO_ANNOTATIONS: ChartAnnotations = { marks: [], newest: null };

export function codebaseTabRoutes(deps: PageGround) {
  return mounted(deps, [
    get(
      paths.codebase,
      { query: chartsAddress, find: ({ asset }, at) => siteHead(deps, asset, at) },
      ({ query, now, found: site }) =>
        wholeOrDamage({ site, tab: "codebase" }, () => {
          const view = readCodebaseView(deps.db, site.asset, query, now);
          return (
            <CodebasePage
              site={site}
              view={view}
              annotations={
                view === undefined ? NO_ANNOTATIONS : deps.annotationsOf(site.asset, view.charts.range)
              }
              destination={deps.destinationOf(site.asset)}
            />
          );
        }),
    ),
  ]);
}

/** `view` is undefined while the site has sent no codebase report. */
export function CodebasePage(props: {
  readonly site: SiteHead;
  readonly view: CodebaseView | undefined;
  readonly annotations: ChartAnnotations;
  readonly destination: Destination;
}) {
  const { site, view, destination } = props;
  const ways = (
    <>
      <CodebaseWays destination={destination} />
      <IngestNote destination={destination} />
    </>
  );
  return (
    <Page title={siteTitle(site, "codebase")} current="sites">
      <SiteHeader site={site} current="codebase" />
      {view === undefined ? (
        <>
          <Waiting site={site} />
          <Block heading="Ways to send a codebase report">{ways}</Block>
        </>
      ) : (
        <>
          <Measured view={view} asset={site.asset} annotations={props.annotations} />
          <details class="fold" id="ways">
            <summary>Ways to send a codebase report</summary>
            <div class="stack tight">{ways}</div>
          </details>
        </>
      )}
    </Page>
  );
}

function Waiting({ site }: { readonly site: SiteHead }) {
  return (
    <Empty alone heading="No codebase report yet">
      <p>
        A codebase report is one measurement of the repository at one commit. The comparison starts with a
        report {COMPARISON_SPAN.nearest} days after the first.
      </p>
      <div class="row">
        <a class="btn primary" href="#way-local">
          Show the command
        </a>
        <a class="btn" href={paths.siteTokens(site.asset)}>
          Tokens of this site
        </a>
      </div>
    </Empty>
  );
}

interface ViewProps {
  readonly asset: string;
  readonly view: CodebaseView;
  readonly annotations: ChartAnnotations;
}

function Measured(props: ViewProps) {
  const { view } = props;
  const { latest, comparison, toolsChanged } = view;
  const open = view.openFlags
    .filter(({ snoozed }) => snoozed !== true)
    .toSorted((one, other) => urgency(one.severity) - urgency(other.severity));
  const since = comparison === null ? null : formatDay(comparison.date);
  return (
    <>
      <div class="stack tight">
        <p class="lede">{view.sentence}</p>
        <SentenceNote view={view} />
      </div>
      {open.length === 0 ? null : <ListedFlags flags={open} />}
      <Block
        heading="Figures"
        note={
          <>
            measured <Age at={latest.generatedAt} />
            {latest.revision > 1 ? ` · revision ${latest.revision} of the day` : null}
            {toolsChanged ? " · Measuring tools updated" : null}
          </>
        }
      >
        <FigureTable
          caption="Codebase figures"
          figures={[...view.figures, ...view.work]}
          before={comparison === null ? "A month before" : `Report of ${since}`}
        />
      </Block>
      <OverTime {...props} />
      <div class="columns">
        <Findings findings={view.findings} figures={view.figures} />
        <Dismissed entries={view.dismissed} />
        <MeasuredWith report={view} />
      </div>
    </>
  );
}

/** Which two reports the sentence holds against each other, and what it does not say. */
function SentenceNote({ view }: { readonly view: CodebaseView }) {
  const { latest, comparison, visitors, counterUpdated } = view;
  if (comparison === null) {
    return (
      <p class="note">
        A comparison needs a report {COMPARISON_SPAN.nearest} to {COMPARISON_SPAN.farthest} days older than
        the latest. Growth and complexity rules start then.
      </p>
    );
  }
  return (
    <p class="note">
      Report of <Day day={latest.date} /> against the report of <Day day={comparison.date} />,{" "}
      {countOf(daysBetween(comparison.date, latest.date), "day")} earlier.{" "}
      <VisitorsNote visitors={visitors} />
      {/* Lines that two versions of a counter counted are not one measure, so whoever reads the sentence has to know. */}
      {counterUpdated.length === 0 ? null : (
        <>
          <b>Measuring tools updated</b> between the two, so a part of the change may be theirs.{" "}
        </>
      )}
      No cause is claimed for either.
    </p>
  );
}

/** What the visitors' change is made of, or why there is none. */
function VisitorsNote({ visitors }: { readonly visitors: CodebaseView["visitors"] }) {
  if ("notMeasured" in visitors) {
    return (
      <>
        Visitors: <Told>{visitors.notMeasured}</Told>{" "}
      </>
    );
  }
  const [latest, before] = visitors.windows;
  return (
    <>
      Visitors by day: {formatCount(latest.visits)} in the {WINDOW_DAYS} settled days to{" "}
      <Day day={dayOfNumber(latest.to)} />, {formatCount(before.visits)} in those to{" "}
      <Day day={dayOfNumber(before.to)} />.{" "}
    </>
  );
}

const RANGE_WORDS = { 30: "30 days", 90: "90 days", 365: "1 year" } as const;

/** The charts of the figures over the chosen days. */
function OverTime({ asset, view, annotations }: ViewProps) {
  const { charts, latest } = view;
  const { days, range: shown, tracks } = charts;
  const next = addDays(shown.to, days);
  const until = next < latest.date ? next : null;
  return (
    <Block
      id="over-time"
      heading="Over time"
      note={formatDays(shown.from, shown.to)}
      tools={
        <>
          <Segments
            label="Range"
            choices={RANGES.map((range) => ({
              words: RANGE_WORDS[range],
              href: chartsHref(asset, { range }),
              chosen: range === days,
            }))}
          />
          <Steps
            earlier={
              charts.earlier ? chartsHref(asset, { range: days, until: addDays(shown.to, -days) }) : null
            }
            later={charts.later ? chartsHref(asset, { range: days, until }) : null}
          />
        </>
      }
    >
      <Chart
        days={shown}
        lanes={tracks.map((track) => ({
          ...trackLane(track),
          aside: <TrackNews track={track} />,
          flags: [...view.openFlags, ...view.pastFlags]
            .filter((flag) => ruleOf(flag.rule)?.chart === track.id)
            .map(({ heldSince, severity, message }) => ({ date: utcDayOf(heldSince), severity, message }))
            .filter((flag) => flag.date >= shown.from && flag.date <= shown.to),
        }))}
        annotations={annotations.marks}
      >
        <MarkedNote annotations={annotations} href={paths.siteTimeline(asset)} />
      </Chart>
    </Block>
  );
}

function TrackNews({ track: { label, unit, points } }: { readonly track: Track }) {
  const measured = points.filter(({ value }) => value !== undefined);
  const last = measured.at(-1);
  return (
    <>
      <h3>{label}</h3>
      <p class="num">
        <b>{last?.value === undefined ? "" : formatUnit(unit, last.value)}</b>
      </p>
      <small>
        {countOf(measured.length, "report")}
        {last === undefined ? "" : `, last ${formatDay(last.date)}`}
      </small>
    </>
  );
}

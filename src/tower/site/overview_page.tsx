/**
 * `/sites/{asset}`: how a site stands, what stands out with what to do, its key charts and its metrics. `/sites/{asset}/sending` says
 * how to send its reports.
 */

import { orNotFound } from "../../base/problem.ts";
import { countWords as countOf } from "../../base/text.ts";
import { DAY_MS, parseUtcDay } from "../../base/time.ts";
import { openIn } from "../../flags/inbox.ts";
import { REPORT_ROUTES } from "../../health/refusals.ts";
import type { Entry } from "../../integrations/attention.ts";
import type { SiteHealth } from "../../integrations/integrations.ts";
import { findLatest } from "../../reports/codebase.ts";
import { sourceAmong } from "../../signals/live_traffic.ts";
import { SENT } from "../../sites/rule_catalogue.ts";
import { formatCount, formatSpan } from "../format.ts";
import type { PageGround } from "../ground.ts";
import type { Child } from "../jsx/jsx-runtime.ts";
import { AttentionList, Retrying } from "../kit/attention.tsx";
import { Chart, type Range } from "../kit/chart.tsx";
import { MarkedNote } from "../kit/chart_marks.tsx";
import { StateMark } from "../kit/glyph.tsx";
import { here } from "../kit/here.ts";
import { NotMeasured, ShortName, Told } from "../kit/links.tsx";
import { Block } from "../kit/list.tsx";
import { Age, Day, Facts, Moment } from "../kit/proof.tsx";
import { get, healthView, type Moment as MomentOfRoute, mounted } from "../kit/route.ts";
import { SilenceFlag, type SiteHead, SiteHeader, siteTitle } from "../kit/site_state.tsx";
import { workingWords } from "../kit/words.tsx";
import { Page, wholeOrDamage } from "../layout.tsx";
import { paths } from "../paths.ts";
import { CSV, fileAnswer, seeOther } from "../session.ts";
import { siteHead } from "../site_head.ts";
import {
  changeText,
  dayHref,
  figureText,
  HALF_WORDS,
  type LaneKey,
  lastValued,
  siteAddress,
  siteHref,
  stateAfter,
  urgency,
  usualText,
} from "./lanes.ts";
import {
  missedText,
  NightlyNotes,
  type NightlyOverview,
  NightTicks,
  RefusedNote,
  Unjudged,
} from "./latest_nightly.tsx";
import { LivePanel } from "./live_panel.tsx";
import { MetricTable, rowOf } from "./metric_table.tsx";
import {
  chartLane,
  csvOf,
  Failing,
  type Lane,
  lanesOf,
  RangeLinks,
  readSite,
  type SiteDays,
} from "./site_days.tsx";
import { type FigureTest, readJudged, readTests } from "./verdict.tsx";
import { CodebaseWays, type Destination, IngestNote, NightlyWay, OWN_NIGHTLY } from "./ways.tsx";

/** Entries of the ranking that stand on the page; more are behind a link. */
const MOST_ENTRIES = 3;
const MOST_CHARTS = 5;
const CHART_HEIGHT = 64;

export function assetRoutes(deps: PageGround) {
  const { db } = deps;
  const { serviceAsset } = deps.config;
  const find = ({ asset }: { readonly asset: string }, at: MomentOfRoute) => siteHead(deps, asset, at);
  return mounted(deps, [
    get(paths.site, { query: siteAddress, find }, ({ request, query, search, now, found: site }) => {
      const { asset } = site;
      // One metric alone was shown here once.
      if (query.metric !== null) return seeOther(paths.metricAsked(asset, search));
      return wholeOrDamage({ site, tab: "overview" }, () => {
        const { nightly, attachments, days } = readSite(deps, site, query, now);
        const health = healthView(request, deps.health, now);
        const keys = keyLanes(days);
        const own = asset === serviceAsset;
        return (
          <OverviewPage
            site={site}
            own={own}
            health={health.sites.get(asset)}
            days={days}
            keys={keys}
            expected={
              new Map(
                keys.flatMap((lane) => {
                  const ranges = readJudged(deps, lane, days, now)?.ranges;
                  return ranges === undefined ? [] : [[lane.key, ranges] as const];
                }),
              )
            }
            tests={readTests(db, days, { figures: nightly.figures, isService: own })}
            code={findLatest(db, asset, now)}
            nightly={nightly}
            destination={deps.destinationOf(asset)}
            live={
              <LivePanel
                asset={asset}
                view={deps.live.look(asset, sourceAmong(site.lifecycle, attachments))}
              />
            }
          />
        );
      });
    }),
    get(paths.siteDay, { find }, ({ params: { date }, found: { asset } }) => {
      const day = orNotFound(parseUtcDay(date), "No such day.");
      return seeOther(dayHref(asset, day));
    }),
    get(paths.siteCsv, { query: siteAddress, find }, ({ query, now, found: site }) => {
      const { days } = readSite(deps, site, query, now);
      return fileAnswer(`${site.asset}-${days.days.from}-${days.days.to}.csv`, CSV, csvOf(days));
    }),
    get(paths.siteSending, { find }, ({ found: site }) => (
      <Page title={siteTitle(site, "sending")} current="sites">
        <SiteHeader site={site} current="overview" />
        <Sending destination={deps.destinationOf(site.asset)} own={site.asset === serviceAsset} />
      </Page>
    )),
  ]);
}

interface OverviewProps {
  readonly site: SiteHead;
  /** It is the service's own site, whose nightly report Tower writes. */
  readonly own: boolean;
  /** How its data sources stand; undefined where it has none. */
  readonly health: SiteHealth | undefined;
  readonly days: SiteDays;
  readonly keys: readonly Lane[];
  readonly expected: ReadonlyMap<LaneKey, ReadonlyMap<Lane["days"][number]["day"], Range>>;
  readonly tests: ReadonlyMap<LaneKey, FigureTest>;
  /** The latest codebase report. */
  readonly code: ReturnType<typeof findLatest>;
  readonly nightly: NightlyOverview;
  readonly destination: Destination;
  /** Who is on the site now. */
  readonly live: Child;
}

/** A page of metrics and a search among them show the table alone. */
function OverviewPage(props: OverviewProps) {
  const { site, days, tests, nightly, keys } = props;
  const { asset, entries } = site;
  const { query } = days;
  const isNarrowed = query.q !== "" || query.page > 1;
  // That it is silent, the first sentence says.
  const isSaid = ({ trouble, flags }: Entry) =>
    trouble === "silent" && flags.length === 1 && site.standing.state === "silent";
  const acts = entries.filter((entry) => entry.acts === "person" && !isSaid(entry));
  return (
    <Page title={siteTitle(site)} current="sites">
      <SiteHeader site={site} current="overview">
        <p class="say" id="standing">
          <Sentence {...props} />
        </p>
      </SiteHeader>
      <section class="stack tight" id="stands-out" aria-label="What stands out">
        {acts.length === 0 ? null : <AttentionList bare entries={acts.slice(0, MOST_ENTRIES)} />}
        {acts.length <= MOST_ENTRIES ? null : (
          <p class="note">
            <a href={paths.siteFlags(asset)}>Show all {formatCount(acts.length)}</a>
          </p>
        )}
        <Retrying entries={entries.filter((entry) => entry.acts === "waits")} />
        <Unjudged failures={nightly.failures} backlog={nightly.backlog} />
      </section>
      {isNarrowed ? null : (
        <div class="cols beside" id="heard">
          <div class="stack">{keys.length === 0 ? <NothingYet {...props} /> : <KeyCharts {...props} />}</div>
          <Rail {...props} />
        </div>
      )}
      <MetricTable site={days} figures={nightly.figures} tests={tests} />
    </Page>
  );
}

/** How the site stands in one sentence, which agrees with the ranking; silence comes first and is no all-clear. */
function Sentence({ site, code, days, health }: OverviewProps) {
  const { now } = here();
  const { asset, standing, silenceFlag, entries } = site;
  const { state, receivedAt, pausedUntil } = standing;
  const pressing = entries.filter(({ isPressing, trouble }) => isPressing && trouble !== "silent");
  const needs = pressing.length === 0 ? null : <b>{troubleWords(pressing)}.</b>;
  if (state === "silent" && receivedAt !== null) {
    return (
      <>
        <b>No reports for {silentFor(now - receivedAt)}</b>, so its nightly numbers have not been checked
        since. <SilenceFlag flag={silenceFlag} /> <a href={paths.siteIntegrations(asset)}>Check sender</a>{" "}
        {needs}
      </>
    );
  }
  if (silenceFlag !== undefined) {
    return (
      <>
        Reports again; the alert about its silence is still open. <SilenceFlag flag={silenceFlag} /> {needs}
      </>
    );
  }
  const ranked = entries.reduce((sum, { flags }) => sum + flags.length, 0);
  // A flag about another site stands on the service's own without being an entry of it: whether it is news, its list says.
  const open = Math.max(ranked, openIn({ open: site.openFlags }));
  const news = open > ranked ? "" : "Nothing new needs attention; ";
  // A refused report is listed at once, and news only after an hour.
  const listed = entries.filter(({ acts, rows }) => acts === "person" && rows.length === 0);
  const broken = listed.length === 0 ? null : `${troubleWords(listed)}.`;
  const calm = needs ?? broken ?? (open > 0 ? `${news}${countOf(open, "flag is", "flags are")} open.` : null);
  switch (state) {
    case "retired":
      return <>Retired: no reports are expected any more.</>;
    case "paused":
      return (
        <>
          Paused: no nightly report is expected{" "}
          {pausedUntil === null ? (
            "until it is resumed"
          ) : (
            <>
              before <Moment at={pausedUntil} />
            </>
          )}
          . {calm}
        </>
      );
    case "pre_launch":
      return <>Not launched: no nightly report is expected yet. {calm}</>;
    case "never_reported": {
      const hasOther = code !== undefined || days.groups.some(({ finalTo }) => finalTo !== undefined);
      return (
        <>
          {hasOther ? "No nightly report yet." : "No reports yet."} {calm}
        </>
      );
    }
    default:
      return (
        <>
          {calm ??
            (health?.state === "unknown"
              ? "Nothing that could be read needs attention."
              : "Nothing needs attention.")}
        </>
      );
  }
}

const silentFor = (ms: number) =>
  ms < 2 * DAY_MS ? formatSpan(ms) : countOf(Math.floor(ms / DAY_MS), "night");

/** "2 flags need attention, 1 connection is broken". */
function troubleWords(pressing: readonly Entry[]): string {
  const of = (wanted: Entry["trouble"]) => pressing.filter(({ trouble }) => trouble === wanted).length;
  const [broken, unknown] = [of("connection"), of("unknown")];
  const flags = pressing.reduce((sum, { rows }) => sum + rows.length, 0);
  return [
    ...(flags === 0 ? [] : [countOf(flags, "flag needs attention", "flags need attention")]),
    ...(broken === 0 ? [] : [countOf(broken, "connection is broken", "connections are broken")]),
    ...(unknown === 0 ? [] : [countOf(unknown, "state is unknown", "states are unknown")]),
  ].join(", ");
}

/** The charts that say most: those with an open flag, then one of each source before the rest. */
function keyLanes(days: SiteDays): readonly Lane[] {
  const lanes = lanesOf(days);
  const valued = lanes.filter((lane) => lastValued(lane.days) !== undefined);
  const seen = new Map<Lane["half"], number>();
  const ranked = (valued.length > 0 ? valued : lanes).map((lane) => {
    const place = seen.get(lane.half) ?? 0;
    seen.set(lane.half, place + 1);
    return { lane, rank: urgency(lane.worst) * 100 + place };
  });
  return ranked
    .toSorted((one, other) => one.rank - other.rank)
    .slice(0, MOST_CHARTS)
    .map(({ lane }) => lane);
}

function KeyCharts({ days, keys, expected, tests, nightly }: OverviewProps) {
  const { asset, annotations } = days;
  const elsewhere = days.flags.filter(({ lane }) => !keys.some(({ key }) => key === lane));
  return (
    <section id="metrics" aria-labelledby="key-charts">
      <div class="chart-head">
        <h2 id="key-charts">Key charts</h2>
        <RangeLinks site={days} />
      </div>
      <Chart
        days={days.days}
        lanes={keys.map((lane) => {
          const ranges = expected.get(lane.key);
          return chartLane(lane, {
            height: CHART_HEIGHT,
            aside: (
              <LaneNews lane={lane} row={rowOf(lane, { site: days, figures: nightly.figures, tests })} />
            ),
            ...(ranges !== undefined && { expected: ranges }),
          });
        })}
        annotations={annotations.marks}
        flags={elsewhere}
        hrefOf={(day) => dayHref(asset, day)}
        zoom={siteHref(asset, {})}
      >
        <MarkedNote annotations={annotations} href={paths.siteTimeline(asset)} />
      </Chart>
    </section>
  );
}

function LaneNews({ lane, row }: { readonly lane: Lane; readonly row: ReturnType<typeof rowOf> }) {
  const { half, unit, worst, week } = lane;
  const { latest, normally } = row;
  return (
    <>
      <h3>
        <a href={lane.href}>
          <ShortName name={lane.label} />
        </a>
      </h3>
      {latest === undefined || latest.value === null ? null : (
        <p class="num">
          <b data-sev={worst} class={worst === undefined ? undefined : "tone"}>
            {figureText(unit, latest.value)}
          </b>{" "}
          <small>
            {worst !== undefined && normally !== undefined
              ? `normally about ${usualText(normally)}`
              : week !== undefined
                ? `${changeText(week)} in 7 days`
                : ""}
          </small>
        </p>
      )}
      <small>
        {HALF_WORDS[half]}
        {unit === "position" ? ", lower is better" : ""}
        {latest === undefined ? null : (
          <>
            , <Day day={latest.day} />
            {stateAfter(latest.state)}
          </>
        )}
      </small>
    </>
  );
}

/** Nothing to draw yet: how to send the first report, or how to connect. */
function NothingYet(props: OverviewProps) {
  const { destination, own, nightly, code } = props;
  const isUnheard = nightly.summary.latest === undefined && code === undefined && !own;
  return (
    <>
      <Block id="metrics" heading="Key charts">
        <p>Charts appear after the first report with metrics.</p>
      </Block>
      {isUnheard ? <Sending destination={destination} own={own} /> : null}
    </>
  );
}

/** Beside the charts: visitors, and where the figures come from. */
function Rail(props: OverviewProps) {
  const { site, days, nightly, health, own, code } = props;
  const { asset } = site;
  const sources = days.groups.filter(({ half }) => half !== SENT);
  const refused = (route: string) => site.refused.find((streak) => streak.route === route);
  return (
    <div class="rail stack">
      {props.live}
      <Block
        heading="Data sources"
        note={
          health === undefined ? undefined : (
            <a href={paths.siteIntegrations(asset)}>
              <StateMark state={health.state} /> {workingWords(health)}
            </a>
          )
        }
      >
        <Facts
          facts={[
            ["Nightly report", <Nightly {...props} />],
            ...sources.map(
              (source) => [HALF_WORDS[source.half], <Source asset={asset} {...source} />] as const,
            ),
            [
              "Codebase report",
              code === undefined ? null : (
                <a href={paths.codebase(asset)}>
                  <Age at={code.generatedAt} />
                </a>
              ),
            ],
          ]}
        />
        <NightlyNotes asset={asset} nightly={nightly} refused={refused(REPORT_ROUTES.nightly)} />
        <RefusedNote asset={asset} streak={refused(REPORT_ROUTES.codebase)} since={code !== undefined} />
      </Block>
      {own ? null : (
        <p class="note">
          <a href={paths.siteSending(asset)}>How to send reports</a> ·{" "}
          <a href={paths.siteTokens(asset)}>Tokens</a> · <a href={paths.archiveOfSite(asset)}>Archive</a> ·{" "}
          <a href={paths.panelsOf(asset)}>Panels</a>
        </p>
      )}
    </div>
  );
}

/** The latest nightly report and the nights before it. */
function Nightly({ site: { asset }, nightly, own }: OverviewProps) {
  const { latest, nights } = nightly.summary;
  if (latest === undefined) {
    return own ? (
      <span>{OWN_NIGHTLY}</span>
    ) : (
      <>
        <NotMeasured words="No report" /> <a href={paths.firstReport(asset)}>Send the first report</a>
      </>
    );
  }
  return (
    <>
      <a href={paths.nightlyReport(asset, latest.date, latest.revision)}>
        <Age at={latest.receivedAt} />
      </a>{" "}
      <NightTicks nights={nights} />
      <small class="block-sm">
        {missedText(nightly.summary)}. <a href={paths.reports(asset)}>All reports</a>
      </small>
    </>
  );
}

function Source({ asset, half, finalTo, standing }: SiteDays["groups"][number] & { readonly asset: string }) {
  return (
    <span id={`source-${half}`} title={standing?.property}>
      {finalTo === undefined ? (
        "no final day yet"
      ) : (
        <>
          final to <Day day={finalTo} />
        </>
      )}
      {standing === undefined ? (
        <small class="block-sm">
          No longer connected. <a href={paths.siteIntegrations(asset)}>Attach a property</a>
        </small>
      ) : standing.latest === undefined ? (
        <small class="block-sm">
          <Told class="wrap">{standing.property}</Told> was not asked yet
          {finalTo === undefined ? "" : "; the figures were collected before it was attached"}
        </small>
      ) : (
        <Failing asset={asset} standing={standing} />
      )}
    </span>
  );
}

/** How to send reports of both kinds; `own` where Tower writes the nightly one itself. */
function Sending(props: { readonly destination: Destination; readonly own: boolean }) {
  const { destination, own } = props;
  return (
    <Block heading="How to send reports" id="sending">
      <div class="halves">
        <div class="ways">
          <h3>Nightly report</h3>
          {own ? <p>{OWN_NIGHTLY}</p> : <NightlyWay destination={destination} />}
          <IngestNote destination={destination} />
        </div>
        <div id="codebase">
          <CodebaseWays destination={destination} />
        </div>
      </div>
    </Block>
  );
}

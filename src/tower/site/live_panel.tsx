/** How often the panel asks for itself, in seconds: as long as an answer is shared, and soon while one is on its way. */

import { countWords as countOf } from "../../base/text.ts";
import { zonedHour } from "../../base/time.ts";
import { MONITORING_UNAVAILABLE } from "../../health/capability_words.ts";
import type { HourlyReport, HourOfReport, Realtime } from "../../providers/adapter.ts";
import { FAULT_CODES } from "../../providers/faults.ts";
import type { LiveFeed, LiveTraffic, LiveView } from "../../signals/live_traffic.ts";
import { formatCount } from "../format.ts";
import type { PageDeps } from "../keyboard.tsx";
import { Block } from "../kit/block.tsx";
import { Empty } from "../kit/empty.tsx";
import { here } from "../kit/here.ts";
import { NumbersTable } from "../kit/links.tsx";
import { Live } from "../kit/live.tsx";
import { Box, Level, Plot, percent, Stretch, Words } from "../kit/plot.tsx";
import { Clock } from "../kit/proof.tsx";
import { get, mounted } from "../kit/route.ts";
import { SiteHeader, siteTitle } from "../kit/site_state.tsx";
import { Page } from "../layout.tsx";
import { paths } from "../paths.ts";
import { type SiteHeadDeps, siteHead } from "../site_head.ts";

const HOURS = 24;
/** Percent of the width for one hour. */
const STEP = 100 / HOURS;
const TOP = 14;
const FOOT = 54;
/** Height of an hour that was not told, which is no zero: what came late may still fill it. */
const SLOT = 8;
/** Least height of a bar: one visitor beside a thousand is no zero. */
const LOWEST = 2;
/** Share of an hour's width that its bar takes. */
const BAR = 0.74;
/** Hours that are named under the plot. */
const NAMED = [0, 6, 12, 18];

/** Today by the hour, in the property's time zone. None of it is settled, and no rule reads it. */
export function TodayByHour({ counts }: { readonly counts: HourlyReport }) {
  const { now } = here();
  const { timeZone } = counts;
  const { day: today, hour: current } = zonedHour(now, timeZone);
  const told = counts.hours.filter(({ day }) => day === today);
  const byHour = new Map(told.map((counted) => [counted.hour, counted]));
  const highest = Math.max(0, ...told.map(({ activeUsers }) => activeUsers));
  const heard = Array.from({ length: current + 1 }, (_, hour) => ({ hour, counted: byHour.get(hour) }));
  return (
    <>
      <Plot height={FOOT + 16} label={labelOf(told, timeZone)}>
        {highest === 0 ? null : <Level class="grid" y={TOP} />}
        <line class="base" x1="0" x2={percent((current + 1) * STEP)} y1={FOOT} y2={FOOT} />
        {heard.map(({ hour, counted }) => (
          <Hour hour={hour} counted={counted} highest={highest} />
        ))}
        <text x="0" y="10">
          {highest === 0 ? "visitors" : countOf(highest, "visitor")}
        </text>
        {NAMED.map((hour) => (
          <Words x={hour * STEP} y={FOOT + 12}>
            {clockOf(hour)}
          </Words>
        ))}
      </Plot>
      <p class="note">
        {told.length === 0 ? "Nothing was told of today yet" : `So far ${wordsOfToday(told)}`}. Hours in{" "}
        {timeZone}; today is not settled.
      </p>
      {told.length === 0 ? null : (
        <NumbersTable
          caption="Today by hour"
          items={told}
          columns={[
            { words: "Hour", names: true, cell: ({ hour }) => clockOf(hour) },
            { words: "Visitors", numeric: true, cell: ({ activeUsers }) => formatCount(activeUsers) },
            { words: "Sessions", numeric: true, cell: ({ sessions }) => formatCount(sessions) },
            { words: "Page views", numeric: true, cell: ({ pageViews }) => formatCount(pageViews) },
            { words: "Events", numeric: true, cell: ({ eventCount }) => formatCount(eventCount) },
          ]}
        />
      )}
    </>
  );
}

/** One hour: a bar, a short tick for nobody, a slot where nothing was told. */
function Hour(props: {
  readonly hour: number;
  readonly counted: HourOfReport | undefined;
  readonly highest: number;
}) {
  const { hour, counted, highest } = props;
  const [x, width] = [(hour + (1 - BAR) / 2) * STEP, STEP * BAR];
  if (counted?.activeUsers === 0) return <Stretch class="zero" from={x} to={x + width} y={FOOT - 1} />;
  const height =
    counted === undefined ? SLOT : Math.max(LOWEST, (counted.activeUsers / highest) * (FOOT - TOP));
  return (
    <Box
      class={counted === undefined ? "none" : "prov"}
      x={x}
      width={width}
      y={FOOT - height}
      height={height}
      title={`${clockOf(hour)}: ${counted === undefined ? "nothing told" : wordsOf(counted)}`}
    />
  );
}

const clockOf = (hour: number): string => `${String(hour).padStart(2, "0")}:00`;

function wordsOf({ activeUsers, sessions, pageViews }: HourOfReport): string {
  return `${countOf(activeUsers, "visitor")}, ${countOf(sessions, "session")}, ${countOf(pageViews, "page view")}`;
}

/** What hours can be added up of: who visits in two of them is one visitor, and one session may reach into two. */
function wordsOfToday(told: readonly HourOfReport[]): string {
  const sum = (of: (counted: HourOfReport) => number) => told.reduce((all, counted) => all + of(counted), 0);
  return `${countOf(
    sum(({ pageViews }) => pageViews),
    "page view",
  )} and ${countOf(
    sum(({ eventCount }) => eventCount),
    "event",
  )}`;
}

function labelOf(told: readonly HourOfReport[], timeZone: string): string {
  const counts = told.map(({ hour, activeUsers }) => `${clockOf(hour)} ${activeUsers}`);
  return `Visitors today by hour in ${timeZone}: ${counts.length === 0 ? "nothing told yet" : counts.join(", ")}`;
}

const PERIOD = 30;
const SOON = 3;

/**
 * Who is on a site now, and today by the hour. It asks for itself while it is seen; nothing stands here for a site without an
 * analytics property, or one that is retired.
 */
export function LivePanel({ asset, view }: { readonly asset: string; readonly view: LiveView }) {
  if (view.state !== "watched") return null;
  const { realtime, hourly } = view;
  // What stands there meanwhile may be of an hour ago: of when somebody looked last.
  const isOnItsWay = realtime.asking || hourly.asking;
  return (
    <Block heading="Visitors now" id="visitors-now">
      <Live
        id="live"
        href={paths.siteLivePart(asset)}
        every={isOnItsWay ? SOON : PERIOD}
        class="live stack tight"
      >
        <Now feed={realtime} />
        <h3>Today by hour</h3>
        {hourly.value === null ? <Checking feed={hourly} /> : <TodayByHour counts={hourly.value} />}
        <Observed feed={hourly} shared="shared for 15 min" />
        {realtime.isMonitored && hourly.isMonitored ? null : <p class="note bad">{MONITORING_UNAVAILABLE}</p>}
      </Live>
    </Block>
  );
}

function Now({ feed }: { readonly feed: LiveFeed<Realtime> }) {
  const { value } = feed;
  if (value === null) {
    return (
      <>
        <Checking feed={feed} />
        <Observed feed={feed} shared="" />
      </>
    );
  }
  const { last30, last5 } = value;
  return (
    <>
      <p class="row">
        <output>{formatCount(last30.activeUsers)}</output>{" "}
        <span class="dim">active in the last 30 minutes, {formatCount(last5.activeUsers)} in the last 5</span>
      </p>
      <p class="note">
        {countOf(last30.pageViews, "page view")} and {countOf(last30.eventCount, "event")} in these 30
        minutes.
      </p>
      <Observed feed={feed} shared="shared for 30 s" />
    </>
  );
}

/** There is no value yet. */
function Checking({ feed }: { readonly feed: LiveFeed<unknown> }) {
  const { now } = here();
  const { seenAt, nextAt, asking, failure } = feed;
  // That it is paused is said below.
  if (feed.isPaused) return null;
  const waits = !asking && nextAt !== null && nextAt > now;
  return (
    <>
      <p class="wait">Checking traffic</p>
      {waits && failure === null && seenAt !== null ? (
        <p class="note">
          The answer of <Clock at={seenAt} seconds /> UTC is not kept over a restart. The next question is at{" "}
          <Clock at={nextAt} seconds /> UTC.
        </p>
      ) : null}
      {seenAt === null && failure === null ? (
        <noscript>
          <p class="note">Load this page again in a moment to see the answer.</p>
        </noscript>
      ) : null}
    </>
  );
}

/** When the value was seen, and what came of the last try where it failed: both stand, whichever is newer. */
function Observed(props: { readonly feed: LiveFeed<unknown>; readonly shared: string }) {
  const { now } = here();
  const { value, seenAt, failure, nextAt, isPaused } = props.feed;
  const seen = value === null ? null : seenAt;
  if (isPaused) {
    return (
      <small>
        {seen === null ? null : (
          <>
            Seen <Clock at={seen} seconds /> UTC.{" "}
          </>
        )}
        Paused: nobody is asked. <a href={paths.pauses}>What is paused</a>
      </small>
    );
  }
  if (seen === null && failure === null) return null;
  return (
    <small>
      {seen === null ? null : (
        <>
          Seen <Clock at={seen} seconds /> UTC{failure === null ? `, ${props.shared}` : "; "}
        </>
      )}
      {failure === null ? null : (
        <span class="bad">
          {seen === null ? "Last" : "last"} try <Clock at={failure.at} seconds /> UTC failed:{" "}
          {FAULT_CODES[failure.code].words} {FAULT_CODES[failure.code].action}
        </span>
      )}
      {failure === null || nextAt === null || nextAt <= now ? null : (
        <>
          {" "}
          Tower asks again from <Clock at={nextAt} seconds /> UTC on.
        </>
      )}
    </small>
  );
}

/** `/sites/{asset}/live`: the panel that asks for itself; for whoever opens it, a page that shows it alone. */

export function liveRoutes(deps: PageDeps & SiteHeadDeps & { readonly live: Pick<LiveTraffic, "look"> }) {
  return mounted(deps, [
    get(
      paths.siteLive,
      { find: ({ asset }, at) => siteHead(deps, asset, at) },
      ({ found: site, wants, part }) => {
        const view = deps.live.look(site.asset);
        const panel = <LivePanel asset={site.asset} view={view} />;
        if (wants("live")) return part(panel);
        return (
          <Page title={siteTitle(site, "now")} current="sites">
            <SiteHeader site={site} current="insights" />
            {view.state === "watched" ? (
              panel
            ) : (
              <NotWatched retired={view.state === "retired"} asset={site.asset} />
            )}
          </Page>
        );
      },
    ),
  ]);
}

/** Why nothing is asked. */
function NotWatched({ retired, asset }: { readonly retired: boolean; readonly asset: string }) {
  return (
    <Empty alone heading={retired ? "This site is retired" : "No analytics property is attached"}>
      <p>{retired ? "Nothing is asked about it any more." : "Visitors show here once one is."}</p>
      <a class="btn" href={retired ? paths.site(asset) : paths.siteSettings(asset)}>
        {retired ? "Back to the site" : "Settings of this site"}
      </a>
    </Empty>
  );
}

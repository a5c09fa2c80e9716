/**
 * Who is on a site now, and today by the hour: a part of the overview that asks for itself while it is seen. `/sites/{asset}/live`
 * answers it; for whoever opens that address, the overview has it.
 */

import { countWords as countOf } from "../../base/text.ts";
import { zonedHour } from "../../base/time.ts";
import { MONITORING_UNAVAILABLE } from "../../health/capability_words.ts";
import type { HourlyReport, HourOfReport, Realtime } from "../../providers/adapter.ts";
import { FAULT_CODES } from "../../providers/faults.ts";
import type { LiveFeed, LiveView } from "../../signals/live_traffic.ts";
import { formatCount } from "../format.ts";
import type { PageGround } from "../ground.ts";
import { here } from "../kit/here.ts";
import { Block } from "../kit/list.tsx";
import { Box, Level, Plot, percent, Stretch } from "../kit/plot.tsx";
import { Clock } from "../kit/proof.tsx";
import { get, mounted } from "../kit/route.ts";
import { Live } from "../layout.tsx";
import { paths } from "../paths.ts";
import { seeOther } from "../session.ts";
import { siteHead } from "../site_head.ts";

/** How often the panel asks for itself, in seconds: as long as an answer is shared, and soon while one is on its way. */
const [PERIOD, SOON] = [30, 3];

export function liveRoutes(deps: PageGround) {
  return mounted(deps, [
    get(
      paths.siteLive,
      { find: ({ asset }, at) => siteHead(deps, asset, at) },
      ({ found: { asset }, wants, part }) =>
        wants("live")
          ? part(<LivePanel asset={asset} view={deps.live.look(asset)} />)
          : seeOther(`${paths.site(asset)}#visitors-now`),
    ),
  ]);
}

/** Nothing stands here for a site without an analytics property, or one that is retired. */
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
        {realtime.value === null ? <Checking feed={realtime} /> : <Now counts={realtime.value} />}
        <Observed feed={realtime} shared="30 s" />
        {hourly.value === null ? <Checking feed={hourly} /> : <TodayByHour counts={hourly.value} />}
        <Observed feed={hourly} shared="15 min" />
        {realtime.isMonitored && hourly.isMonitored ? null : <p class="note bad">{MONITORING_UNAVAILABLE}</p>}
      </Live>
    </Block>
  );
}

function Now({ counts: { last30, last5 } }: { readonly counts: Realtime }) {
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
    </>
  );
}

/** There is no value yet. That a feed is paused is said below. */
function Checking({ feed }: { readonly feed: LiveFeed<unknown> }) {
  const { seenAt, failure, isPaused } = feed;
  if (isPaused) return null;
  return (
    <>
      <p class="wait">Checking traffic</p>
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
  const seen =
    value === null || seenAt === null ? null : (
      <>
        Updated <Clock at={seenAt} seconds /> UTC
        {failure === null && !isPaused ? ` (shared for ${props.shared})` : ""}.{" "}
      </>
    );
  if (isPaused) {
    return (
      <small>
        {seen}Paused: nobody is asked. <a href={paths.pauses}>What is paused</a>
      </small>
    );
  }
  if (seen === null && failure === null) return null;
  return (
    <small>
      {seen}
      {failure === null ? null : (
        <span class="bad">
          Last try <Clock at={failure.at} seconds /> UTC failed: {FAULT_CODES[failure.code].words}{" "}
          {FAULT_CODES[failure.code].action}
        </span>
      )}
      {failure === null || nextAt === null || nextAt <= now ? null : (
        <>
          {" "}
          Next try <Clock at={nextAt} seconds /> UTC.
        </>
      )}
    </small>
  );
}

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
function TodayByHour({ counts }: { readonly counts: HourlyReport }) {
  const { now } = here();
  const { timeZone } = counts;
  const { day: today, hour: current } = zonedHour(now, timeZone);
  const told = counts.hours.filter(({ day }) => day === today);
  const highest = Math.max(0, ...told.map(({ activeUsers }) => activeUsers));
  const sum = (of: "pageViews" | "eventCount") => told.reduce((all, counted) => all + counted[of], 0);
  const values = told.map(({ hour, activeUsers }) => `${clockOf(hour)} ${activeUsers}`).join(", ");
  return (
    <>
      <h3>Today by hour</h3>
      <Plot
        height={FOOT + 16}
        label={`Visitors today by hour in ${timeZone}: ${values === "" ? "no data yet" : values}`}
      >
        {highest === 0 ? null : <Level class="grid" y={TOP} />}
        <line class="base" x1="0" x2={percent((current + 1) * STEP)} y1={FOOT} y2={FOOT} />
        {Array.from({ length: current + 1 }, (_, hour) => (
          <Hour hour={hour} counted={told.find((one) => one.hour === hour)} highest={highest} />
        ))}
        <text x="0" y="10">
          {highest === 0 ? "visitors" : countOf(highest, "visitor")}
        </text>
        {NAMED.map((hour) => (
          <text x={percent(hour * STEP)} y={FOOT + 12}>
            {clockOf(hour)}
          </text>
        ))}
      </Plot>
      <p class="note">
        {/* Who visits in two hours is one visitor, and one session may reach into two: these two add up. */}
        {told.length === 0
          ? "No data of today yet"
          : `So far ${countOf(sum("pageViews"), "page view")} and ${countOf(sum("eventCount"), "event")}`}
        . Hours in {timeZone}; today is not final yet.
      </p>
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
  if (counted === undefined)
    return (
      <Box
        class="none"
        x={x}
        width={width}
        y={FOOT - SLOT}
        height={SLOT}
        title={`${clockOf(hour)}: no data`}
      />
    );
  const { activeUsers, sessions, pageViews } = counted;
  const height = Math.max(LOWEST, (activeUsers / highest) * (FOOT - TOP));
  const words = [
    countOf(activeUsers, "visitor"),
    countOf(sessions, "session"),
    countOf(pageViews, "page view"),
  ].join(", ");
  return (
    <Box
      class="prov"
      x={x}
      width={width}
      y={FOOT - height}
      height={height}
      title={`${clockOf(hour)}: ${words}`}
    />
  );
}

const clockOf = (hour: number): string => `${String(hour).padStart(2, "0")}:00`;

import type { LiveFeed, LiveView } from "../../live/mod.ts";
import { MONITORING_UNAVAILABLE } from "../../monitoring/mod.ts";
import type { Realtime } from "../../provider/contract.ts";
import { FAULT_CODES } from "../../provider/fault_codes.ts";
import { Block } from "../component/block.tsx";
import { Clock } from "../component/time.tsx";
import { countOf, formatCount } from "../format.ts";
import { Live } from "../kit/live.tsx";
import { paths } from "../paths.ts";
import { TodayByHour } from "./hours.tsx";

/** How often the panel asks for itself, in seconds: as long as an answer is shared, and soon while one is on its way. */
const PERIOD = 30;
const SOON = 3;

/**
 * Who is on a site now, and today by the hour. It asks for itself while it is seen; nothing stands here for a site without an
 * analytics property, or one that is retired.
 */
export function LivePanel({
  asset,
  view,
  now,
}: {
  readonly asset: string;
  readonly view: LiveView;
  readonly now: number;
}) {
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
        <Now feed={realtime} now={now} />
        <h3>Today by hour</h3>
        {hourly.value === null ? (
          <Checking feed={hourly} now={now} />
        ) : (
          <TodayByHour counts={hourly.value} now={now} />
        )}
        <Observed feed={hourly} shared="shared for 15 min" now={now} />
        {realtime.isMonitored && hourly.isMonitored ? null : <p class="note bad">{MONITORING_UNAVAILABLE}</p>}
      </Live>
    </Block>
  );
}

function Now({ feed, now }: { readonly feed: LiveFeed<Realtime>; readonly now: number }) {
  const { value } = feed;
  if (value === null) {
    return (
      <>
        <Checking feed={feed} now={now} />
        <Observed feed={feed} shared="" now={now} />
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
      <Observed feed={feed} shared="shared for 30 s" now={now} />
    </>
  );
}

/** There is no value yet. */
function Checking({ feed, now }: { readonly feed: LiveFeed<unknown>; readonly now: number }) {
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
function Observed(props: {
  readonly feed: LiveFeed<unknown>;
  readonly shared: string;
  readonly now: number;
}) {
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
      {failure === null || nextAt === null || nextAt <= props.now ? null : (
        <>
          {" "}
          Tower asks again from <Clock at={nextAt} seconds /> UTC on.
        </>
      )}
    </small>
  );
}

/** What is known of a site's nightly reports: the latest in time, the nights before it, what was refused and what could not be judged. */

import type { BrokenRule } from "../../base/contract.ts";
import { countWords as countOf } from "../../base/text.ts";
import { addDays, type UtcDay, utcDayOf } from "../../base/time.ts";
import { listMonitoringFailures, type MonitoringFailure } from "../../health/monitoring.ts";
import type { RefusedReport, Streak } from "../../health/refusals.ts";
import {
  listFirstNights,
  listNights,
  type Night,
  type NightlySummary,
  type NightState,
  nightlySummary,
  STRIP_NIGHTS,
  WEEK_NIGHTS,
} from "../../reports/nights.ts";
import { type Backlog, findBacklog, findLatestPulse, type Pulse } from "../../reports/pulse.ts";
import { seriesName } from "../../sites/rule_catalogue.ts";
import type { findAsset } from "../../sites/sites.ts";
import type { Db } from "../../store/store.ts";
import { formatCount, formatSpan } from "../format.ts";
import { here } from "../kit/here.ts";
import { joined, ShortName, Told } from "../kit/links.tsx";
import { Day, Moment } from "../kit/proof.tsx";
import { Callout } from "../kit/words.tsx";
import { paths } from "../paths.ts";

/** The metrics of a report, as it has them. */
export type SentFigures = Pulse["metrics"];

export type NightlyOverview = ReturnType<typeof readNightly>;

/** Reads the nightly part of a site's overview. */
export function readNightly(
  db: Db,
  site: Pick<NonNullable<ReturnType<typeof findAsset>>, "id" | "lifecycle" | "families">,
  now: number,
) {
  const asset = site.id;
  const latest = findLatestPulse(db, asset, now);
  const first = listFirstNights(db, [asset]).get(asset);
  const live = site.lifecycle === "live";
  const summary = nightlySummary({
    received: listNights(db, [asset], addDays(utcDayOf(now), -STRIP_NIGHTS)).get(asset) ?? new Set<UtcDay>(),
    first,
    live,
    latest,
    families: site.families.map(({ family }) => family),
    now,
  });
  return {
    summary,
    /** The metrics of the latest report; none where there is no report. */
    figures: latest?.report.metrics ?? {},
    firstNight: first,
    /** The last night that owes a report: the last one of a live site, else that of its latest report. */
    owedTo: live ? summary.lastNight : latest?.date,
    /** What of the site's reports could not be judged. */
    failures: listMonitoringFailures(db, { kind: "rule", asset }),
    /** The site's reports that are not judged yet. */
    backlog: findBacklog(db, asset),
  };
}

/** Units from one tick to the next. */
const STEP = 6;

/** The last nights as ticks: solid where a report was received, hollow where it was missed, nothing where none was expected. */
export function NightTicks({ nights }: { readonly nights: readonly Night[] }) {
  const received = nights.filter(({ state }) => state === "received").length;
  const missed = nights.filter(({ state }) => state === "missed").length;
  const at = (place: number): number => 3 + place * STEP;
  const draw = (wanted: NightState, tick: (x: number) => string): string =>
    nights.flatMap(({ state }, place) => (state === wanted ? [tick(at(place))] : [])).join("");
  const got = draw("received", (x) => `M${x} 13v-9`);
  const lost = draw("missed", (x) => `M${x - 1.5} 4.5h3v8h-3z`);
  return (
    <svg
      class="spark nights"
      viewBox="0 0 84 14"
      role="img"
      aria-label={`Of the last ${countOf(nights.length, "night")} ${received} received, ${missed} missed`}
    >
      {got === "" ? null : <path class="got" d={got} />}
      {lost === "" ? null : <path class="miss" d={lost} />}
    </svg>
  );
}

/** "Missed 4 of the last 7 nights"; the nights on which a report was expected. */
export function missedText({ missed, nights }: Pick<NightlySummary, "missed" | "nights">): string {
  if (missed.of === 0) return "No nightly report was due";
  if (missed.of === 1) return missed.missed === 1 ? "Missed the only night so far" : "No night missed so far";
  const span =
    missed.of === WEEK_NIGHTS ? `last ${WEEK_NIGHTS} nights` : `${countOf(missed.of, "night")} so far`;
  if (missed.missed > 0) return `Missed ${missed.missed} of the ${span}`;
  const all = nights.filter(({ state }) => state === "missed").length;
  return all === 0 ? `None of the ${span} missed` : `None of the ${span} missed, ${all} before that`;
}

/** Why a report was refused: the first broken rule, as its sender was told it. */
export function whyWords({ faults, code }: Pick<RefusedReport, "faults" | "code">): string {
  const [first] = faults;
  return first === undefined ? code : faultWords(code, first);
}

export function faultWords(code: string, { pointer, message }: BrokenRule): string {
  return code === "broken-contract" ? `${pointer || "the body"} ${message}` : message;
}

/** What was refused since the last good report, where something was: a site that is refused every night must not merely look silent. */
export function RefusedNote(props: {
  readonly asset: string;
  readonly streak: Streak | undefined;
  /** Whether there is a good report to count from. */
  readonly since: boolean;
}) {
  const { asset, streak, since } = props;
  if (streak === undefined) return null;
  return (
    <Callout tone="failing">
      <p>
        {countOf(streak.count, "report was", "reports were")} refused{since ? " since this one" : ""}, the
        latest <Moment at={streak.lastAt} /> with {streak.status}:{" "}
        <Told class="wrap">{`${whyWords(streak).replace(/\.$/, "")}.`}</Told>{" "}
        <a href={`${paths.reports(asset)}#refused`}>All refused reports</a>
      </p>
    </Callout>
  );
}

/** Pages named before the rest is counted. */
const NAMED_PAGES = 2;

/** What is unusual about the latest nightly report, and its pages with most negative events. */
export function NightlyNotes(props: {
  readonly asset: string;
  readonly nightly: Pick<NightlyOverview, "summary">;
  readonly refused: Streak | undefined;
}) {
  const { asset, refused } = props;
  const { latest, missing, awaited, negative } = props.nightly.summary;
  return (
    <div class="stack tight">
      <RefusedNote asset={asset} streak={refused} since={latest !== undefined} />
      {latest === undefined || missing.length === 0 ? null : (
        <Callout tone="stale">
          <p>
            Declared, but not in the report of <Day day={latest.date} />:{" "}
            <Told class="mono wrap">{missing.join(", ")}</Told>
          </p>
        </Callout>
      )}
      {awaited.length === 0 ? null : (
        <p class="note">
          {countOf(awaited.length, "metric family", "metric families")} declared, nothing received.
        </p>
      )}
      {latest === undefined ? null : (
        <p>
          Negative events by page:{" "}
          {negative === undefined ? (
            <span class="nm">Not measured</span>
          ) : negative.length === 0 ? (
            "none"
          ) : (
            joined(
              negative
                .slice(0, NAMED_PAGES)
                .map(({ page, count }) => [<ShortName name={page} />, ` ${formatCount(count)}`]),
            )
          )}
          {negative === undefined || negative.length <= NAMED_PAGES ? null : (
            <>
              ,{" "}
              <a href={paths.nightlyReport(asset, latest.date, latest.revision)}>
                {countOf(negative.length - NAMED_PAGES, "more page")}
              </a>
            </>
          )}
        </p>
      )}
    </div>
  );
}

// What the rules did not judge, or have not judged yet: an empty list of flags is no all-clear for it.

/** The rules follow within a second of a report; what waits longer than this is worth a word. */
const WORTH_A_WORD_MS = 5_000;
/** Below this a wait is told in seconds. */
const SECONDS_BELOW_MS = 120_000;
/** Most failures, and most sites, named. */
const MOST_NAMED = 5;

/** "217 nightly reports wait to be checked, the oldest for 40 s"; undefined while judging keeps up. */
export function backlogWords({ reports, since }: Backlog, now: number): string | undefined {
  if (since === undefined || now - since < WORTH_A_WORD_MS) return undefined;
  const span = spanWords(now - since);
  if (reports === 1) return `1 nightly report waits to be checked, for ${span}`;
  return `${formatCount(reports)} nightly reports wait to be checked, the oldest for ${span}`;
}

function spanWords(ms: number): string {
  return ms < SECONDS_BELOW_MS ? `${Math.floor(ms / 1_000)} s` : formatSpan(ms);
}

/** What stands between a site's reports and their verdicts; nothing when nothing does. */
export function Unjudged(props: {
  readonly failures: readonly MonitoringFailure[];
  readonly backlog: Backlog;
}) {
  const { now } = here();
  const { failures } = props;
  const waiting = backlogWords(props.backlog, now);
  const more = failures.length - MOST_NAMED;
  return (
    <>
      {failures.length === 0 ? null : (
        <Callout tone="failing">
          <p>The rules could not check everything this site sent. The rest was checked.</p>
          <ul>
            {failures.slice(0, MOST_NAMED).map(({ source, subject, reason, since }) => (
              <li>
                {subject === "" ? null : (
                  <>
                    <Told class="mono wrap">{seriesName(subject, source)}</Told>:{" "}
                  </>
                )}
                <Told class="wrap">{reason}</Told> So since <Moment at={since} />.
              </li>
            ))}
            {more > 0 ? <li>And {formatCount(more)} more.</li> : null}
          </ul>
        </Callout>
      )}
      {waiting === undefined ? null : (
        <Callout tone="stale">
          <p>{waiting}. What they bring is not in the verdicts and charts yet.</p>
        </Callout>
      )}
    </>
  );
}

/** The same of all sites, in a line that leads to the first of them; nothing when there is nothing. */
export function UnjudgedSites(props: {
  /** Sites of which something could not be judged, each once. */
  readonly sites: readonly string[];
  readonly backlog: Backlog;
}) {
  const { now } = here();
  const { sites } = props;
  const waiting = backlogWords(props.backlog, now);
  if (sites.length === 0 && waiting === undefined) return null;
  const more = sites.length - MOST_NAMED;
  return (
    <Callout tone="stale">
      {sites.length === 0 ? null : (
        <p>
          The rules could not check everything these sites sent:{" "}
          {joined(sites.slice(0, MOST_NAMED).map((site) => <a href={paths.site(site)}>{site}</a>))}
          {more > 0 ? ` and ${formatCount(more)} more` : ""}.
        </p>
      )}
      {waiting === undefined ? null : <p>{waiting}.</p>}
    </Callout>
  );
}

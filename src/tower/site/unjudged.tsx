/** What the rules did not judge, or have not judged yet: an empty list of flags is no all-clear for it. */

import type { MonitoringFailure } from "../../health/monitoring.ts";
import type { Backlog } from "../../reports/pulse.ts";
import { seriesName } from "../../sites/rule_catalogue.ts";
import { formatCount, formatSpan } from "../format.ts";
import { here } from "../kit/here.ts";
import { Told } from "../kit/links.tsx";
import { Callout } from "../kit/monitoring_words.tsx";
import { Moment } from "../kit/proof.tsx";
import { paths } from "../paths.ts";

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
          {sites.slice(0, MOST_NAMED).map((site, place) => (
            <>
              {place === 0 ? "" : ", "}
              <a href={paths.site(site)}>{site}</a>
            </>
          ))}
          {more > 0 ? ` and ${formatCount(more)} more` : ""}.
        </p>
      )}
      {waiting === undefined ? null : <p>{waiting}.</p>}
    </Callout>
  );
}

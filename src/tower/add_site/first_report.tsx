import type { UtcDay } from "../../lib/utc_day.ts";
import type { RefusedReport, Stray } from "../../refusals/mod.ts";
import { Callout } from "../component/callout.tsx";
import { StateMark } from "../component/state.tsx";
import { Told } from "../component/text.tsx";
import { Clock, Day } from "../component/time.tsx";
import { countOf } from "../format.ts";
import { Live } from "../kit/live.tsx";
import { whyWords } from "../nightly/refused.tsx";
import { paths } from "../paths.ts";

/** What the ingest has heard from a new site. */
export type FirstReportState =
  | {
      readonly state: "waiting";
      /** The latest refused report, so that a typo shows while the reader looks. */
      readonly rejected: RefusedReport | null;
      /** The latest report that belongs to no site, or not to the one it names: it may have been meant for this one. */
      readonly stray?: Stray | null;
    }
  | {
      readonly state: "received";
      readonly report: "codebase" | "nightly";
      readonly receivedAt: number;
      readonly date: UtcDay;
      readonly revision: number;
      /** Figures of a codebase report, metrics of a nightly one. */
      readonly values: number;
    };

/** Waits for the first report, asking every 5 seconds while the page is seen, and stops when it is there. */
export function FirstReport(props: {
  readonly asset: string;
  readonly heard: FirstReportState;
  readonly now: number;
}) {
  const { asset, heard, now } = props;
  return (
    <Live
      id="first-report"
      href={heard.state === "waiting" ? paths.firstReportHeard(asset) : null}
      every={5}
      status
    >
      {heard.state === "waiting" ? (
        <Waiting rejected={heard.rejected} stray={heard.stray ?? null} now={now} />
      ) : (
        <Received asset={asset} heard={heard} now={now} />
      )}
    </Live>
  );
}

function Waiting(props: {
  readonly rejected: RefusedReport | null;
  readonly stray: Stray | null;
  readonly now: number;
}) {
  const { rejected, stray, now } = props;
  return (
    <Callout tone={rejected === null && stray === null ? undefined : "stale"}>
      <p class="wait">
        <b>Waiting for the first report</b>
      </p>
      {rejected === null ? null : (
        <p>
          A report was refused at <Clock at={rejected.lastAt} seconds />, {rejected.status}:{" "}
          <Told class="wrap">{whyWords(rejected)}</Told>
          {rejected.more + rejected.faults.length > 1
            ? `, and ${countOf(rejected.more + rejected.faults.length - 1, "more rule")}`
            : ""}
        </p>
      )}
      {stray === null ? null : <StrayWords stray={stray} />}
      <p class="note">
        Looked at <Clock at={now} seconds /> UTC.{" "}
        <span data-scripted hidden>
          This looks again every 5 seconds while the page is open.
        </span>
        <noscript>Reload the page to look again.</noscript>
      </p>
    </Callout>
  );
}

/** A report that may have been meant for this site: its token tells who sends it, and that is judged before anything else is read. */
function StrayWords({ stray }: { readonly stray: Stray }) {
  const { tokenOf, code, at } = stray;
  if (tokenOf !== null) {
    return (
      <p>
        At <Clock at={at} seconds /> a report came with the token of{" "}
        <a href={paths.site(tokenOf)}>{tokenOf}</a> and names another site. If it was this site's, send it
        with this site's token.
      </p>
    );
  }
  return (
    <p>
      At <Clock at={at} seconds /> a report came with{" "}
      {code === "insufficient-scope" ? "an operator's token" : "no token, or one that no site has"}, and was
      refused unread. If it was this site's, look at its token.
    </p>
  );
}

function Received(props: {
  readonly asset: string;
  readonly heard: FirstReportState & { readonly state: "received" };
  readonly now: number;
}) {
  const { asset, heard, now } = props;
  const codebase = heard.report === "codebase";
  return (
    <Callout tone="working">
      <p>
        <StateMark state="working" /> The first {heard.report} report arrived at{" "}
        <Clock at={heard.receivedAt} seconds /> UTC and is stored as revision {heard.revision} of{" "}
        <Day day={heard.date} now={now} />, with{" "}
        {codebase ? countOf(heard.values, "figure") : countOf(heard.values, "metric")}.
      </p>
      <p>
        <a class="btn primary" href={codebase ? paths.codebase(asset) : paths.site(asset)}>
          {codebase ? "See the Codebase tab" : "See the site"}
        </a>
      </p>
    </Callout>
  );
}

import type { UtcDay } from "../../lib/utc_day.ts";
import type { RefusedReport } from "../../refusals/mod.ts";
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
      href={heard.state === "waiting" ? paths.firstReport(asset) : null}
      every={5}
      status
    >
      {heard.state === "waiting" ? (
        <Waiting rejected={heard.rejected} now={now} />
      ) : (
        <Received asset={asset} heard={heard} now={now} />
      )}
    </Live>
  );
}

function Waiting(props: { readonly rejected: RefusedReport | null; readonly now: number }) {
  const { rejected, now } = props;
  return (
    <Callout tone={rejected === null ? undefined : "stale"}>
      <p class="wait">
        <b>Waiting for the first report</b>
      </p>
      {rejected === null ? null : (
        <p>
          A report was refused at <Clock at={rejected.lastAt} seconds />: <Told>{whyWords(rejected)}</Told>
        </p>
      )}
      <p class="note">
        Looked at <Clock at={now} seconds /> UTC. With scripts this looks again every 5 seconds while the page
        is open; without them, reload.
      </p>
    </Callout>
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

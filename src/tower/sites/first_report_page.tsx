/** The page that waits for a new site's first report. */

import { countWords as countOf } from "../../base/text.ts";
import type { UtcDay } from "../../base/time.ts";
import type { RefusedReport } from "../../health/refusals.ts";
import type { LIFECYCLES } from "../../sites/sites.ts";
import type { FreshToken } from "../fresh_tokens.ts";
import { Act, ShownOnce } from "../kit/field.tsx";
import { StateMark } from "../kit/glyph.tsx";
import { here } from "../kit/here.ts";
import { HelpLink, Told } from "../kit/links.tsx";
import { Live } from "../kit/live.tsx";
import { Callout } from "../kit/monitoring_words.tsx";
import { Clock, Day } from "../kit/proof.tsx";
import { LIFECYCLE_WORDS } from "../kit/site_state.tsx";
import { Page } from "../layout.tsx";
import { paths } from "../paths.ts";
import { whyWords } from "../site/latest_nightly.tsx";
import { CodebaseWays, type Destination, EveryNight, IngestNote, TryNightly } from "../site/ways.tsx";

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
export function FirstReport(props: { readonly asset: string; readonly heard: FirstReportState }) {
  const { asset, heard } = props;
  return (
    <Live
      id="first-report"
      href={heard.state === "waiting" ? paths.firstReportHeard(asset) : null}
      every={5}
      status
    >
      {heard.state === "waiting" ? (
        <Waiting rejected={heard.rejected} />
      ) : (
        <Received asset={asset} heard={heard} />
      )}
    </Live>
  );
}

function Waiting({ rejected }: { readonly rejected: RefusedReport | null }) {
  const { now } = here();
  return (
    <Callout tone={rejected === null ? undefined : "stale"}>
      <p class="wait">
        <b>Waiting for the first report</b>
      </p>
      {rejected === null ? null : (
        <p>
          Report refused at <Clock at={rejected.lastAt} seconds />, {rejected.status}:{" "}
          <Told class="wrap">{whyWords(rejected)}</Told>
          {rejected.more + rejected.faults.length > 1
            ? `, and ${countOf(rejected.more + rejected.faults.length - 1, "more rule")}`
            : ""}
        </p>
      )}
      <p class="note">
        Checked at <Clock at={now} seconds /> UTC.{" "}
        <span data-scripted hidden>
          Checks every 5 seconds.
        </span>
        <noscript>Reload the page to check again.</noscript>
      </p>
    </Callout>
  );
}

function Received(props: {
  readonly asset: string;
  readonly heard: FirstReportState & { readonly state: "received" };
}) {
  const { asset, heard } = props;
  const codebase = heard.report === "codebase";
  return (
    <Callout tone="working">
      <p>
        <StateMark state="working" /> First {heard.report} report received at{" "}
        <Clock at={heard.receivedAt} seconds /> UTC: revision {heard.revision} of <Day day={heard.date} />,{" "}
        {codebase ? countOf(heard.values, "figure") : countOf(heard.values, "metric")}.
      </p>
      <p>
        <a class="btn primary" href={codebase ? paths.codebase(asset) : paths.site(asset)}>
          {codebase ? "View code" : "View site"}
        </a>
      </p>
    </Callout>
  );
}

interface FirstReportPageProps {
  readonly site: { readonly lifecycle: (typeof LIFECYCLES)[number] };
  readonly destination: Destination;
  /** The token while it may be shown to this reader. */
  readonly fresh: FreshToken | undefined;
  /** Tokens of the site that are in force. */
  readonly tokens: number;
  readonly heard: FirstReportState;
}

/** The token of a new site, one command, and its outcome. The page may be reloaded at any moment. */
export function FirstReportPage(props: FirstReportPageProps) {
  const { fresh, site } = props;
  const { asset } = props.destination;
  const destination = { ...props.destination, token: fresh?.token ?? null };
  // The commands hold it while it is shown: then sending comes first.
  const token = (
    <li>
      <h2>{fresh === undefined ? "Issue a token" : "Keep the token"}</h2>
      <TokenStep asset={asset} fresh={fresh} tokens={props.tokens} />
    </li>
  );
  return (
    <Page title={`First report of ${asset}`} current="sites" still>
      <div class="narrow stack">
        <div class="stack tight">
          <p class="crumb">
            <a href={paths.portfolio}>Sites</a> / <a href={paths.site(asset)}>{asset}</a>
          </p>
          <h1>First report</h1>
          <HelpLink to={paths.helpPage("sending")} about="sending reports" />
        </div>
        <ol class="steps">
          <li data-done>
            <h2>Site added</h2>
            <p>
              <span class="mono wrap">{asset}</span>, {LIFECYCLE_WORDS[site.lifecycle].toLowerCase()}.{" "}
              <a href={paths.siteSettings(asset)}>Change address, lifecycle and families</a>
            </p>
          </li>
          {fresh === undefined ? token : null}
          <li aria-current={fresh === undefined ? undefined : "step"}>
            <h2>Send the first report</h2>
            <div class="stack tight">
              <TryNightly destination={destination} />
              <IngestNote destination={destination} />
              <FirstReport asset={asset} heard={props.heard} />
            </div>
          </li>
          {fresh === undefined ? null : token}
          <li>
            <h2>Send one every night</h2>
            <div class="stack tight">
              <EveryNight destination={destination} />
            </div>
          </li>
          <li>
            <h2>Send code reports (optional)</h2>
            <CodebaseWays destination={destination} />
          </li>
        </ol>
      </div>
    </Page>
  );
}

/** The token while it may be shown; after that a way to another. */
function TokenStep(props: {
  readonly asset: string;
  readonly fresh: FreshToken | undefined;
  readonly tokens: number;
}) {
  const { asset, fresh, tokens } = props;
  if (fresh !== undefined) {
    return (
      <div class="stack tight">
        <ShownOnce heading="The token of this site" fresh={fresh} back={paths.firstReport(asset)} />
        <p class="note">The commands on this page contain it. Tower stores only its hash.</p>
      </div>
    );
  }
  return (
    <div class="stack tight">
      {tokens === 0 ? (
        <p>This site needs a token to send reports.</p>
      ) : (
        <p>
          {countOf(tokens, "token is", "tokens are")} in force (<a href={paths.siteTokens(asset)}>Tokens</a>).
          Put yours in place of <code>your-site-token</code> below, or issue another.
        </p>
      )}
      <Act action={paths.firstToken(asset)} words={tokens === 0 ? "Issue token" : "Issue another token"} />
    </div>
  );
}

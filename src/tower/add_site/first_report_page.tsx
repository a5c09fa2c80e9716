import type { LIFECYCLES } from "../../assets/contract.ts";
import { Facts } from "../component/facts.tsx";
import { Act } from "../component/form.tsx";
import { ShownOnce } from "../component/shown_once.tsx";
import { LIFECYCLE_WORDS } from "../component/site_header.tsx";
import { OutsideLink } from "../component/text.tsx";
import { countOf } from "../format.ts";
import type { FreshToken } from "../fresh_tokens.ts";
import { Page } from "../layout.tsx";
import { paths } from "../paths.ts";
import type { Destination } from "../sending/commands.ts";
import { CodebaseWays, EveryNight, IngestNote, TryNightly } from "../sending/ways.tsx";
import type { Shell } from "../shell.ts";
import { FirstReport, type FirstReportState } from "./first_report.tsx";

export interface FirstReportPageProps {
  readonly shell: Shell;
  readonly site: {
    readonly url: string | null;
    readonly lifecycle: (typeof LIFECYCLES)[number];
    readonly families: readonly { readonly family: string; readonly storage: string }[];
  };
  readonly destination: Destination;
  /** The token while it may be shown to this reader. */
  readonly fresh: FreshToken | undefined;
  /** Tokens of the site that are in force. */
  readonly tokens: number;
  readonly heard: FirstReportState;
}

/** What a new site needs to be heard: its token, one command, and what came of it. It may be reloaded at any moment. */
export function FirstReportPage(props: FirstReportPageProps) {
  const { shell, fresh, site } = props;
  const { asset } = props.destination;
  const destination = { ...props.destination, token: fresh?.token ?? null };
  return (
    <Page shell={shell} title={`First report of ${asset}`} current="sites" still>
      <div class="narrow stack">
        <div class="stack tight">
          <p class="crumb">
            <a href={paths.portfolio}>Sites</a> / <a href={paths.site(asset)}>{asset}</a>
          </p>
          <h1>First report</h1>
        </div>
        <ol class="steps">
          <li data-done>
            <h2>Name the site</h2>
            <Facts
              facts={[
                ["Site identifier", <span class="mono wrap">{asset}</span>],
                ["Address", site.url === null ? null : <OutsideLink address={site.url} />],
                ["Lifecycle", LIFECYCLE_WORDS[site.lifecycle]],
                [
                  "Metric families",
                  site.families.length === 0 ? null : (
                    <span hx-ignore>
                      {site.families.map(({ family, storage }) => `${family} (${storage})`).join(", ")}
                    </span>
                  ),
                ],
                [
                  "Settings",
                  <a href={paths.siteSettings(asset)}>Address, lifecycle and families are changed there</a>,
                ],
              ]}
            />
          </li>
          <li aria-current={fresh === undefined ? undefined : "step"}>
            <h2>Keep the token</h2>
            <TokenStep asset={asset} fresh={fresh} tokens={props.tokens} />
          </li>
          <li>
            <h2>Send the first report</h2>
            <div class="stack tight">
              <TryNightly destination={destination} />
              <IngestNote destination={destination} />
              <FirstReport asset={asset} heard={props.heard} now={shell.now} />
            </div>
          </li>
          <li>
            <h2>Every night from now on</h2>
            <div class="stack tight">
              <EveryNight destination={destination} />
            </div>
          </li>
          <li>
            <h2>And the code, if you like</h2>
            <CodebaseWays destination={destination} />
          </li>
        </ol>
      </div>
    </Page>
  );
}

/** The token while it may be shown; after that, that it is not, and one click to another. */
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
        <p class="note">
          The commands below carry it, and a reload keeps it. Only a hash is stored, so a restart of Tower
          forgets it; another is made in one click.
        </p>
      </div>
    );
  }
  return (
    <div class="stack tight">
      {tokens === 0 ? (
        <p>This site has no token, and sends nothing without one.</p>
      ) : (
        <p>
          {countOf(tokens, "token is", "tokens are")} in force and no longer shown: only a hash is stored. Put
          yours in the place of <code>your-site-token</code> below, or make another. The one before stays in
          force until you revoke it in <a href={paths.siteTokens(asset)}>Tokens</a>.
        </p>
      )}
      <Act action={paths.firstToken(asset)} words={tokens === 0 ? "Make a token" : "Make another token"} />
    </div>
  );
}

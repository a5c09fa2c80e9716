import { Block } from "../component/block.tsx";
import { type SiteHead, SiteHeader, siteTitle } from "../component/site_header.tsx";
import { Page } from "../layout.tsx";
import type { Destination } from "../sending/commands.ts";
import { CodebaseWays, IngestNote, NightlyWay, OWN_NIGHTLY } from "../sending/ways.tsx";
import type { Shell } from "../shell.ts";

/** How to send reports of both kinds; `own` where Tower writes the nightly one itself. */
export function Sending(props: { readonly destination: Destination; readonly own?: boolean }) {
  const { destination, own = false } = props;
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

/** `/sites/{asset}/sending`: how to send, for a site that has sent already. */
export function SendingPage(props: {
  readonly shell: Shell;
  readonly site: SiteHead;
  readonly destination: Destination;
  readonly own: boolean;
}) {
  const { shell, site } = props;
  return (
    <Page shell={shell} title={siteTitle(site, "sending")} current="sites">
      <SiteHeader site={site} current="overview" />
      <Sending destination={props.destination} own={props.own} />
    </Page>
  );
}

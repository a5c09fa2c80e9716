/** A site's overview, and the page that says how to send its reports. */

import { countWords as countOf } from "../../base/text.ts";
import { openIn } from "../../flags/inbox.ts";
import { REPORT_ROUTES, type Streak } from "../../health/refusals.ts";
import type { CodebaseView } from "../../reports/codebase_view.ts";
import { formatCount } from "../format.ts";
import type { Child } from "../jsx/child.ts";
import { Block } from "../kit/block.tsx";
import { chanceMarkWords } from "../kit/chance_mark.ts";
import { Empty } from "../kit/empty.tsx";
import { Glyph } from "../kit/glyph.tsx";
import { NotMeasured, OutsideLink, snoozedWords } from "../kit/links.tsx";
import { FlagTitle, type ListedFlag } from "../kit/listed_flags.tsx";
import { Age, Day, Moment } from "../kit/proof.tsx";
import { LIFECYCLE_WORDS, SilentNote, type SiteHead, SiteHeader, siteTitle } from "../kit/site_state.tsx";
import { Facts } from "../kit/term.tsx";
import { Page } from "../layout.tsx";
import { paths } from "../paths.ts";
import { SiteCharts } from "./charts.tsx";
import { type RevisedDay, Revisions } from "./day.tsx";
import { formatUnit } from "./figure_table.tsx";
import { IngestBlock, type NightlyOverview } from "./ingest.tsx";
import { LatestNightly, RefusedNote } from "./latest_nightly.tsx";
import { MetricProof, MetricTable } from "./metric_table.tsx";
import type { SitePanels } from "./panel_state.ts";
import { SitePanelsView } from "./provider_panels.tsx";
import { NegativePages } from "./sent_pulse.tsx";
import type { Lane, SiteDays } from "./site_days.tsx";
import { Standing } from "./standing.tsx";
import { Unjudged } from "./unjudged.tsx";
import { type FigureTest, TestedWindows } from "./verdict.tsx";
import { CodebaseWays, type Destination, IngestNote, NightlyWay, OWN_NIGHTLY } from "./ways.tsx";

type LatestCode = Pick<CodebaseView, "sentence" | "latest" | "figures">;

/** The sentence on the code, and the figures of its latest report. */
function LatestCodebase(props: {
  readonly asset: string;
  /** Undefined while the site has sent no codebase report. */
  readonly codebase: LatestCode | undefined;
  readonly refused: Streak | undefined;
}) {
  const { asset, codebase, refused } = props;
  if (codebase === undefined) {
    return (
      <Block heading="Latest codebase report">
        <div class="stack tight">
          <RefusedNote asset={asset} streak={refused} since={false} />
          <Empty heading="No codebase report yet">
            <p>Its figures show here and on the Codebase tab.</p>
            <a class="btn" href={`${paths.siteSending(asset)}#codebase`}>
              Show the command
            </a>
          </Empty>
        </div>
      </Block>
    );
  }
  return (
    <Block
      heading="Latest codebase report"
      note={<Age at={codebase.latest.generatedAt} />}
      tools={<a href={paths.codebase(asset)}>All figures</a>}
    >
      <div class="stack tight">
        <RefusedNote asset={asset} streak={refused} since />
        <p>{codebase.sentence}</p>
        <Facts
          marked
          facts={[
            ["Day", <Day day={codebase.latest.date} />],
            ...codebase.figures.map(
              (figure) =>
                [
                  figure.label,
                  figure.latest.measured ? formatUnit(figure.unit, figure.latest.value) : <NotMeasured />,
                ] as const,
            ),
          ]}
        />
      </div>
    </Block>
  );
}

/** The worst open flags, each a short title that leads to its proof. The counts are those of the site's head. */

function OpenFlags(props: { readonly site: SiteHead; readonly flags: readonly ListedFlag[] }) {
  const { site, flags } = props;
  const open = openIn({ open: site.openFlags });
  const more = open > flags.length;
  const shown = more ? `the ${formatCount(flags.length)} worst of ` : "";
  return (
    <Block
      heading="Open flags"
      note={open === 0 ? undefined : `${shown}${formatCount(open)}${snoozedWords(site.snoozed, open)}`}
      tools={
        <a href={paths.siteFlags(site.asset)}>{more ? `All ${formatCount(open)} flags` : "All flags"}</a>
      }
    >
      <SilentNote site={site} />
      {flags.length === 0 ? (
        site.silenceFlag === undefined && <p>No flag is open{snoozedWords(site.snoozed, open)}.</p>
      ) : (
        <ul class="list raised short">
          {flags.map((flag) => (
            <Item flag={flag} />
          ))}
        </ul>
      )}
    </Block>
  );
}

function Item({ flag }: { readonly flag: ListedFlag }) {
  return (
    <li id={`listed-${flag.thing ?? flag.id}`} data-sev={flag.severity}>
      <Glyph name={`f-${flag.severity}`} />
      <div>
        <FlagTitle flag={flag} />
        <p class="note">
          {flag.kind}, raised <Age at={flag.heldSince ?? flag.raisedAt} />
          {flag.heldReports === undefined || flag.heldReports === 1
            ? null
            : `, ${countOf(flag.heldReports, flag.heldBy ?? "report")}`}
          {chanceMarkWords(flag.chance)}
        </p>
      </div>
    </li>
  );
}

/** How to send reports of both kinds; `own` where Tower writes the nightly one itself. */

function Sending(props: { readonly destination: Destination; readonly own?: boolean }) {
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
  readonly site: SiteHead;
  readonly destination: Destination;
  readonly own: boolean;
}) {
  const { site } = props;
  return (
    <Page title={siteTitle(site, "sending")} current="sites">
      <SiteHeader site={site} current="overview" />
      <Sending destination={props.destination} own={props.own} />
    </Page>
  );
}

interface AssetPageProps {
  readonly site: SiteHead & {
    readonly addedAt: number;
    readonly families: readonly { readonly family: string; readonly storage: string }[];
  };
  readonly days: SiteDays;
  readonly tests: ReadonlyMap<Lane["key"], FigureTest>;
  /** Undefined while the site has sent no codebase report. */
  readonly codebase: LatestCode | undefined;
  readonly nightly: NightlyOverview;
  /** What the archive tells; not read where one metric alone is shown. */
  readonly panels?: SitePanels | undefined;
  readonly openFlags: readonly ListedFlag[];
  /** What was refused since the last good report, by route. */
  readonly refused?: readonly Streak[];
  readonly destination: Destination;
  /** Of one metric alone: the days whose value became another. */
  readonly revised?: readonly RevisedDay[];
  /** Who is on the site now. */
  readonly live?: Child;
}

/** The overview of a site: how it stands, its charts, its open flags, its figures. One metric alone shows less. */
export function AssetPage(props: AssetPageProps) {
  const { site, days, tests, nightly } = props;
  const isOne = days.query.metric !== null;
  const { service } = nightly;
  return (
    <Page title={siteTitle(site)} current="sites">
      <SiteHeader site={site} current="overview" />
      <Standing
        site={{
          standing: site.standing,
          silenceFlag: site.silenceFlag,
          codeAt: props.codebase?.latest.generatedAt,
          groups: days.groups,
          flags: props.openFlags,
          open: openIn({ open: site.openFlags }),
        }}
      />
      <Unjudged failures={nightly.failures} backlog={nightly.backlog} />
      <div class="cols beside">
        <SiteCharts site={days} below={<TestedWindows site={days} tests={tests} />} />
        <div class="rail stack">
          {props.live}
          <OpenFlags site={site} flags={props.openFlags} />
          {isOne ? null : <NegativePages summary={nightly.summary} />}
        </div>
      </div>
      <MetricTable site={days} figures={nightly.figures} tests={tests} />
      <MetricProof site={days} tests={tests} />
      {isOne ? <Revisions site={days} revised={props.revised ?? []} /> : null}
      {service === null || isOne ? null : (
        <IngestBlock asset={site.asset} query={days.query} freshness={service} />
      )}
      {props.panels === undefined ? null : (
        <>
          <SitePanelsView site={props.panels} />
          <p class="note">
            <a href={paths.panelsOf(site.asset)}>Search panels of this site</a>
          </p>
        </>
      )}
      {isOne ? null : <Rest {...props} />}
    </Page>
  );
}

/** What was last heard of the site, how to send what was not sent yet, and what is stored of it. */
function Rest(props: AssetPageProps) {
  const { site, codebase, nightly } = props;
  const { asset } = site;
  const refusedOn = (route: string) => props.refused?.find((streak) => streak.route === route);
  const own = nightly.service !== null;
  return (
    <>
      <div class="halves" id="heard">
        <LatestNightly
          asset={asset}
          summary={nightly.summary}
          refused={refusedOn(REPORT_ROUTES.nightly)}
          own={own}
        />
        <LatestCodebase asset={asset} codebase={codebase} refused={refusedOn(REPORT_ROUTES.codebase)} />
      </div>
      {nightly.summary.latest === undefined && codebase === undefined && !own ? (
        <Sending destination={props.destination} />
      ) : null}
      <Block heading="This site">
        <Facts
          facts={[
            ["Identifier", asset],
            [
              "Address",
              site.url === null ? <span class="dim">none given</span> : <OutsideLink address={site.url} />,
            ],
            ["Lifecycle", LIFECYCLE_WORDS[site.lifecycle]],
            ["Added", <Moment at={site.addedAt} />],
            ["Metric families", familiesOf(site.families)],
            ["Tokens", <a href={paths.siteTokens(asset)}>Tokens of this site</a>],
            ["Archive", own ? null : <a href={paths.archiveOfSite(asset)}>Whole reports by dates</a>],
            ["Sending", <a href={paths.siteSending(asset)}>How to send reports</a>],
          ]}
        />
      </Block>
    </>
  );
}

function familiesOf(families: AssetPageProps["site"]["families"]): Child {
  if (families.length === 0) return <span class="dim">none declared</span>;
  return <span hx-ignore>{families.map(({ family, storage }) => `${family} (${storage})`).join(", ")}</span>;
}

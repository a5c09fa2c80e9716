import { openIn } from "../../flags/mod.ts";
import { REPORT_ROUTES, type Streak } from "../../refusals/mod.ts";
import { Block } from "../component/block.tsx";
import { Facts } from "../component/facts.tsx";
import type { ListedFlag } from "../component/listed_flags.tsx";
import { LIFECYCLE_WORDS, type SiteHead, SiteHeader, siteTitle } from "../component/site_header.tsx";
import { OutsideLink } from "../component/text.tsx";
import { Moment } from "../component/time.tsx";
import type { SitePanels } from "../insights/panel_report.ts";
import { SitePanelsView } from "../insights/panels.tsx";
import type { Child } from "../jsx/jsx-runtime.ts";
import { Page } from "../layout.tsx";
import { IngestBlock } from "../nightly/ingest.tsx";
import { LatestNightly } from "../nightly/latest.tsx";
import { MetricProof, MetricTable } from "../nightly/metric_table.tsx";
import { NegativePages } from "../nightly/negative.tsx";
import type { NightlyOverview } from "../nightly/overview.ts";
import { TestedWindows } from "../nightly/tested_windows.tsx";
import type { FigureTest } from "../nightly/tests.ts";
import { Unjudged } from "../nightly/unjudged.tsx";
import { paths } from "../paths.ts";
import type { Destination } from "../sending/commands.ts";
import type { Shell } from "../shell.ts";
import { SiteCharts } from "../site_days/charts.tsx";
import type { Lane, SiteDays } from "../site_days/lane.ts";
import { Revisions } from "../site_days/revision.tsx";
import type { RevisedDay } from "../site_days/seen.ts";
import { type LatestCode, LatestCodebase } from "./latest_codebase.tsx";
import { OpenFlags } from "./open_flags.tsx";
import { Sending } from "./sending.tsx";
import { Standing } from "./standing.tsx";

export interface AssetPageProps {
  readonly shell: Shell;
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
  const { shell, site, days, tests, nightly } = props;
  const { now } = shell;
  const isOne = days.query.metric !== null;
  const { service } = nightly;
  return (
    <Page shell={shell} title={siteTitle(site)} current="sites">
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
        now={now}
      />
      <Unjudged failures={nightly.failures} backlog={nightly.backlog} now={now} />
      <div class="cols beside">
        <SiteCharts site={days} now={now} below={<TestedWindows site={days} tests={tests} now={now} />} />
        <div class="rail stack">
          {props.live}
          <OpenFlags site={site} flags={props.openFlags} now={now} />
          {isOne ? null : <NegativePages summary={nightly.summary} now={now} />}
        </div>
      </div>
      <MetricTable site={days} figures={nightly.figures} tests={tests} now={now} />
      <MetricProof site={days} tests={tests} now={now} />
      {isOne ? <Revisions site={days} revised={props.revised ?? []} now={now} /> : null}
      {service === null || isOne ? null : (
        <IngestBlock asset={site.asset} query={days.query} freshness={service} now={now} />
      )}
      {props.panels === undefined ? null : (
        <>
          <SitePanelsView site={props.panels} now={now} />
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
  const { shell, site, codebase, nightly } = props;
  const { now } = shell;
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
          now={now}
        />
        <LatestCodebase
          asset={asset}
          codebase={codebase}
          refused={refusedOn(REPORT_ROUTES.codebase)}
          now={now}
        />
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
            ["Added", <Moment at={site.addedAt} now={now} />],
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

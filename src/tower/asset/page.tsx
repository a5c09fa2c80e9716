import type { CodebaseView } from "../../codebase/mod.ts";
import { openIn } from "../../flags/mod.ts";
import { REPORT_ROUTES, type Streak } from "../../refusals/mod.ts";
import { formatUnit } from "../codebase_tab/unit.ts";
import { Block } from "../component/block.tsx";
import { Empty } from "../component/empty.tsx";
import { Facts } from "../component/facts.tsx";
import { type ListedFlag, ListedFlags } from "../component/listed_flags.tsx";
import { NotMeasured } from "../component/not_measured.tsx";
import { snoozedWords } from "../component/severity.tsx";
import { LIFECYCLE_WORDS, type SiteHead, SiteHeader } from "../component/site_header.tsx";
import { OutsideLink } from "../component/text.tsx";
import { Age, Day, Moment } from "../component/time.tsx";
import { formatCount } from "../format.ts";
import type { Child } from "../jsx/jsx-runtime.ts";
import { Page } from "../layout.tsx";
import { LatestNightly } from "../nightly/latest.tsx";
import type { NightlyOverview } from "../nightly/overview.ts";
import { RefusedNote } from "../nightly/refused.tsx";
import { NightlySections } from "../nightly/sections.tsx";
import { Unjudged } from "../nightly/unjudged.tsx";
import { paths } from "../paths.ts";
import type { Destination } from "../sending/commands.ts";
import { CodebaseWays, IngestNote, NightlyWay, OWN_NIGHTLY } from "../sending/ways.tsx";
import type { Shell } from "../shell.ts";

export interface AssetPageProps {
  readonly shell: Shell;
  readonly site: SiteHead & {
    readonly addedAt: number;
    readonly families: readonly { readonly family: string; readonly storage: string }[];
  };
  /** Undefined while the site has sent no codebase report. */
  readonly codebase: Pick<CodebaseView, "sentence" | "latest" | "figures"> | undefined;
  readonly nightly: NightlyOverview;
  readonly openFlags: readonly ListedFlag[];
  /** What was refused since the last good report, by route. */
  readonly refused?: readonly Streak[];
  readonly destination: Destination;
}

/** The overview of a site. */
export function AssetPage(props: AssetPageProps) {
  const { shell, site } = props;
  return (
    <Page shell={shell} title={site.asset} current="sites">
      <SiteHeader site={site} current="overview" />
      <AssetLive
        site={site}
        codebase={props.codebase}
        nightly={props.nightly}
        openFlags={props.openFlags}
        refused={props.refused ?? []}
        now={shell.now}
      />
      <NightlySections overview={props.nightly} now={shell.now} />
      <Sending props={props} />
      <Block heading="This site">
        <Facts
          facts={[
            ["Identifier", site.asset],
            [
              "Address",
              site.url === null ? <span class="dim">none given</span> : <OutsideLink address={site.url} />,
            ],
            ["Lifecycle", LIFECYCLE_WORDS[site.lifecycle]],
            ["Added", <Moment at={site.addedAt} now={shell.now} />],
            ["Metric families", familiesOf(site.families)],
            ["Tokens", <a href={paths.siteTokens(site.asset)}>Tokens of this site</a>],
          ]}
        />
      </Block>
    </Page>
  );
}

function familiesOf(families: AssetPageProps["site"]["families"]): Child {
  if (families.length === 0) return <span class="dim">none declared</span>;
  return <span hx-ignore>{families.map(({ family, storage }) => `${family} (${storage})`).join(", ")}</span>;
}

/** From this many open flags on their list is as long as both reports, which then stand beside it. */
const FLAGS_OF_A_HALF = 3;

/** What was last heard of the site. */
function AssetLive(
  props: Pick<AssetPageProps, "codebase" | "nightly" | "openFlags" | "refused"> & {
    readonly site: SiteHead;
    readonly now: number;
  },
) {
  const { site, codebase, now } = props;
  const { asset } = site;
  const refusedOn = (route: string) => props.refused?.find((streak) => streak.route === route);
  const latestCodebase = (
    <LatestCodebase asset={asset} codebase={codebase} refused={refusedOn(REPORT_ROUTES.codebase)} now={now} />
  );
  const fillsItsHalf = props.openFlags.length >= FLAGS_OF_A_HALF;
  return (
    <div id="heard" class="stack">
      {codebase === undefined ? null : <p class="lede">{codebase.sentence}</p>}
      <Unjudged failures={props.nightly.failures} backlog={props.nightly.backlog} now={now} />
      <div class="halves">
        <div class="stack">
          <OpenFlags site={site} flags={props.openFlags} now={now} />
          {fillsItsHalf ? null : latestCodebase}
        </div>
        <div class="stack">
          <LatestNightly
            asset={asset}
            summary={props.nightly.summary}
            refused={refusedOn(REPORT_ROUTES.nightly)}
            own={props.nightly.service !== null}
            now={now}
          />
          {fillsItsHalf ? latestCodebase : null}
        </div>
      </div>
    </div>
  );
}

/** The worst open flags. The counts are those of the site's head. */
function OpenFlags(props: {
  readonly site: SiteHead;
  readonly flags: readonly ListedFlag[];
  readonly now: number;
}) {
  const { site, flags, now } = props;
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
      {flags.length === 0 ? (
        <p>No flag is open{snoozedWords(site.snoozed, open)}.</p>
      ) : (
        <ListedFlags flags={flags} now={now} />
      )}
    </Block>
  );
}

function LatestCodebase(
  props: Pick<AssetPageProps, "codebase"> & {
    readonly asset: string;
    readonly refused: Streak | undefined;
    readonly now: number;
  },
) {
  const { asset, codebase, refused, now } = props;
  if (codebase === undefined) {
    return (
      <Block heading="Latest codebase report">
        <div class="stack tight">
          <RefusedNote asset={asset} streak={refused} since={false} now={now} />
          <Empty heading="No codebase report yet">
            <p>Its figures show here and on the Codebase tab.</p>
            <a class="btn" href="#sending">
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
      note={<Age at={codebase.latest.generatedAt} now={now} />}
      tools={<a href={paths.codebase(asset)}>All figures</a>}
    >
      <div class="stack tight">
        <RefusedNote asset={asset} streak={refused} since now={now} />
        <Facts
          marked
          facts={[
            ["Day", <Day day={codebase.latest.date} now={now} />],
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

function Sending({ props }: { readonly props: AssetPageProps }) {
  return (
    <Block heading="How to send reports" id="sending">
      <div class="halves">
        <CodebaseWays destination={props.destination} />
        <div class="ways">
          <h3>Nightly report</h3>
          {props.nightly.service === null ? (
            <NightlyWay destination={props.destination} />
          ) : (
            <p>{OWN_NIGHTLY}</p>
          )}
          <IngestNote destination={props.destination} />
        </div>
      </div>
    </Block>
  );
}

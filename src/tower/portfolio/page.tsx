import type { Coverage } from "../../integrations/mod.ts";
import type { MonitoringFailure } from "../../monitoring/mod.ts";
import { Block } from "../component/block.tsx";
import { Empty } from "../component/empty.tsx";
import { MonitoringNotice } from "../component/monitoring_notice.tsx";
import { Pager } from "../component/pager.tsx";
import { snoozedWords } from "../component/severity.tsx";
import { countOf, formatCount, nounFor } from "../format.ts";
import { CoverageCallout } from "../integrations/head.tsx";
import { Page } from "../layout.tsx";
import type { Morning } from "../morning/read.ts";
import { MorningView, type Unquiet } from "../morning/section.tsx";
import { UnjudgedSites } from "../nightly/unjudged.tsx";
import { paths } from "../paths.ts";
import type { Shell } from "../shell.ts";
import { Filters, isNarrowed } from "./filters.tsx";
import type { PortfolioCounts, PortfolioView } from "./list.ts";
import { type PortfolioQuery, portfolioHref } from "./query.ts";
import { OwnSite, SitesTable } from "./sites_table.tsx";

export interface PortfolioProps {
  readonly shell: Shell;
  readonly view: PortfolioView;
  readonly query: PortfolioQuery;
  /** What changed since the operator last looked, and how all stands where nothing did. */
  readonly morning?: { readonly news: Morning; readonly unquiet: Unquiet } | undefined;
  /** How much of what is set up could be read. */
  readonly coverage?: Coverage | undefined;
  /** What of the service itself should be watched and is not. */
  readonly unwatched?: readonly MonitoringFailure[] | undefined;
  /** What the rules did not judge. */
  readonly unjudged?: Omit<Parameters<typeof UnjudgedSites>[0], "now"> | undefined;
  /** Whether no channel sends notices to anybody. */
  readonly isUnheard?: boolean;
}

/** The portfolio: what is new, and every site with how it stands. The service's own site stands apart. */
export function PortfolioPage(props: PortfolioProps) {
  const { shell, view, query, morning } = props;
  const { now } = shell;
  const begins = view.counts.all === 0;
  return (
    <Page shell={shell} title={titleOf(view.counts)} current="sites">
      <div class="head">
        <div>
          <h1>Sites</h1>
          <p>{begins ? "No site is monitored yet." : summaryOf(view.counts, morning?.unquiet)}</p>
          {props.isUnheard === true ? (
            <p>
              Nobody is notified. <a href={paths.newChannel}>Add a channel.</a>
            </p>
          ) : null}
        </div>
        {begins ? null : (
          <div class="row">
            <a class="btn primary" href={paths.newSite}>
              Add a site
            </a>
          </div>
        )}
      </div>
      {props.coverage?.state === "unknown" ? <CoverageCallout coverage={props.coverage} /> : null}
      {begins || morning === undefined ? null : (
        <MorningView morning={morning.news} unquiet={morning.unquiet} open={!isNarrowed(query)} now={now} />
      )}
      {begins ? <FirstSite /> : <Sites {...props} />}
      {view.own === undefined ? null : (
        <Block heading="Tower itself" note="Not one of your sites. Problems with Tower itself appear here.">
          <OwnSite row={view.own} now={now} />
        </Block>
      )}
    </Page>
  );
}

function FirstSite() {
  return (
    <Empty alone heading="Add the first site">
      <p>
        You get one token and one command. The site's first report shows up here within seconds of sending it.
      </p>
      <a class="btn primary" href={paths.newSite}>
        Add a site
      </a>
    </Empty>
  );
}

/** What the browser calls the page: how many sites are silent and how many flags are open, where there are any. */
function titleOf({ state, openFlags }: PortfolioCounts): string {
  const told = [
    ...(state.silent === 0 ? [] : [`${countOf(state.silent, "site")} silent`]),
    ...(openFlags === 0 ? [] : [`${countOf(openFlags, "flag")} open`]),
  ];
  return told.length === 0 ? "Sites" : `Sites: ${told.join(", ")}`;
}

function summaryOf(counts: PortfolioCounts, unquiet: Unquiet | undefined): string {
  const { all, state, openFlags, ownFlags, flagged, snoozed } = counts;
  const failing = unquiet?.failing ?? 0;
  const silent = state.silent === 0 ? "" : `, ${formatCount(state.silent)} silent`;
  const verb = openFlags === 1 ? "is" : "are";
  const onSites = `${flagged === 0 ? "" : ` on ${countOf(flagged, "site")}`}`;
  const open =
    openFlags === 0
      ? "No flag is open"
      : ownFlags === 0
        ? `${countOf(openFlags, "flag")} ${verb} open${onSites}`
        : ownFlags === openFlags
          ? `${countOf(openFlags, "flag")} ${verb} open, on Tower itself`
          : `${countOf(openFlags, "flag")} are open: ${formatCount(openFlags - ownFlags)}${onSites}, ${formatCount(ownFlags)} on Tower itself`;
  return `${countOf(all, "site")}${silent}. ${open}${snoozedWords(snoozed, openFlags)}.${failing === 0 ? "" : ` ${countOf(failing, "integration")} ${nounFor(failing, "fails", "fail")}.`}`;
}

/** The list with its filters. */
function Sites({ shell, view, query, unwatched = [], unjudged }: PortfolioProps) {
  const { now } = shell;
  return (
    <section id="sites" class="stack tight" aria-label="Sites">
      <MonitoringNotice failures={unwatched} now={now} />
      {unjudged === undefined ? null : <UnjudgedSites {...unjudged} now={now} />}
      <Filters view={view} query={query} />
      <SitesTable view={view} query={query} now={now} />
      {view.rows.some(({ sparks }) => sparks !== undefined && Object.keys(sparks).length > 0) ? (
        <p class="note">
          The last 28 days and the newest settled value; each row has its own scale. Open bars are not settled
          yet, pale ones are left out of rules, and a gap is a day without a value.
        </p>
      ) : null}
      <Pager paging={view.paging} what="sites" href={(page) => portfolioHref({ ...query, page })} />
    </section>
  );
}

/** The page of the portfolio: its headline, its filters with a count each, and every site. */

import { countWords as countOf, nounFor } from "../../base/text.ts";
import type { MonitoringFailure } from "../../health/monitoring.ts";
import type { Coverage } from "../../integrations/integrations.ts";
import { SITE_STATES } from "../../rules/freshness.ts";
import { formatCount } from "../format.ts";
import { CoverageCallout } from "../integrations/coverage.tsx";
import type { Child } from "../jsx/child.ts";
import { Block } from "../kit/block.tsx";
import { Empty } from "../kit/empty.tsx";
import {
  Chips,
  type Choice,
  FiltersOn,
  SEVERITIES,
  SeverityMark,
  snoozedWords,
  Told,
} from "../kit/links.tsx";
import { MonitoringNotice } from "../kit/monitoring_words.tsx";
import { Pager } from "../kit/pager.tsx";
import { SearchForm } from "../kit/search_form.tsx";
import { LIFECYCLE_WORDS, SiteStateMark } from "../kit/site_state.tsx";
import { Page } from "../layout.tsx";
import { paths } from "../paths.ts";
import { UnjudgedSites } from "../site/unjudged.tsx";
import {
  type PortfolioCounts,
  type PortfolioQuery,
  type PortfolioView,
  portfolioAddress,
  portfolioHref,
} from "./portfolio.ts";
import { OwnSite, SitesTable } from "./sites_table.tsx";

/** More groups than these stand behind a heading of their own. */
const MOST_GROUPS = 12;

/** Whether anything narrows what is shown, or turns its pages. */
function isNarrowed({ q, state, lifecycle, group, alert, page }: PortfolioQuery): boolean {
  return q !== "" || page > 1 || [state, lifecycle, group, alert].some((value) => value !== null);
}

function Filters({ view, query }: { readonly view: PortfolioView; readonly query: PortfolioQuery }) {
  const link = (change: Partial<PortfolioQuery>) => portfolioHref({ ...query, page: 1, ...change });
  const { lifecycle } = query;
  return (
    <div class="stack tight">
      <div class="filters">
        <Chips label="Filter" choices={chipsOf(view, query)} />
        <SearchForm
          action={paths.portfolio}
          words="Identifier or address"
          value={query.q}
          keep={portfolioAddress.search({ ...query, q: "", page: 1 })}
        />
      </div>
      <Groups view={view} query={query} />
      <FiltersOn
        filters={[
          {
            name: "Lifecycle",
            value: lifecycle === null ? null : LIFECYCLE_WORDS[lifecycle],
            href: link({ lifecycle: null }),
          },
        ]}
      />
    </div>
  );
}

/** All sites, those with an open flag of a severity, those in a state. */
function chipsOf({ counts }: PortfolioView, query: PortfolioQuery): Choice[] {
  const { alert, state, sort } = query;
  const link = (change: Partial<PortfolioQuery>) => portfolioHref({ ...query, page: 1, ...change });
  const severities = SEVERITIES.filter((severity) => counts.open[severity] > 0 || alert === severity);
  const states = SITE_STATES.filter((name) => counts.state[name] > 0 || state === name);
  return [
    {
      words: counted("All", counts.all),
      href: portfolioHref({ sort }),
      chosen: !isNarrowed({ ...query, page: 1 }),
    },
    ...severities.map((severity) => ({
      words: counted(
        <>
          <SeverityMark severity={severity} /> on
        </>,
        counts.open[severity],
      ),
      href: link({ alert: alert === severity ? null : severity }),
      chosen: alert === severity,
    })),
    ...states.map((name) => ({
      words: counted(<SiteStateMark state={name} />, counts.state[name]),
      href: link({ state: state === name ? null : name }),
      chosen: state === name,
    })),
  ];
}

/** The groups that sites are in; nothing where there is none. */
function Groups({ view, query }: { readonly view: PortfolioView; readonly query: PortfolioQuery }) {
  const { groups } = view.counts;
  const { group } = query;
  const isGone = group !== null && !groups.some(({ name }) => name === group);
  const all = isGone ? [...groups, { name: group, sites: 0 }] : groups;
  if (all.length === 0) return null;
  const chips = (
    <Chips
      label="Group"
      choices={all.map(({ name, sites }) => ({
        words: counted(<Told class="cut">{name}</Told>, sites),
        href: portfolioHref({ ...query, page: 1, group: group === name ? null : name }),
        chosen: group === name,
      }))}
    />
  );
  if (all.length <= MOST_GROUPS) return chips;
  return (
    <details class="items" id="groups" open={group !== null}>
      <summary>{formatCount(all.length)} groups</summary>
      {chips}
    </details>
  );
}

function counted(words: Child, count: number): Child {
  return (
    <>
      {words} <b>{formatCount(count)}</b>
    </>
  );
}

interface PortfolioProps {
  readonly view: PortfolioView;
  readonly query: PortfolioQuery;
  /** How many integrations fail. */
  readonly failing?: number;
  /** How much of what is set up could be read. */
  readonly coverage?: Coverage | undefined;
  /** What of the service itself should be watched and is not. */
  readonly unwatched?: readonly MonitoringFailure[] | undefined;
  /** What the rules did not judge. */
  readonly unjudged?: Omit<Parameters<typeof UnjudgedSites>[0], "now"> | undefined;
  /** Whether no channel sends notices to anybody. */
  readonly isUnheard?: boolean;
}

/** Every site with its state. The service's own site has a table of its own. */
export function PortfolioPage(props: PortfolioProps) {
  const { view, failing = 0 } = props;
  const begins = view.counts.all === 0;
  return (
    <Page title={titleOf(view.counts)} current="sites">
      <div class="head">
        <div>
          <h1>Sites</h1>
          <p>{begins ? "No sites yet" : summaryOf(view.counts, failing)}</p>
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
      {begins ? <FirstSite /> : <Sites {...props} />}
      {view.own === undefined ? null : (
        <Block heading="Tower itself" note="Not one of your sites. Problems with Tower itself appear here.">
          <OwnSite row={view.own} />
        </Block>
      )}
    </Page>
  );
}

function FirstSite() {
  return (
    <Empty alone heading="Add the first site">
      <p>You'll get a token and one command. Run it, and your site appears here within seconds.</p>
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

function summaryOf(counts: PortfolioCounts, failing: number): string {
  const { all, state, openFlags, ownFlags, flagged, snoozed } = counts;
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
function Sites({ view, query, unwatched = [], unjudged }: PortfolioProps) {
  return (
    <section id="sites" class="stack tight" aria-label="Sites">
      <MonitoringNotice failures={unwatched} />
      {unjudged === undefined ? null : <UnjudgedSites {...unjudged} />}
      <Filters view={view} query={query} />
      <SitesTable view={view} query={query} />
      {view.rows.some(({ sparks }) => sparks !== undefined && Object.keys(sparks).length > 0) ? (
        <p class="note">
          Last 28 days, each row on its own scale. Outlined: may still change. Pale: ignored by rules. Gap: no
          data.
        </p>
      ) : null}
      <Pager paging={view.paging} what="sites" href={(page) => portfolioHref({ ...query, page })} />
    </section>
  );
}

/** The page of the portfolio: its headline, its filters with a count each, and every site. */

import { countWords as countOf } from "../../base/text.ts";
import type { MonitoringFailure } from "../../health/monitoring.ts";
import { attentionWords, type Entry } from "../../integrations/attention.ts";
import type { Coverage } from "../../integrations/integrations.ts";
import { formatCount } from "../format.ts";
import { CoverageCallout } from "../integrations/coverage.tsx";
import type { Child } from "../jsx/child.ts";
import { AttentionList, Retrying } from "../kit/attention.tsx";
import { Block } from "../kit/block.tsx";
import { Empty } from "../kit/empty.tsx";
import { Chips, FiltersOn, Told } from "../kit/links.tsx";
import { MonitoringNotice } from "../kit/monitoring_words.tsx";
import { Pager } from "../kit/pager.tsx";
import { SearchForm } from "../kit/search_form.tsx";
import { LIFECYCLE_WORDS, SITE_STATE_WORDS } from "../kit/site_state.tsx";
import { Page } from "../layout.tsx";
import { paths } from "../paths.ts";
import { UnjudgedSites } from "../site/unjudged.tsx";
import { type PortfolioQuery, type PortfolioView, portfolioAddress, portfolioHref } from "./portfolio.ts";
import { OwnSite, SitesTable } from "./sites_table.tsx";

/** More groups than these stand behind a heading of their own. */
const MOST_GROUPS = 12;

function Filters({ view, query }: { readonly view: PortfolioView; readonly query: PortfolioQuery }) {
  const link = (change: Partial<PortfolioQuery>) => portfolioHref({ ...query, page: 1, ...change });
  const { lifecycle, state, alert } = query;
  return (
    <div class="stack tight">
      <div class="filters">
        <SearchForm
          action={paths.portfolio}
          words="Search sites"
          value={query.q}
          keep={portfolioAddress.search({ ...query, q: "", page: 1 })}
        />
        <Groups view={view} query={query} />
        <span class="row end">
          <a class="btn" href={paths.wall}>
            Wall
          </a>
          <a class="btn" href={paths.newSite}>
            Add site
          </a>
        </span>
      </div>
      <FiltersOn
        filters={[
          { name: "Open", value: alert, href: link({ alert: null }) },
          {
            name: "Status",
            value: state === null ? null : SITE_STATE_WORDS[state],
            href: link({ state: null }),
          },
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

/** So many lines say what needs attention; more stand behind a link. */
export const MOST_ENTRIES = 7;

interface PortfolioProps {
  readonly view: PortfolioView;
  readonly query: PortfolioQuery;
  /** The ranking. */
  readonly entries: readonly Entry[];
  /** What is drawn beside an entry, by its cause. */
  readonly pictures?: ReadonlyMap<string, Child> | undefined;
  readonly serviceAsset: string;
  /** How much of what is set up could be read. */
  readonly coverage?: Coverage | undefined;
  /** What of the service itself should be watched and is not. */
  readonly unwatched?: readonly MonitoringFailure[] | undefined;
  /** What the rules did not judge. */
  readonly unjudged?: Omit<Parameters<typeof UnjudgedSites>[0], "now"> | undefined;
  /** Whether no channel sends notices to anybody. */
  readonly isUnheard?: boolean;
}

/** What needs somebody now, in one sentence and a line for each cause; then every site, worst first. */
export function PortfolioPage(props: PortfolioProps) {
  const { view, query, entries, coverage, serviceAsset, unwatched = [], unjudged } = props;
  const sites = view.counts.all;
  if (sites === 0) return <Beginning {...props} />;
  const isWhole = (coverage === undefined || coverage.state === "complete") && unwatched.length === 0;
  const sentence = attentionWords(entries, { sites, unheard: view.counts.unheard, isWhole }, serviceAsset);
  return (
    <Page title={`${sentence.replace(/[:.].*$/, "")} – Sites`} current="sites">
      <section class="stack tight" id="attention" aria-label="Needs attention">
        <h1 class="lead">
          <Lead sentence={sentence} />
        </h1>
        {coverage?.state === "unknown" ? <CoverageCallout coverage={coverage} /> : null}
        <MonitoringNotice failures={unwatched} />
        {unjudged === undefined ? null : <UnjudgedSites {...unjudged} />}
        <Attention entries={entries} query={query} pictures={props.pictures} />
        {props.isUnheard === true ? <NobodyNotified /> : null}
      </section>
      <Block
        heading={sites === 1 ? "Your site" : `All ${countOf(sites, "site")}`}
        note={query.sort === "worst" ? "worst first" : undefined}
        id="sites"
      >
        <Filters view={view} query={query} />
        <SitesTable view={view} query={query} />
        {view.rows.some(({ sparks }) => sparks !== undefined && Object.keys(sparks).length > 0) ? (
          <p class="note">
            Last 28 days, each row on its own scale. Outlined: may still change. Pale: ignored by rules. Gap:
            no data.
          </p>
        ) : null}
        <Pager paging={view.paging} what="sites" href={(page) => portfolioHref({ ...query, page })} />
      </Block>
      <Own {...props} />
    </Page>
  );
}

/** Of "6 sites need attention: 1 not reporting" the count stands out, and what it is made of is said beside it. */
function Lead({ sentence }: { readonly sentence: string }) {
  const end = sentence.indexOf(":") + 1;
  if (end === 0) return <>{sentence}</>;
  return (
    <>
      <b>{sentence.slice(0, end)}</b>
      {sentence.slice(end)}
    </>
  );
}

const NONE: ReadonlyMap<string, Child> = new Map();

function Attention({
  entries,
  query,
  pictures = NONE,
}: Pick<PortfolioProps, "entries" | "query" | "pictures">) {
  const pressing = entries.filter(({ isPressing }) => isPressing);
  const shown = query.show === "all" ? entries.filter(({ acts }) => acts === "person") : pressing;
  const lines = query.show === "all" ? shown : shown.slice(0, MOST_ENTRIES);
  const persons = entries.filter(({ acts }) => acts === "person").length;
  return (
    <>
      {lines.length === 0 ? null : <AttentionList entries={lines} pictures={pictures} />}
      <Retrying entries={entries.filter(({ acts }) => acts === "waits")} />
      {query.show === "all" ? (
        <p>
          <a href={portfolioHref({ ...query, show: null })}>Show the most urgent only</a>
        </p>
      ) : persons > lines.length ? (
        <p>
          <a href={portfolioHref({ ...query, show: "all" })}>
            Show {formatCount(persons - lines.length)} more →
          </a>
        </p>
      ) : null}
    </>
  );
}

const NobodyNotified = () => (
  <p class="note">
    Nobody is notified. <a href={paths.newChannel}>Add a channel</a>
  </p>
);

/** The service's own site, where there is something to say of it. */
function Own({ view }: Pick<PortfolioProps, "view">) {
  if (view.own === undefined) return null;
  return (
    <Block heading="Tower itself" note="Not one of your sites. Problems with Tower itself appear here.">
      <OwnSite row={view.own} />
    </Block>
  );
}

/** Before there is a site. */
function Beginning(props: PortfolioProps) {
  return (
    <Page title="Sites" current="sites">
      <h1 class="lead">No sites yet</h1>
      {props.coverage?.state === "unknown" ? <CoverageCallout coverage={props.coverage} /> : null}
      <MonitoringNotice failures={props.unwatched ?? []} />
      <Empty alone heading="Add the first site">
        <p>You'll get a token and one command. Run it, and your site appears here within seconds.</p>
        <a class="btn primary" href={paths.newSite}>
          Add site
        </a>
      </Empty>
      {props.isUnheard === true ? <NobodyNotified /> : null}
      <Own {...props} />
    </Page>
  );
}

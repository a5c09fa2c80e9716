import { LIFECYCLES } from "../../assets/contract.ts";
import type { MonitoringFailure } from "../../monitoring/mod.ts";
import { Empty } from "../component/empty.tsx";
import { Chips, type Choice } from "../component/links.tsx";
import { Pager } from "../component/pager.tsx";
import { SearchForm } from "../component/search_form.tsx";
import { SEVERITIES, SeverityMark, snoozedWords } from "../component/severity.tsx";
import { LIFECYCLE_WORDS } from "../component/site_header.tsx";
import { ConstantsNotice } from "../constants/notice.tsx";
import { countOf, formatCount } from "../format.ts";
import type { Child } from "../jsx/jsx-runtime.ts";
import { Page } from "../layout.tsx";
import { UnjudgedSites } from "../nightly/unjudged.tsx";
import { paths } from "../paths.ts";
import type { Shell } from "../shell.ts";
import type { PortfolioView } from "./list.ts";
import { type PortfolioQuery, portfolioAddress, portfolioHref } from "./query.ts";
import { SitesTable } from "./sites_table.tsx";

export interface PortfolioProps {
  readonly view: PortfolioView;
  readonly query: PortfolioQuery;
  readonly now: number;
  /** What is wrong with the constants document, if anything is. */
  readonly constants?: MonitoringFailure | undefined;
  /** What the rules did not judge. */
  readonly unjudged?: Omit<Parameters<typeof UnjudgedSites>[0], "now"> | undefined;
}

/** The portfolio: every site with what was last heard from it. */
export function PortfolioPage({
  shell,
  view,
  query,
  constants,
  unjudged,
  onlyOwn = false,
}: {
  readonly shell: Shell;
  /** The service's own site is all there is: nothing is monitored yet. */
  readonly onlyOwn?: boolean;
} & Omit<PortfolioProps, "now">) {
  const begins = view.counts.all === 0 || onlyOwn;
  return (
    <Page shell={shell} title="Sites" current="sites">
      <div class="head">
        <div>
          <h1>Sites</h1>
          <p>{begins ? "No site is monitored yet." : summaryOf(view)}</p>
        </div>
        {begins ? null : (
          <div class="row">
            <a class="btn primary" href={paths.newSite}>
              Add a site
            </a>
          </div>
        )}
      </div>
      {begins ? <FirstSite own={view.counts.all > 0} /> : null}
      {view.counts.all === 0 ? null : (
        <Sites view={view} query={query} now={shell.now} constants={constants} unjudged={unjudged} />
      )}
    </Page>
  );
}

/** Asks for the first site; `own`: the service's own is in the list below it, where a newcomer put nothing. */
function FirstSite({ own }: { readonly own: boolean }) {
  return (
    <Empty alone heading="Add the first site">
      <p>
        You get one token and one command. The site's first report shows up here within seconds of sending it.
      </p>
      <a class="btn primary" href={paths.newSite}>
        Add a site
      </a>
      {own ? (
        <p class="note">The site in the list below is Tower's own: flags about the service stand there.</p>
      ) : null}
    </Empty>
  );
}

function summaryOf(view: PortfolioView): string {
  const { all, openFlags, flagged, snoozed } = view.counts;
  const open =
    openFlags === 0
      ? "No flag is open"
      : `${countOf(openFlags, "flag")} ${openFlags === 1 ? "is" : "are"} open on ${countOf(flagged, "site")}`;
  return `${countOf(all, "site")}. ${open}${snoozedWords(snoozed, openFlags)}.`;
}

/** The list with its filters. */
function Sites({ view, query, now, constants, unjudged }: PortfolioProps) {
  return (
    <section id="sites" class="stack tight" aria-label="Sites">
      <ConstantsNotice failure={constants} now={now} />
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

function Filters({ view, query }: Pick<PortfolioProps, "view" | "query">) {
  return (
    <div class="filters">
      <Chips label="Filter" choices={chipsOf(view, query)} />
      <SearchForm
        action={paths.portfolio}
        words="Identifier or address"
        value={query.q}
        keep={portfolioAddress.search({ ...query, q: "", page: 1 })}
      />
    </div>
  );
}

/** All sites, those with an open flag of a severity, those of a lifecycle; a chip that is on takes itself off. */
function chipsOf({ counts }: PortfolioView, query: PortfolioQuery): Choice[] {
  const { alert, lifecycle, q, sort } = query;
  const link = (change: Partial<PortfolioQuery>) => portfolioHref({ ...query, page: 1, ...change });
  const counted = (words: Child, count: number): Child => (
    <>
      {words} <b>{formatCount(count)}</b>
    </>
  );
  const severities = SEVERITIES.filter((severity) => counts.open[severity] > 0 || alert === severity);
  const lifecycles = LIFECYCLES.filter((name) => counts.lifecycle[name] > 0 || lifecycle === name);
  return [
    {
      words: counted("All", counts.all),
      href: portfolioHref({ sort }),
      chosen: lifecycle === null && alert === null && q === "",
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
    ...lifecycles.map((name) => ({
      words: counted(LIFECYCLE_WORDS[name], counts.lifecycle[name]),
      href: link({ lifecycle: lifecycle === name ? null : name }),
      chosen: lifecycle === name,
    })),
  ];
}

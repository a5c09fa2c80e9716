/** What the portfolio can be narrowed to, each with how many sites it has; a chip that is on takes itself off. */
import { SITE_STATES } from "../../freshness/mod.ts";
import { Chips, type Choice, FiltersOn } from "../component/links.tsx";
import { SearchForm } from "../component/search_form.tsx";
import { SEVERITIES, SeverityMark } from "../component/severity.tsx";
import { LIFECYCLE_WORDS } from "../component/site_header.tsx";
import { SiteStateMark } from "../component/site_state.tsx";
import { Told } from "../component/text.tsx";
import { formatCount } from "../format.ts";
import type { Child } from "../jsx/jsx-runtime.ts";
import { paths } from "../paths.ts";
import type { PortfolioView } from "./list.ts";
import { type PortfolioQuery, portfolioAddress, portfolioHref } from "./query.ts";

/** More groups than these stand behind a heading of their own. */
const MOST_GROUPS = 12;

/** Whether anything narrows what is shown, or turns its pages. */
export function isNarrowed({ q, state, lifecycle, group, alert, page }: PortfolioQuery): boolean {
  return q !== "" || page > 1 || [state, lifecycle, group, alert].some((value) => value !== null);
}

export function Filters({ view, query }: { readonly view: PortfolioView; readonly query: PortfolioQuery }) {
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
  const { alert, state, sort, since } = query;
  const link = (change: Partial<PortfolioQuery>) => portfolioHref({ ...query, page: 1, ...change });
  const severities = SEVERITIES.filter((severity) => counts.open[severity] > 0 || alert === severity);
  const states = SITE_STATES.filter((name) => counts.state[name] > 0 || state === name);
  return [
    {
      words: counted("All", counts.all),
      href: portfolioHref({ sort, since }),
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

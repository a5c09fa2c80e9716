/** The ledger by month: each currency stands by itself, and no figure is made of two. */
import type { CurrencyMonths } from "../../ledger/month_store.ts";
import { Block } from "../component/block.tsx";
import { Empty } from "../component/empty.tsx";
import { Options } from "../component/field.tsx";
import { Segments } from "../component/links.tsx";
import { Kept } from "../component/search_form.tsx";
import { type SiteHead, SiteHeader, siteTitle } from "../component/site_header.tsx";
import { Told } from "../component/text.tsx";
import { countOf } from "../format.ts";
import { Page } from "../layout.tsx";
import { paths } from "../paths.ts";
import type { Shell } from "../shell.ts";
import { MonthTable } from "./month_table.tsx";
import { type LedgerQuery, ledgerHref, monthName, RANGES } from "./view.ts";

export interface LedgerPageProps {
  readonly shell: Shell;
  readonly currencies: readonly CurrencyMonths[];
  /** The site whose tab it is; null on the page of all sites. */
  readonly site: SiteHead | null;
  readonly query: LedgerQuery;
  /** The sites to choose from. */
  readonly sites: readonly string[];
}

/** The ledger: of all sites, or of one as a tab of its pages. */
export function LedgerPage(props: LedgerPageProps) {
  const { shell, site, query, currencies } = props;
  const isEmpty = currencies.length === 0;
  const whose = (site?.asset ?? query.asset) === null ? "" : " of this site";
  return (
    <Page
      shell={shell}
      title={site === null ? "Ledger" : siteTitle(site, "ledger")}
      current={site === null ? "ledger" : "sites"}
    >
      {site === null ? null : <SiteHeader site={site} current="ledger" />}
      <div class="head">
        <div>
          {site === null ? <h1>Ledger</h1> : null}
          <p>{isEmpty ? null : sentenceOf(currencies)}</p>
        </div>
        <div class="row">
          <Segments
            label="Range"
            choices={RANGES.map((months) => ({
              href: ledgerHref(site, { ...query, months }),
              words: `${months} months`,
              chosen: query.months === months,
            }))}
          />
          {site === null ? <SiteFilter query={query} sites={props.sites} /> : null}
          <a class="btn" href={paths.ledgerUpload}>
            Upload rows
          </a>
        </div>
      </div>
      {isEmpty ? (
        <Empty heading="No ledger rows" alone>
          <p>
            No revenue or costs{whose} in these {query.months} months.
          </p>
        </Empty>
      ) : (
        <Legend />
      )}
      {currencies.map((of) => (
        <CurrencyBlock of={of} site={site} query={query} />
      ))}
    </Page>
  );
}

/** What is estimated, and when it becomes final. */
function sentenceOf(currencies: readonly CurrencyMonths[]): string {
  const open = [
    ...new Set(
      currencies.flatMap(({ months }) =>
        months.flatMap(({ month, estimated }) => (estimated === null ? [] : [month])),
      ),
    ),
  ].sort();
  const [first = ""] = open;
  const which =
    open.length === 0
      ? "Nothing is estimated."
      : open.length > 3
        ? `${open.length} months since ${monthName(first, "long")} ${first.slice(0, 4)} are estimated.`
        : `${open.map((month) => monthName(month, "long")).join(" and ")} ${open.length === 1 ? "is" : "are"} estimated.`;
  return `${which} Advertising is final after 45 to 60 days, affiliate revenue after 60.`;
}

function SiteFilter({ query, sites }: { readonly query: LedgerQuery; readonly sites: readonly string[] }) {
  const { asset } = query;
  const outside = asset !== null && !sites.includes(asset) ? [asset] : [];
  return (
    <form method="get" action={paths.ledger} class="search">
      <label class="vh" for="ledger-site">
        Site
      </label>
      <select id="ledger-site" name="asset">
        <option value="">All sites</option>
        <Options chosen={asset ?? ""} choices={[...outside, ...sites].map((id) => [id, id] as const)} />
      </select>
      <Kept search={ledgerHref(null, { months: query.months }).slice(paths.ledger.length)} />
      <button class="btn">Show</button>
    </form>
  );
}

function Legend() {
  const marks = [
    ["bk", "Booked"],
    ["es", "Estimated"],
    ["co", "Costs"],
    ["nil", "No rows"],
  ] as const;
  return (
    <ul class="legend months-legend">
      {marks.map(([look, words]) => (
        <li>
          <svg aria-hidden="true">
            <rect class={look} x="4.5" y=".5" width="9" height="11" />
          </svg>
          {words}
        </li>
      ))}
      <li class="push">Currencies are never added or converted.</li>
    </ul>
  );
}

function CurrencyBlock(props: {
  readonly of: CurrencyMonths;
  readonly site: SiteHead | null;
  readonly query: LedgerQuery;
}) {
  const { of, site, query } = props;
  const { currency, months, sources, legacy } = of;
  return (
    <Block
      heading={currency}
      id={`cur-${currency}`}
      note={
        <>
          <Told>{sources.join(", ")}</Told>
          {legacy > 0 ? `; ${countOf(legacy, "legacy row")} without a currency, taken as USD` : null}
        </>
      }
      tools={<a href={paths.ledgerFile(currency, site?.asset ?? query.asset)}>Download CSV</a>}
    >
      <div class="scroll" tabindex={0} role="region" aria-label={`${currency}, ${months.length} months`}>
        <MonthTable {...of} />
      </div>
    </Block>
  );
}

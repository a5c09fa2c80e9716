/**
 * `/ledger` and the tab of a site: the months of each currency, never two currencies in one figure. The rows of a currency and their
 * file are `rows.tsx`, uploading some is `upload.tsx`. Begin with `ledgerPages`.
 */

import { countWords as countOf } from "../../base/text.ts";
import { dayText, type UtcDay } from "../../base/time.ts";
import { Amount } from "../../ledger/amount.ts";
import {
  type CurrencyMonths,
  costsOf,
  type Figure,
  ledgerMonths,
  type MonthSums,
  marginOf,
} from "../../ledger/ledger.ts";
import type { Db } from "../../store/store.ts";
import type { PageGround } from "../ground.ts";
import { Go, Told, Unseen } from "../kit/links.tsx";
import { Block, Empty } from "../kit/list.tsx";
import { get, type Moment, mounted } from "../kit/route.ts";
import { type SiteHead, SiteHeader, siteTitle } from "../kit/site_state.tsx";
import { Page } from "../layout.tsx";
import { paths } from "../paths.ts";
import { siteHead } from "../site_head.ts";

/** The months that are shown, the present one included. */
const MONTHS = 12;

export function ledgerPages(deps: PageGround) {
  const { db } = deps;
  const find = ({ asset }: { readonly asset: string }, at: Moment) => siteHead(deps, asset, at);
  return mounted(deps, [
    get(paths.ledger, {}, ({ now }) => monthsPage(db, now, null)),
    get(paths.siteLedger, { find }, ({ now, found }) => monthsPage(db, now, found)),
  ]);
}

/** The months of all sites, or of the one whose tab it is. */
function monthsPage(db: Db, now: number, site: SiteHead | null) {
  const asset = site?.asset ?? null;
  const currencies = ledgerMonths(db, monthsUpTo(now), asset ?? undefined);
  const isEmpty = currencies.length === 0;
  return (
    <Page
      title={site === null ? "Ledger" : siteTitle(site, "ledger")}
      current={site === null ? "ledger" : "sites"}
    >
      {site === null ? null : <SiteHeader site={site} current="ledger" />}
      <div class="head">
        <div>
          {site === null ? <h1>Ledger</h1> : null}
          <p>{isEmpty ? null : "Advertising is final after 45 to 60 days, affiliate revenue after 60."}</p>
        </div>
        <Go to={paths.ledgerUpload} words="Upload rows" />
      </div>
      {isEmpty ? (
        <Empty heading="No ledger rows" alone>
          <p>
            No revenue or costs{asset === null ? "" : " of this site"} in these {MONTHS} months. Rows come
            from uploads, the API and <code>ledger import</code>.
          </p>
        </Empty>
      ) : (
        <p class="note">Currencies are never added or converted.</p>
      )}
      {currencies.map((of) => (
        <Block
          heading={of.currency}
          id={`cur-${of.currency}`}
          note={
            <>
              <Told>{of.sources.join(", ")}</Told>
              {of.legacy > 0
                ? `; ${countOf(of.legacy, "legacy row")} without a currency, taken as USD`
                : null}
            </>
          }
          tools={
            <>
              <a href={paths.ledgerRowsOf(of.currency, asset)}>View rows</a>
              <a href={paths.ledgerFile(of.currency, asset)}>Download CSV</a>
            </>
          }
        >
          <div
            class="scroll"
            tabindex={0}
            role="region"
            aria-label={`${of.currency}, ${of.months.length} months`}
          >
            <MonthTable {...of} />
          </div>
        </Block>
      ))}
    </Page>
  );
}

/** The months up to the present one, oldest first. */
function monthsUpTo(now: number): readonly string[] {
  const at = new Date(now);
  return Array.from({ length: MONTHS }, (_, place) =>
    new Date(Date.UTC(at.getUTCFullYear(), at.getUTCMonth() - MONTHS + 1 + place)).toISOString().slice(0, 7),
  );
}

/** "Nov" of "2026-11". */
const nameOf = (month: string) => dayText(`${month}-01` as UtcDay).slice(2);

/** One currency with its months as columns. */
function MonthTable(of: CurrencyMonths) {
  const { currency, months } = of;
  return (
    <table class="months">
      <caption class="vh">{currency} by month</caption>
      <thead>
        <tr>
          <th scope="col">In {currency}</th>
          {months.map((sums, place) => (
            <th scope="col">
              {nameOf(sums.month)}
              <small>{underMonth(sums, place, months)}</small>
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {linesOf(of).map((line) => (
          <tr class={line.look}>
            <th scope="row">{line.words}</th>
            {months.map((sums) => (
              <Cell line={line} sums={sums} />
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function underMonth({ month, estimated }: MonthSums, place: number, months: readonly MonthSums[]): string {
  if (estimated !== null) return "estimated";
  if (place === months.length - 1) return "so far";
  return place === 0 || month.endsWith("-01") ? month.slice(0, 4) : "\u00a0";
}

interface Line {
  readonly words: string;
  readonly look: "tot" | "sub" | "net" | "";
  readonly figure: (sums: MonthSums) => Figure;
  /** Why a figure is absent, or what it is. */
  readonly title?: (sums: MonthSums) => string | undefined;
}

/** The lines of a currency. A kind of costs without a row in these months has none. */
function linesOf({ currency, months, rates }: CurrencyMonths): readonly Line[] {
  const rate = rates.join(" or ");
  const costs = [
    ["change", "Inference, by change"],
    ["overhead", "Inference, overhead"],
    ["external_api", "External APIs"],
    ["operator_minutes", `Operator time${rate === "" ? "" : ` (${rate} an hour)`}`],
  ] as const;
  return [
    { words: "Revenue booked", look: "tot", figure: ({ booked }) => booked },
    {
      words: "Revenue estimated",
      look: "",
      figure: ({ estimated, reconciled }) => estimated ?? reconciled,
      title: ({ estimated, reconciled }) =>
        estimated === null && reconciled !== null ? "The estimate before it was booked" : undefined,
    },
    { words: "Booked a year earlier", look: "sub", figure: ({ yearEarlier }) => yearEarlier },
    { words: "Costs", look: "tot", figure: (sums) => costsOf(currency, sums) },
    ...costs
      .filter(([part]) => months.some((sums) => sums.costs[part] !== null))
      .map(([part, words]): Line => ({ words, look: "sub", figure: (sums) => sums.costs[part] })),
    {
      words: "Margin",
      look: "net",
      figure: (sums) => marginOf(currency, sums),
      title: (sums) =>
        marginOf(currency, sums) === null ? "Needs rows of both revenue and costs" : undefined,
    },
  ];
}

function Cell({ line, sums }: { readonly line: Line; readonly sums: MonthSums }) {
  const figure = line.figure(sums);
  const title = line.title?.(sums);
  if (figure === null) {
    return (
      <td title={title}>
        <span class="absent">
          <span aria-hidden="true">–</span>
          <Unseen>{line.look === "net" ? "none" : "no rows"}</Unseen>
        </span>
      </td>
    );
  }
  if (figure instanceof Amount) return <td title={title}>{`${figure}`}</td>;
  const { known, isOpen } = figure;
  const [low, high] = [`${known?.low}`, `${known?.high}`];
  return (
    <td class={title === undefined ? "est" : "absent"} title={title}>
      {known === null ? null : low === high ? low : [low, "–", <wbr />, high]}
      {isOpen ? <small>{known === null ? "" : "+ "}estimate, may still change</small> : null}
    </td>
  );
}

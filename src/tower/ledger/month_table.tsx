/** One currency with its months as columns. */

import { Amount } from "../../ledger/amount.ts";
import { type CurrencyMonths, costsOf, type Figure, type MonthSums, marginOf } from "../../ledger/months.ts";
import type { Child } from "../jsx/child.ts";
import { address, named, oneOf } from "../kit/address.tsx";
import { Unseen } from "../kit/links.tsx";
import type { SiteHead } from "../kit/site_state.tsx";
import { paths } from "../paths.ts";

/** How many months are shown, the present one included. */
export const RANGES = [12, 24] as const;

export const ledgerAddress = address({
  months: oneOf([24], 12),
  /** On the page of all sites: one of them. */
  asset: named(64, null),
});
export type LedgerQuery = typeof ledgerAddress.usual;

/** The link to a view of the ledger: of all sites, or of the site whose tab it is. */
export function ledgerHref(site: Pick<SiteHead, "asset"> | null, query: Partial<LedgerQuery>): string {
  if (site === null) return `${paths.ledger}${ledgerAddress.search(query)}`;
  return `${paths.siteLedger(site.asset)}${ledgerAddress.search({ ...query, asset: null })}`;
}

const short = new Intl.DateTimeFormat("en-US", { month: "short", timeZone: "UTC" });
const long = new Intl.DateTimeFormat("en-US", { month: "long", timeZone: "UTC" });

/** A month by its name: "Nov", or "November". */
export function monthName(month: string, length: "short" | "long" = "short"): string {
  return (length === "short" ? short : long).format(Date.parse(`${month}-01T00:00:00Z`));
}

/** An amount as machines read it: "-1234.50". */
export function decimalOf(amount: Amount): string {
  return `${amount}`.replaceAll(",", "").replace("−", "-");
}

/** The table. */
export function MonthTable(of: CurrencyMonths) {
  const { currency, months } = of;
  const size = (amount: Amount | null | undefined) =>
    amount === null || amount === undefined ? 0 : Math.max(0, Number(decimalOf(amount)));
  const heights = months.map((sums) => ({
    booked: size(sums.booked),
    estimated: size(sums.estimated?.known?.high),
    costs: size(costsOf(currency, sums)),
    hasRevenue: sums.booked !== null || sums.estimated !== null,
  }));
  const most = Math.max(
    Number.MIN_VALUE,
    ...heights.map((of) => Math.max(of.booked + of.estimated, of.costs)),
  );
  const bar = (look: string, x: number, width: number, value: number, below = 0) => {
    const [tall, foot] = [value, below].map((of) => (of / most) * (TALL - 4)) as [number, number];
    if (value <= 0) return null;
    const y = (TALL - foot - tall).toFixed(1);
    return <rect class={look} x={x} width={width} y={y} height={tall.toFixed(1)} />;
  };
  return (
    <table class={months.length > 12 ? "months long" : "months"}>
      <caption class="vh">{currency} by month</caption>
      <thead>
        <tr>
          <th scope="col">In {currency}</th>
          {months.map((sums, place) => (
            <th scope="col">
              {monthName(sums.month)}
              <small>{underMonth(sums, place, months)}</small>
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {/* Revenue beside costs, each month on the scale of its currency. The numbers stand below. */}
        <tr class="barrow" aria-hidden="true">
          <th />
          {heights.map(({ booked, estimated, costs, hasRevenue }) => (
            <td>
              <svg viewBox={`0 0 60 ${TALL}`} preserveAspectRatio="xMaxYMax meet">
                {hasRevenue ? null : <rect class="nil" x="20.5" width="19" y={TALL - 11} height="10.5" />}
                {bar("bk", 20, 20, booked)}
                {bar("es", 20.5, 19, estimated, booked)}
                {bar("co", 44, 12, costs)}
              </svg>
            </td>
          ))}
        </tr>
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

interface Line {
  readonly words: Child;
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
    {
      words: "Revenue booked",
      look: "tot",
      figure: ({ booked }) => booked,
    },
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
      .map(([part, words]) => ({
        words,
        look: "sub" as const,
        figure: (sums: MonthSums) => sums.costs[part],
      })),
    {
      words: "Margin",
      look: "net",
      figure: (sums) => marginOf(currency, sums),
      title: (sums) =>
        marginOf(currency, sums) === null ? "Needs rows of both revenue and costs" : undefined,
    },
  ];
}

function underMonth({ month, estimated }: MonthSums, place: number, months: readonly MonthSums[]): string {
  if (estimated !== null) return "estimated";
  if (place === months.length - 1) return "so far";
  return place === 0 || month.endsWith("-01") ? month.slice(0, 4) : "\u00a0";
}

function Cell({ line, sums }: { line: Line; sums: MonthSums }) {
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
  return (
    <td class={figure instanceof Amount ? undefined : title === undefined ? "est" : "absent"} title={title}>
      <FigureWords figure={figure} />
    </td>
  );
}

/** A sum, or an estimate: as its range where its rows told one. */
function FigureWords({ figure }: { figure: NonNullable<Figure> }) {
  if (figure instanceof Amount) return <>{`${figure}`}</>;
  const { known, isOpen } = figure;
  const open = isOpen ? <small>{known === null ? "" : "+ "}estimate, may still change</small> : null;
  if (known === null) return open;
  const [low, high] = [`${known.low}`, `${known.high}`];
  return (
    <>
      {low}
      {low === high ? null : ["–", <wbr />, high]}
      {open}
    </>
  );
}

const TALL = 56;

/** What the pages of the ledger show: their addresses, and months in words. */
import type { Amount } from "../../ledger/amount.ts";
import type { SiteHead } from "../component/site_header.tsx";
import { address, named, oneOf } from "../kit/address.ts";
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

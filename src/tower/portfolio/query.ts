/** What the portfolio shows, read from its address and written back to it. */
import { LIFECYCLES, type Lifecycle } from "../../assets/contract.ts";
import { SEVERITIES, type Severity } from "../component/severity.tsx";
import { paths } from "../paths.ts";

export const SORTS = ["worst", "site", "lines", "codebase", "nightly"] as const;

export type Sort = (typeof SORTS)[number];

export interface PortfolioQuery {
  /** Text in the identifier or the address. */
  readonly q: string;
  readonly lifecycle: Lifecycle | null;
  /** Sites with an open alert of this severity. */
  readonly alert: Severity | null;
  readonly sort: Sort;
  /** Counted from 1. */
  readonly page: number;
}

export const EVERYTHING: PortfolioQuery = { q: "", lifecycle: null, alert: null, sort: "worst", page: 1 };

const LONGEST_SEARCH = 200;

/** Reads the query of an address. Whatever it does not know reads as not given. */
export function portfolioQuery(params: URLSearchParams): PortfolioQuery {
  const page = Number(params.get("page") ?? "1");
  return {
    q: (params.get("q") ?? "").trim().slice(0, LONGEST_SEARCH),
    lifecycle: LIFECYCLES.find((lifecycle) => lifecycle === params.get("lifecycle")) ?? null,
    alert: SEVERITIES.find((severity) => severity === params.get("alert")) ?? null,
    sort: SORTS.find((sort) => sort === params.get("sort")) ?? "worst",
    page: Number.isSafeInteger(page) && page > 0 ? page : 1,
  };
}

/** The address that shows the query; what is as usual is left out. */
export function portfolioHref(query: PortfolioQuery): string {
  const params = new URLSearchParams();
  if (query.q !== "") params.set("q", query.q);
  if (query.lifecycle !== null) params.set("lifecycle", query.lifecycle);
  if (query.alert !== null) params.set("alert", query.alert);
  if (query.sort !== "worst") params.set("sort", query.sort);
  if (query.page > 1) params.set("page", String(query.page));
  const text = params.toString();
  return text === "" ? paths.portfolio : `${paths.portfolio}?${text}`;
}

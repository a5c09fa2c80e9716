/** What the inbox is narrowed to, as its address says it: every view is a link. */
import type { InboxFilter, InboxMark, InboxStatus } from "../../flags/mod.ts";
import { FLAG_KINDS, FLAG_ORIGINS, SEVERITIES } from "../../flags/mod.ts";
import { paths } from "../paths.ts";

export const STATUSES: readonly InboxStatus[] = ["open", "snoozed", "resolved"];
export const MARKS: readonly InboxMark[] = ["unread", "acknowledged", "incident", "hypothesis"];
export const SORTS = ["worst", "newest"] as const;

/** The inbox as asked for. Pages count from 1. */
export interface InboxQuery extends InboxFilter {
  readonly sort: (typeof SORTS)[number];
  readonly page: number;
}

/** The filters that show as chips, each with its name in the address. */
export const NARROWINGS = ["severity", "kind", "rule", "asset", "origin", "mark"] as const;
export type Narrowing = (typeof NARROWINGS)[number];

/** The inbox before anything is chosen. */
export const INBOX: InboxQuery = { status: "open", sort: "worst", page: 1 };

/** Reads the address. What is not understood is left out, so that an old link still opens. */
export function inboxQuery(params: URLSearchParams): InboxQuery {
  const one = <T extends string>(name: string, values: readonly T[]) => {
    const value = params.get(name);
    return values.find((item) => item === value);
  };
  const text = (name: string) => {
    const value = params.get(name);
    return value === null || value === "" || value.length > 600 ? undefined : value;
  };
  const page = params.get("page") ?? "";
  return {
    status: one("status", STATUSES) ?? "open",
    sort: one("sort", SORTS) ?? "worst",
    page: /^[1-9]\d{0,5}$/.test(page) ? Number(page) : 1,
    severity: one("severity", SEVERITIES),
    kind: one("kind", FLAG_KINDS),
    rule: text("rule"),
    asset: text("asset"),
    origin: one("origin", FLAG_ORIGINS),
    mark: one("mark", MARKS),
  };
}

/** The query part of an address, "" for the inbox as it is at first. */
export function inboxSearch(query: InboxQuery, more: Readonly<Record<string, string>> = {}): string {
  const params = new URLSearchParams();
  if (query.status !== INBOX.status) params.set("status", query.status);
  for (const name of NARROWINGS) {
    const value = query[name];
    if (value !== undefined) params.set(name, value);
  }
  if (query.sort !== INBOX.sort) params.set("sort", query.sort);
  if (query.page !== 1) params.set("page", String(query.page));
  for (const [name, value] of Object.entries(more)) params.set(name, value);
  const search = params.toString();
  return search === "" ? "" : `?${search}`;
}

/** Where a list of flags stands: the inbox, or a site's own tab, whose address already names the site. */
export interface ListPlace {
  readonly base: string;
  readonly site: string | null;
}

export const INBOX_PLACE: ListPlace = { base: paths.flags, site: null };

/** The tab of a site. */
export function sitePlace(asset: string): ListPlace {
  return { base: paths.siteFlags(asset), site: asset };
}

/** The address of a list. */
export function listHref(
  place: ListPlace,
  query: InboxQuery,
  more: Readonly<Record<string, string>> = {},
): string {
  const shown = place.site === null ? query : { ...query, asset: undefined };
  return `${place.base}${inboxSearch(shown, more)}`;
}

/** The address of a flag, opened beside the list that it was found in. */
export function flagHref(
  id: string,
  query: InboxQuery = INBOX,
  more: Readonly<Record<string, string>> = {},
): string {
  return `${paths.flags}/${encodeURIComponent(id)}${inboxSearch(query, more)}`;
}

/** The address of an act on a flag. */
export function actHref(
  id: string,
  noun: "acknowledgement" | "snooze" | "incident" | "hypothesis" | "resolution",
  query: InboxQuery,
  more: Readonly<Record<string, string>> = {},
): string {
  return `${paths.flags}/${encodeURIComponent(id)}/${noun}${inboxSearch(query, more)}`;
}

/** Where acts on several flags go: to the list of a site, or to the inbox with perhaps a flag opened beside it. */
export function bulkHref(place: ListPlace, query: InboxQuery, open: string | undefined): string {
  const more: Record<string, string> =
    place.site === null ? (open === undefined ? {} : { open }) : { site: place.site };
  return `${paths.flags}/dispositions${inboxSearch(query, more)}`;
}

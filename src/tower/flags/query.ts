/** What the inbox is narrowed to, as its address says it: every view is a link. */
import type { ActNoun, InboxFilter, InboxMark, InboxStatus } from "../../flags/mod.ts";
import { FLAG_KINDS, FLAG_ORIGINS, SERIES_SOURCES, SEVERITIES } from "../../flags/mod.ts";
import { address, type More, named, oneOf, PAGE } from "../kit/address.ts";
import { paths } from "../paths.ts";

export const STATUSES: readonly InboxStatus[] = ["open", "snoozed", "resolved"];
export const MARKS: readonly InboxMark[] = ["unread", "acknowledged", "incident", "hypothesis"];
const SORTS = ["worst", "newest"] as const;

const LONGEST_NAME = 600;

export const inboxAddress = address({
  status: oneOf(STATUSES, "open"),
  severity: oneOf(SEVERITIES, undefined),
  kind: oneOf(FLAG_KINDS, undefined),
  rule: named(LONGEST_NAME, undefined),
  asset: named(LONGEST_NAME, undefined),
  origin: oneOf(FLAG_ORIGINS, undefined),
  source: oneOf(SERIES_SOURCES, undefined),
  mark: oneOf(MARKS, undefined),
  sort: oneOf(SORTS, "worst"),
  page: PAGE,
});

/** The inbox as asked for. Pages count from 1. */
export type InboxQuery = InboxFilter & Pick<typeof inboxAddress.usual, "sort" | "page">;

/** The filters that show as chips, each with its name in the address. */
export const NARROWINGS = ["severity", "kind", "rule", "asset", "origin", "source", "mark"] as const;
export type Narrowing = (typeof NARROWINGS)[number];

/** The inbox before anything is chosen. */
export const INBOX: InboxQuery = inboxAddress.usual;

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
export function listHref(place: ListPlace, query: Partial<InboxQuery>, more?: More): string {
  return `${place.base}${inboxAddress.search(place.site === null ? query : { ...query, asset: undefined }, more)}`;
}

/** The address of a flag, opened beside the list that it was found in. */
export function flagHref(id: string, query: Partial<InboxQuery> = {}, more?: More): string {
  return `${paths.flag(id)}${inboxAddress.search(query, more)}`;
}

/** The form of the list: its ticks and its acts. */
export const BULK_FORM = "flags-bulk";

/** The address of an act on a flag. */
export function actHref(id: string, noun: ActNoun, query: Partial<InboxQuery>, more?: More): string {
  return `${paths[noun](id)}${inboxAddress.search(query, more)}`;
}

/** Where acts on several flags go: to the list of a site, or to the inbox with perhaps a flag opened beside it. */
export function bulkHref(place: ListPlace, query: InboxQuery, open: string | undefined): string {
  const more: More = place.site === null ? (open === undefined ? {} : { open }) : { site: place.site };
  return `${paths.dispositions}${inboxAddress.search(query, more)}`;
}

/** What the Timeline shows, as its address says it. */
import { ANNOTATION_KINDS, type AnnotationKind, EVERY_SITE, isTarget } from "../../annotations/mod.ts";
import type { FlagTurn } from "../../flags/mod.ts";
import { addDays, startOfDay, type UtcDay, utcDayOf } from "../../lib/utc_day.ts";
import { SEVERITIES } from "../component/severity.tsx";
import { address, DAY, type More, named, oneOf } from "../kit/address.ts";
import { paths } from "../paths.ts";

/** What the range links offer, in days; `all` reaches back to the first annotation. */
export const TIMELINE_RANGES = ["7", "30", "90", "365", "all"] as const;

export type TimelineRange = (typeof TIMELINE_RANGES)[number];

/** What happens to flags, which stands in the log beside annotations. */
export const FLAG_TURNS = ["raised", "resolved"] as const satisfies readonly FlagTurn[];

/** The longest id that is looked up. */
const LONGEST_ID = 64;

export const timelineAddress = address({
  /** On the page of all sites: one site with the global entries, or `*` for those alone. */
  asset: { usual: null as string | null, read: (text) => (isTarget(text) ? text : undefined) },
  /** Annotations of one kind, or what happened to flags; both when it is not given. */
  kind: oneOf([...ANNOTATION_KINDS, ...FLAG_TURNS], null),
  /** Flags of one severity. */
  severity: oneOf(SEVERITIES, null),
  range: oneOf(TIMELINE_RANGES, "90"),
  /** The last day; null is today. */
  to: DAY,
  /** The page goes on before the annotation with this id, or before this day. */
  before: named(LONGEST_ID, null),
});

/** What is asked for; null is not given. */
export type TimelineQuery = typeof timelineAddress.usual & {
  /** The site whose tab this is; null on the page of all sites. */
  readonly site: string | null;
};

/** The kind of annotation that is asked for; null for every one, undefined for none. */
export function annotationKindOf({ kind }: Pick<TimelineQuery, "kind">): AnnotationKind | null | undefined {
  return kind === null ? null : ANNOTATION_KINDS.find((known) => known === kind);
}

/** What of flags is asked for. Those of every site are none of the entries for all sites. */
export function flagTurnsOf({ kind, asset }: Pick<TimelineQuery, "kind" | "asset">): readonly FlagTurn[] {
  if (asset === EVERY_SITE) return [];
  return kind === null ? FLAG_TURNS : FLAG_TURNS.filter((turn) => turn === kind);
}

/** Reads the query of an address. A site's tab shows no other site. */
export function timelineQuery(site: string | null, params: URLSearchParams): TimelineQuery {
  const asked = timelineAddress.read(params);
  return { ...asked, site, asset: site === null ? asked.asset : null };
}

/** The Timeline's own address: of a site, or of all. */
export function timelinePath(site: string | null): string {
  return site === null ? paths.timeline : paths.siteTimeline(site);
}

/** The address that shows the query. `more` is added as it is. */
export function timelineHref(query: Partial<TimelineQuery>, more?: More): string {
  return `${timelinePath(query.site ?? null)}${timelineAddress.search(query, more)}`;
}

/** Days of the Timeline, both included. */
export interface TimelineDays {
  readonly from: UtcDay;
  readonly to: UtcDay;
}

/** The days a query covers. `first` is when the first annotation was, in milliseconds since the epoch. */
export function timelineDays(query: TimelineQuery, now: number, first: number | undefined): TimelineDays {
  const today = utcDayOf(now);
  const to = query.to === null || query.to > today ? today : query.to;
  if (query.range !== "all") return { from: addDays(to, 1 - Number(query.range)), to };
  const begun = first === undefined ? to : utcDayOf(first);
  if (begun > to) return { from: to, to };
  return { from: begun, to };
}

/** The days before and after of the same length; null where there are none. */
export function stepsOf(
  query: TimelineQuery,
  days: TimelineDays,
  now: number,
): { readonly earlier: TimelineQuery | null; readonly later: TimelineQuery | null } {
  if (query.range === "all") return { earlier: null, later: null };
  const today = utcDayOf(now);
  const after = addDays(days.to, Number(query.range));
  return {
    earlier: { ...query, before: null, to: addDays(days.from, -1) },
    later: days.to >= today ? null : { ...query, before: null, to: after >= today ? null : after },
  };
}

/** The instants of the days: from the first one's midnight to before the midnight after the last. */
export function instantsOf(days: TimelineDays): { readonly from: number; readonly to: number } {
  return { from: startOfDay(days.from), to: startOfDay(addDays(days.to, 1)) };
}

/** What the Timeline shows, read from its address and written back to it. */
import { ANNOTATION_KINDS, type AnnotationKind, isTarget } from "../../annotations/mod.ts";
import { addDays, parseUtcDay, startOfDay, type UtcDay, utcDayOf } from "../../lib/utc_day.ts";
import { paths } from "../paths.ts";

/** What the range links offer, in days; `all` reaches back to the first annotation. */
export const TIMELINE_RANGES = ["7", "30", "90", "365", "all"] as const;

export type TimelineRange = (typeof TIMELINE_RANGES)[number];

const USUAL_RANGE: TimelineRange = "90";

/** What is asked for; null is not given. */
export interface TimelineQuery {
  /** The site whose tab this is; null on the page of all sites. */
  readonly site: string | null;
  /** On the page of all sites: one site with the global entries, or `*` for those alone. */
  readonly asset: string | null;
  readonly kind: AnnotationKind | null;
  readonly range: TimelineRange;
  /** The last day; null is today. */
  readonly to: UtcDay | null;
  /** The page goes on before the annotation with this id. */
  readonly before: string | null;
}

/** The longest id that is looked up. */
const LONGEST_ID = 64;

/** Reads the query of an address. Whatever it does not know reads as not given. */
export function timelineQuery(site: string | null, params: URLSearchParams): TimelineQuery {
  const asset = params.get("asset") ?? "";
  const before = params.get("before") ?? "";
  return {
    site,
    asset: site === null && isTarget(asset) ? asset : null,
    kind: ANNOTATION_KINDS.find((kind) => kind === params.get("kind")) ?? null,
    range: TIMELINE_RANGES.find((range) => range === params.get("range")) ?? USUAL_RANGE,
    to: parseUtcDay(params.get("to") ?? "") ?? null,
    before: before === "" || before.length > LONGEST_ID ? null : before,
  };
}

/** The Timeline's own address: of a site, or of all. */
export function timelinePath(site: string | null): string {
  return site === null ? paths.timeline : `${paths.site(site)}/timeline`;
}

/** The address that shows the query; what is as usual is left out. `more` is added as it is. */
export function timelineHref(query: TimelineQuery, more: Readonly<Record<string, string>> = {}): string {
  const params = new URLSearchParams();
  if (query.asset !== null) params.set("asset", query.asset);
  if (query.kind !== null) params.set("kind", query.kind);
  if (query.range !== USUAL_RANGE) params.set("range", query.range);
  if (query.to !== null) params.set("to", query.to);
  if (query.before !== null) params.set("before", query.before);
  for (const [name, value] of Object.entries(more)) params.set(name, value);
  const text = params.toString();
  return text === "" ? timelinePath(query.site) : `${timelinePath(query.site)}?${text}`;
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

/** The address of the Timeline with the days it covers, and the form of a new annotation. */

import { readContract } from "../../base/contract.ts";
import { addDays, formatInstant, parseInstant, startOfDay, type UtcDay, utcDayOf } from "../../base/time.ts";
import type { FlagTurn } from "../../flags/queries.ts";
import {
  ANNOTATION_KINDS,
  type Annotation,
  type AnnotationKind,
  annotationSchema,
  EVERY_SITE,
  isTarget,
  MAX_NOTE,
  MAX_REF,
} from "../../sites/annotation_schema.ts";
import { formatCount, formatMoment } from "../format.ts";
import { address, DAY, type More, named, oneOf, sought } from "../kit/address.tsx";
import { Mark, ANNOTATION_KINDS as WORDS } from "../kit/chart_marks.tsx";
import { LongTextField, SiteField, TextField } from "../kit/field.tsx";
import { here } from "../kit/here.ts";
import { SEVERITIES } from "../kit/links.tsx";
import { paths } from "../paths.ts";

/** What the operator typed, as it came. */
export interface EntryValues {
  readonly kind: string;
  readonly asset: string;
  /** Date and time in UTC, as a browser's control writes them: `2026-03-01T02:30`. */
  readonly at: string;
  readonly ref: string;
  readonly note: string;
}

/** A sentence for each field that was refused. */
export type EntryErrors = { readonly [field in keyof EntryValues]?: string };

/** A form that is opened: now, to the minute. */
export function freshEntry(asset: string, now: number): EntryValues {
  return { kind: "deploy", asset, at: formatInstant(now).slice(0, 16), ref: "", note: "" };
}

/** Reads what a form sent. Line ends of a note become one character, as they are counted. */
export function entryValues(form: URLSearchParams): EntryValues {
  const text = (name: string): string => form.get(name) ?? "";
  return {
    kind: text("kind"),
    asset: text("asset").trim(),
    at: text("at").trim(),
    ref: text("ref").trim(),
    note: text("note").replaceAll("\r\n", "\n").trim(),
  };
}

const CONTROL_TIME = /^(\d{4}-\d{2}-\d{2})[T ](\d{2}:\d{2})(:\d{2}(?:\.\d{1,9})?)?$/;

/** A date and time of a form as a timestamp in UTC. Text that is none stays as it is, for the contract to refuse. */
function timestampOf(at: string): string {
  const match = CONTROL_TIME.exec(at);
  return match === null ? at : `${match[1]}T${match[2]}${match[3] ?? ":00"}Z`;
}

const LABELS: Readonly<Record<keyof EntryValues, string>> = {
  kind: "The kind",
  asset: "The site",
  at: "The time",
  ref: "The reference",
  note: "The note",
};

/** Sentences that fit a form better than those of the contract. */
const SENTENCES: Readonly<Record<string, string>> = {
  "/at timestamp": "The time must be a date and a time in UTC, for example 2026-03-01 02:30.",
  "/at not-in-future": "The time must not be ahead of the service's clock.",
  "/ref min-length": "The reference must not be empty.",
  "/kind enum": "Choose a kind.",
};

/** Judges what was typed. `isKnown` says whether a site may be chosen here. */
export function judgeEntry(
  values: EntryValues,
  now: number,
  isKnown: (asset: string) => boolean,
): { readonly entry: Annotation } | { readonly errors: EntryErrors } {
  const { kind, asset, ref, note } = values;
  const sent = { asset, at: timestampOf(values.at), kind, ref, ...(note === "" ? {} : { note }) };
  const judged = readContract(
    annotationSchema(() => now),
    sent,
  );
  const errors: { -readonly [field in keyof EntryErrors]: EntryErrors[field] } = {};
  for (const { pointer, rule, message } of judged.ok ? [] : judged.errors) {
    const field = pointer.slice(1) as keyof EntryValues;
    errors[field] ??= SENTENCES[`${pointer} ${rule}`] ?? `${LABELS[field]} ${message}.`;
  }
  if (asset !== EVERY_SITE && !isKnown(asset)) errors.asset = "Choose a site of the portfolio, or all sites.";
  if (judged.ok && errors.asset === undefined) return { entry: judged.value };
  return { errors };
}

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
  /** Words of annotations. */
  q: sought(200),
  /** Only what came after this instant. */
  since: {
    usual: null as string | null,
    read: (text) => (parseInstant(text) === undefined ? undefined : text),
  },
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

/** Since when it is asked for, in milliseconds since the epoch; undefined where it is asked for all. */
export const sinceOf = ({ since }: Pick<TimelineQuery, "since">): number | undefined =>
  since === null ? undefined : parseInstant(since);

/** What of flags is asked for. They are none of the entries for all sites, and a search is among annotations. */
export function flagTurnsOf({
  kind,
  asset,
  q,
}: Pick<TimelineQuery, "kind" | "asset" | "q">): readonly FlagTurn[] {
  if (asset === EVERY_SITE || q !== "") return [];
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

const unitsOf = (codePointLimit: number): number => codePointLimit * 2;

export interface AddFormProps {
  /** The site whose tab this is; null on the page of all sites. */
  readonly site: string | null;
  /** Sites that may be chosen, by identifier. */
  readonly sites: readonly string[];
  readonly values: EntryValues;
  readonly errors: EntryErrors;
}

/** The form of a new annotation. It works without scripts. */
export function AddForm(props: AddFormProps) {
  const { now } = here();
  const { site, values, errors } = props;
  const sites = site === null ? props.sites : [site];
  const filled = { values: { ...values }, errors: { ...errors } };
  return (
    <form method="post" action={timelinePath(site)} class="fields">
      <fieldset class="field all">
        <legend>Kind</legend>
        <div class="pick">
          {ANNOTATION_KINDS.map((kind) => (
            <label>
              <input type="radio" name="kind" value={kind} checked={kind === values.kind} required />
              <span aria-hidden="true">
                <Mark kind={kind} />
              </span>
              {WORDS[kind][1]}
            </label>
          ))}
        </div>
        {errors.kind === undefined ? null : <small class="bad">{errors.kind}</small>}
      </fieldset>
      <SiteField
        id="t-asset"
        name="asset"
        label="Site"
        filled={filled}
        required
        choices={[
          ...(site === null && values.asset === "" ? [["", "Choose a site"] as const] : []),
          [EVERY_SITE, "All sites"],
          ...sites.map((id) => [id, id] as const),
        ]}
      />
      <TextField
        id="t-at"
        name="at"
        label="When, UTC"
        filled={filled}
        type="datetime-local"
        step={1}
        required
      />
      <TextField
        id="t-ref"
        name="ref"
        label="Reference"
        filled={filled}
        placeholder="v4.5.0"
        maxlength={unitsOf(MAX_REF)}
        autocomplete="off"
        required
      />
      <LongTextField
        id="t-note"
        name="note"
        label="Note (optional)"
        wide
        filled={filled}
        help={`At most ${formatCount(MAX_NOTE)} characters.`}
        rows={2}
        placeholder="What changed, in plain words"
        maxlength={unitsOf(MAX_NOTE)}
      />
      <p class="note field all">
        The time is read as UTC, whatever this browser's zone. A past time is fine, a future one is refused;
        it is {formatMoment(now, now)} UTC. An entry cannot be changed; a mistake can be marked as one, and
        stays visible. The same site, time, kind and reference again is the same entry.
      </p>
      <div class="field">
        <button class="btn primary">Add to the timeline</button>
      </div>
    </form>
  );
}

/** The address of the Timeline with the days it covers, and the form of a new annotation. */

import { readContract } from "../../base/contract.ts";
import { addDays, formatInstant, parseInstant, utcDayOf } from "../../base/time.ts";
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
} from "../../sites/annotations.ts";
import { formatCount, formatMoment } from "../format.ts";
import { address, DAY, oneOf, PAGE, sought } from "../kit/address.tsx";
import { Mark, ANNOTATION_KINDS as WORDS } from "../kit/chart_marks.tsx";
import { LongTextField, SiteField, TextField } from "../kit/field.tsx";
import { here } from "../kit/here.ts";
import { SEVERITIES } from "../kit/links.tsx";
import type { ChartDays } from "../kit/plot.tsx";
import { refusedFields, typedInto } from "../kit/route.ts";
import { paths } from "../paths.ts";

/** What stands in the fields of a new annotation; `at` as a browser's control writes it in UTC: `2026-03-01T02:30`. */
export interface Entry {
  readonly values: Readonly<Record<"kind" | "asset" | "at" | "ref" | "note", string>>;
  /** A sentence for each field that was refused. */
  readonly errors: Readonly<Record<string, string>>;
}

/** A form that is opened: now, to the minute. */
export function freshEntry(asset: string, now: number): Entry {
  const at = formatInstant(now).slice(0, 16);
  return { values: { kind: "deploy", asset, at, ref: "", note: "" }, errors: {} };
}

const CONTROL_TIME = /^(\d{4}-\d{2}-\d{2})[T ](\d{2}:\d{2})(:\d{2}(?:\.\d{1,9})?)?$/;

/** A date and time of a form as a timestamp in UTC. Text that is none stays as it is, for the contract to refuse. */
const timestampOf = (at: string): string =>
  at.replace(CONTROL_TIME, (_, day, time, rest = ":00") => `${day}T${time}${rest}Z`);

/** Judges what a form sent. `isKnown` says whether a site may be chosen here. */
export function judgeEntry(
  form: URLSearchParams,
  now: number,
  isKnown: (asset: string) => boolean,
): { readonly entry: Annotation } | Entry {
  const values = typedInto(form, { kind: "", asset: "", at: "", ref: "", note: "" });
  const { asset, note } = values;
  // A form ends lines by two characters, which are counted as one.
  const told = note === "" ? {} : { note: note.replaceAll("\r\n", "\n") };
  const judged = readContract(
    annotationSchema(() => now),
    { asset, at: timestampOf(values.at), kind: values.kind, ref: values.ref, ...told },
  );
  const unknown =
    asset === EVERY_SITE || isKnown(asset) ? {} : { asset: "Choose a site of the portfolio, or all sites." };
  if (judged.ok && unknown.asset === undefined) return { entry: judged.value };
  return { values, errors: { ...(judged.ok ? {} : refusedFields(judged.errors)), ...unknown } };
}

/** What the range links offer, in days. */
export const TIMELINE_RANGES = [7, 30, 90, 365] as const;

/** What happens to flags, which stands in the log beside annotations. */
export const FLAG_TURNS = ["raised", "resolved"] as const satisfies readonly FlagTurn[];

export const timelineAddress = address({
  /** On the page of all sites: one site with the global entries, or `*` for those alone. */
  asset: {
    usual: null as string | null,
    read: (text) => (isTarget(text) ? text : undefined),
    called: (asset) => (asset === EVERY_SITE ? "all sites" : `${asset}`),
  },
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
    called: (since) => formatMoment(parseInstant(since ?? "") ?? 0),
  },
  range: oneOf(TIMELINE_RANGES, 90),
  /** The last day; null is today. */
  to: DAY,
  page: PAGE,
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

/** The address that shows the query. */
export function timelineHref(query: Partial<TimelineQuery>): string {
  return `${timelinePath(query.site ?? null)}${timelineAddress.search(query)}`;
}

/** The days a query covers. */
export function timelineDays({ to: asked, range }: TimelineQuery, now: number): ChartDays {
  const today = utcDayOf(now);
  const to = asked === null || asked > today ? today : asked;
  return { from: addDays(to, 1 - range), to };
}

/** The days before and after of the same length; null where there are none. */
export function stepsOf(query: TimelineQuery, days: ChartDays, now: number) {
  const today = utcDayOf(now);
  const after = addDays(days.to, query.range);
  return {
    earlier: { ...query, page: 1, to: addDays(days.from, -1) },
    later: days.to >= today ? null : { ...query, page: 1, to: after >= today ? null : after },
  };
}

const unitsOf = (codePointLimit: number): number => codePointLimit * 2;

interface AddFormProps extends Entry {
  /** The site whose tab this is; null on the page of all sites. */
  readonly site: string | null;
  /** Sites that may be chosen, by identifier. */
  readonly sites: readonly string[];
}

/** The form of a new annotation. It works without scripts. */
export function AddForm(props: AddFormProps) {
  const { now } = here();
  const { site, values, errors } = props;
  const sites = site === null ? props.sites : [site];
  const filled = { values, errors };
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
        {errors["kind"] === undefined ? null : <small class="bad">{errors["kind"]}</small>}
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

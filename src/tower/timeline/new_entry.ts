/** The form of a new annotation: what was typed, and what it comes to. */
import { type Annotation, annotationSchema, EVERY_SITE } from "../../annotations/mod.ts";
import { readContract } from "../../lib/contract.ts";
import { formatInstant } from "../../lib/instant.ts";

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

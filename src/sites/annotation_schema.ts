/** What an annotation may hold (spec, Annotation; decisions, Names and lengths), and its moment to the last digit. */

import * as v from "valibot";
import {
  ASSET_ID_PATTERN,
  fields,
  hasControl,
  isAssetId,
  NO_CONTROL,
  rule,
  ruleMessage,
  text,
} from "../base/contract.ts";
import { formatInstant, parseInstant, Timestamp } from "../base/time.ts";

interface Moment {
  /** The moment in UTC with nine digits of a second: which distinguishes two moments, whatever their offset or spelling. */
  readonly instant: string;
  /** Milliseconds since the epoch; finer digits are cut off, never rounded up, so that a day or a second is not left. */
  readonly ms: number;
}

const FRACTION = /\.(\d+)/;

/** Reads an ISO 8601 timestamp to the last digit; `undefined` when it is none. */
export function readMoment(text: string): Moment | undefined {
  const seconds = parseInstant(text.replace(FRACTION, ""));
  if (seconds === undefined || parseInstant(text) === undefined) return undefined;
  const digits = (FRACTION.exec(text)?.[1] ?? "").padEnd(9, "0");
  const whole = formatInstant(seconds).replace(/\.\d{3}Z$/, "");
  return { instant: `${whole}.${digits}Z`, ms: seconds + Number(digits.slice(0, 3)) };
}

/** Largest body of an annotation, in bytes. */
export const MAX_ANNOTATION_BYTES = 16 * 1024;

/** The kinds of annotation (spec, Annotation). */
export const ANNOTATION_KINDS = [
  "deploy",
  "model-change",
  "config",
  "incident",
  "autonomy-change",
  "external",
] as const;

export type AnnotationKind = (typeof ANNOTATION_KINDS)[number];

/** The asset of an annotation on every site's timeline. */
export const EVERY_SITE = "*";

/** Longest reference and note, in code points. */
export const MAX_REF = 512;
export const MAX_NOTE = 2_000;

/** A site or every site, for the API's description. */
export const TARGET = { type: "string", pattern: `^\\*$|${ASSET_ID_PATTERN}` } as const;

/** Whether a text may be an annotation's asset. */
export function isTarget(asset: string): boolean {
  return asset === EVERY_SITE || isAssetId(asset);
}

/** The contract. `now` is asked while judging: `at` may be this very millisecond, and nothing later. */
export function annotationSchema(now: () => number) {
  return fields({
    asset: v.pipe(
      v.string(ruleMessage("type", "must be a string")),
      rule<string>(
        "asset-id",
        isTarget,
        "must be * for every site, or a site identifier: a letter or digit, then at most 127 letters, digits, dots, underscores and hyphens",
      ),
      v.metadata({
        ...TARGET,
        description:
          "A site, or * for every site. One of a site outside the portfolio joins the site when it is added.",
      }),
    ),
    at: v.pipe(
      Timestamp,
      rule<string>(
        "not-in-future",
        (at) => (readMoment(at)?.ms ?? 0) <= now(),
        "must not be ahead of the service's clock",
      ),
      v.description("When it happened; not ahead of the service's clock."),
    ),
    kind: v.picklist(ANNOTATION_KINDS, ruleMessage("enum", `must be one of ${ANNOTATION_KINDS.join(", ")}`)),
    ref: v.pipe(
      text(MAX_REF),
      rule<string>("min-length", (ref) => ref !== "", "must not be empty"),
      rule<string>("control-character", (ref) => !hasControl(ref), "must not hold a control character"),
      v.metadata({ minLength: 1, ...NO_CONTROL, description: "What it was, such as a version or a commit." }),
    ),
    note: v.exactOptional(v.nullable(text(MAX_NOTE))),
  });
}

/** Why an annotation is retracted: a text, or undefined where no reason is given. */
export function retractSchema() {
  return fields({ reason: v.exactOptional(text(MAX_NOTE)) });
}

/** An annotation as it is sent. A note of null is one that is absent: what was answered can be sent again. */
export type Annotation = v.InferOutput<ReturnType<typeof annotationSchema>>;

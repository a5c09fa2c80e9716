/** What was typed for what is tuned, against the constants document as it is on disk. */
import {
  type Constants,
  type ConstantsStore,
  type DifferenceHunk,
  lineDifference,
  parseConstants,
} from "../../constants/mod.ts";
import type { Filled } from "../component/field.tsx";
import { propose, type ThresholdChange, typedValues } from "./proposal.ts";
import type { Sides } from "./replay.ts";
import type { TuneSubject } from "./subject.ts";
import { hasNoTable, type Threshold, thresholdsFor } from "./thresholds.ts";

/** A tuning before it is saved. */
export interface Tuning {
  readonly subject: TuneSubject;
  readonly thresholds: readonly Threshold[];
  /** What was typed, and a sentence for each value that was refused. */
  readonly filled: Filled;
  readonly isRefused: boolean;
  /** Thresholds that would change. */
  readonly changes: readonly ThresholdChange[];
  /** The constants in effect, and as they would be where a threshold changes. */
  readonly sides: Sides<Constants>;
  /** The change to the constants document; null while nothing is proposed. */
  readonly change: { readonly text: string; readonly hunks: readonly DifferenceHunk[] } | null;
  /** Of the document that the change is made on. */
  readonly digest: string;
  /** Why nothing can be written now. */
  readonly obstacle: "broken-document" | "no-table" | null;
}

/** Judges what was sent. */
export function tuningOf(constants: ConstantsStore, subject: TuneSubject, sent: URLSearchParams): Tuning {
  const document = constants.document();
  const inEffect = constants.current().constants;
  const thresholds = thresholdsFor(inEffect, subject);
  const values = typedValues(thresholds, sent);
  const obstacle = obstacleOf(constants, subject);
  const { text, changes, errors } = propose(document.text, obstacle === null ? thresholds : [], values);
  const parsed = changes.length === 0 ? undefined : parseConstants(text);
  return {
    subject,
    thresholds,
    filled: { values, errors },
    isRefused: Object.keys(errors).length > 0,
    changes,
    sides: { inEffect, proposed: parsed?.ok ? parsed.constants : undefined },
    change: text === document.text ? null : { text, hunks: lineDifference(document.text, text) },
    digest: document.digest,
    obstacle,
  };
}

function obstacleOf(constants: ConstantsStore, subject: TuneSubject): Tuning["obstacle"] {
  if (hasNoTable(subject)) return "no-table";
  return constants.problem === undefined ? null : "broken-document";
}

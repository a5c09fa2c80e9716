/** What was typed for what is tuned, against the constants document as it is on disk. */
import {
  type Constants,
  type ConstantsKeeper,
  type DifferenceHunk,
  lineDifference,
  parseConstants,
} from "../../constants/mod.ts";
import type { Filled } from "../component/field.tsx";
import { type Proposal, propose, typedValues } from "./proposal.ts";
import type { TuneSubject } from "./subject.ts";
import { hasNoTable, type Threshold, thresholdsFor } from "./thresholds.ts";
import type { Tried } from "./trial.ts";

/** A tuning before it is saved. */
export interface Tuning {
  readonly subject: TuneSubject;
  readonly thresholds: readonly Threshold[];
  /** What was typed, and a sentence for each value that was refused. */
  readonly filled: Filled;
  readonly proposal: Proposal;
  /** The change to the constants document; null while nothing is proposed. */
  readonly change: { readonly text: string; readonly hunks: readonly DifferenceHunk[] } | null;
  /** Of the document that the change is made on. */
  readonly digest: string;
  /** Why nothing can be written now. */
  readonly obstacle: "broken-document" | "no-table" | null;
}

/** Judges what was sent. */
export function tuningOf(constants: ConstantsKeeper, subject: TuneSubject, sent: URLSearchParams): Tuning {
  const { text, digest } = constants.document();
  const thresholds = thresholdsFor(constants.current().constants, subject);
  const values = typedValues(thresholds, sent);
  const obstacle = obstacleOf(constants, subject);
  const proposal: Proposal =
    obstacle === null ? propose(text, thresholds, values) : { ok: true, text, changes: [] };
  const change =
    proposal.ok && proposal.text !== text
      ? { text: proposal.text, hunks: lineDifference(text, proposal.text) }
      : null;
  const filled = { values, errors: proposal.ok ? {} : proposal.errors };
  return { subject, thresholds, filled, proposal, change, digest, obstacle };
}

function obstacleOf(constants: ConstantsKeeper, { metric }: TuneSubject): Tuning["obstacle"] {
  if (metric !== null && hasNoTable(metric)) return "no-table";
  return constants.problem === undefined ? null : "broken-document";
}

/** What is tried on what is stored: the constants in effect, and the proposed ones where a threshold changes. */
export function triedOf(inEffect: Constants, { proposal }: Tuning): Tried {
  const nothing = { sides: { inEffect, proposed: undefined }, changes: [] };
  if (!proposal.ok || proposal.changes.length === 0) return nothing;
  const parsed = parseConstants(proposal.text);
  return parsed.ok ? { sides: { inEffect, proposed: parsed.constants }, changes: proposal.changes } : nothing;
}

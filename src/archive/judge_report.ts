/** What an attempt to get a report comes to, by what was read of it and what is stored of its date. Pure. */
import type { Fault, Outcome } from "../provider/contract.ts";
import { faultOfCut, type ReadReport, type ReportCut } from "../provider/report/contract.ts";
import type { ArchiveNote, ArchiveObject, ArchiveOutcome, ManifestRow } from "./contract.ts";

/** What a row of the manifest says of what came. */
export type Verdict = Pick<ManifestRow, "outcome" | "complete" | "notes"> & {
  /** Why it is no whole report. */
  readonly fault: Fault | undefined;
  /** Whether what came is an object. */
  readonly isKept: boolean;
};

/** Days after which an analytics day changes no more. */
const PROVISIONAL_DAYS = 2;

/** Whether figures of a date of analytics may still change; `today` is the property's day at which they were told. */
export const isProvisional = (date: number, today: number): boolean => today - date < PROVISIONAL_DAYS;

/** What is stored of a date already and may be the same: of a whole report the latest whole one, of one that was cut the latest attempt. */
export function knownObject(
  { latest, good }: { readonly latest: ManifestRow | undefined; readonly good: ManifestRow | undefined },
  cut: ReportCut | undefined,
): ArchiveObject | undefined {
  const known = cut === undefined ? good : latest?.outcome === "incomplete" ? latest : undefined;
  return known?.object ?? undefined;
}

/** Judges what came. `isKnown`: it says what is stored of its date already. */
export function judgeReport(
  read: Outcome<ReadReport>,
  {
    cut,
    isKnown,
    mayChange,
  }: { readonly cut: ReportCut | undefined; readonly isKnown: boolean; readonly mayChange: boolean },
): Verdict {
  if (!read.ok) {
    const { fault } = read;
    return { ...refusal(fault), fault, complete: false, notes: [], isKept: false };
  }
  const { rows, notes: told } = read.value;
  const notes: ArchiveNote[] = mayChange ? [...told, "provisional"] : [...told];
  if (cut !== undefined) {
    return { outcome: "incomplete", fault: faultOfCut(cut), complete: false, notes, isKept: true };
  }
  const outcome: ArchiveOutcome = rows === 0 ? "empty" : isKnown ? "unchanged" : "stored";
  return { outcome, fault: undefined, complete: true, notes, isKept: true };
}

/** What an attempt without a report is called. */
export const refusal = ({ category }: Fault): { readonly outcome: "incomplete" | "failed" } => ({
  outcome: category === "incomplete_report" ? "incomplete" : "failed",
});

/** What keeps the reports of a panel from being shown as they should be: each cause once, whatever it concerns. Pure. */
import type { ManifestRow } from "../../archive/mod.ts";
import { dayNumber } from "../../lib/day_number.ts";
import type { UtcDay } from "../../lib/utc_day.ts";
import type { FailureCategory } from "../../provider/contract.ts";
import { FAULT_CODES } from "../../provider/fault_codes.ts";
import type { PanelReport, PanelSource } from "./panel_report.ts";

/** Reports that came to nothing for one cause. */
export interface Trouble {
  readonly category: FailureCategory;
  readonly code: string | null;
  /** Whether a part of them came, which no figure is read from. */
  readonly isIncomplete: boolean;
  readonly reports: readonly PanelReport[];
  /** The newest of their attempts. */
  readonly latest: ManifestRow;
  /** When the first of them began to fail, in milliseconds since the epoch; undefined where these attempts are the first that failed. */
  readonly since: number | undefined;
}

/** Why reports failed, those of one cause together; the one that concerns the most first. */
export function troublesOf(reports: readonly PanelReport[]): Trouble[] {
  const failed = reports.flatMap((report) =>
    report.failed === undefined || isBehind(report)
      ? []
      : [{ report, latest: report.failed.attempt, since: report.failed.since }],
  );
  const causes = Map.groupBy(
    failed,
    ({ latest }) => `${latest.outcome}/${latest.category}/${latest.failureCode}`,
  );
  return [...causes.values()]
    .flatMap((held): Trouble[] => {
      const newest = held.reduce((best, one) => (one.latest.id > best.latest.id ? one : best));
      return [
        {
          category: newest.latest.category ?? "monitoring_failure",
          code: newest.latest.failureCode,
          isIncomplete: newest.latest.outcome === "incomplete",
          reports: held.map(({ report }) => report),
          latest: newest.latest,
          since: held.every(({ latest, since }) => since === latest.attemptedAt)
            ? undefined
            : Math.min(...held.map(({ since }) => since)),
        },
      ];
    })
    .toSorted((a, b) => b.reports.length - a.reports.length);
}

/**
 * What keeps a whole account from answering, where another panel's report met it: those of `reports` were not asked for at all. None
 * where one of them was asked for since.
 */
export function accountTroubleOf(
  all: readonly PanelReport[],
  reports: readonly PanelReport[],
): Trouble | undefined {
  const asked = Math.max(-1, ...reports.map(({ latest }) => latest?.attemptedAt ?? -1));
  return troublesOf(all.filter((report) => !reports.includes(report))).find(
    ({ code, latest }) => isOfAccount(code) && latest.attemptedAt > asked,
  );
}

const isOfAccount = (code: string | null): boolean =>
  code !== null &&
  Object.hasOwn(FAULT_CODES, code) &&
  FAULT_CODES[code as keyof typeof FAULT_CODES].scope === "credential";

/** A failure of a day before the one that is shown keeps nothing of it away. */
const isBehind = ({ failed, shown }: PanelReport): boolean =>
  failed !== undefined &&
  shown !== undefined &&
  failed.attempt.date < dayNumber(shown.insight.date as UtcDay);

/** How a source stands as a whole. */
export type SourceState =
  /** No property is attached, and nothing is kept of one. */
  | "not_connected"
  /** Attached, and nothing of it was asked for yet. */
  | "never_archived"
  /** Everything that was asked for failed. */
  | "nothing_usable"
  | "shown";

export function sourceState({ property, reports }: PanelSource): SourceState {
  if (reports.some(({ shown }) => shown !== undefined)) return "shown";
  if (property === undefined) return "not_connected";
  return reports.some(({ latest }) => latest !== undefined) ? "nothing_usable" : "never_archived";
}

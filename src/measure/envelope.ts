/** The report as it is sent: within the size limit and checked against the server's own contract. */
import { type CodebaseReport, CodebaseReportSchema, MAX_REPORT_BYTES } from "../codebase/contract.ts";
import { readContract } from "../lib/contract.ts";

/** The text of a report: one line, with a newline at its end. */
export function reportText(report: CodebaseReport): string {
  return `${JSON.stringify(report)}\n`;
}

/** A report within the limit, and how many items of each list were dropped for it. */
export interface Bounded {
  readonly report: CodebaseReport;
  readonly dropped: Readonly<Record<string, number>>;
}

const DISMISSED = "dismissed";

/**
 * Drops last items of the longest list (by its bytes) until the text fits. Notes and reasons stay whole, since a number would say
 * more than it may without them; they are short enough to fit beside empty lists.
 */
export function boundReport(report: CodebaseReport, maxBytes = MAX_REPORT_BYTES): Bounded {
  const lists: Record<string, readonly unknown[]> = { ...report.findings };
  if (report.dismissed !== undefined) lists[DISMISSED] = report.dismissed;
  const dropped: Record<string, number> = {};
  const now = (): CodebaseReport => {
    const { [DISMISSED]: dismissed, ...findings } = lists;
    return {
      ...report,
      ...(report.findings === undefined ? {} : { findings }),
      ...(dismissed === undefined
        ? {}
        : { dismissed: dismissed as NonNullable<CodebaseReport["dismissed"]> }),
    };
  };
  while (bytes(reportText(now())) > maxBytes) {
    const longest = Object.entries(lists)
      .filter(([, list]) => list.length > 0)
      .sort(([, a], [, b]) => bytes(JSON.stringify(b)) - bytes(JSON.stringify(a)))[0];
    if (longest === undefined) break;
    const [name, list] = longest;
    lists[name] = list.slice(0, -1);
    dropped[name] = (dropped[name] ?? 0) + 1;
  }
  return { report: now(), dropped };
}

/** Throws when the server would refuse or ignore any part of the report: that is a fault of this program. */
export function checkReport(report: CodebaseReport): void {
  const result = readContract(CodebaseReportSchema, JSON.parse(JSON.stringify(report)));
  if (!result.ok) {
    const first = result.errors.map(({ pointer, message }) => `${pointer} ${message}`).join("; ");
    throw new Error(`The report breaks its own contract: ${first}`);
  }
  if (result.ignored.length > 0) throw new Error(`The contract does not know ${result.ignored.join(", ")}`);
}

function bytes(text: string): number {
  return Buffer.byteLength(text);
}

/** What a codebase report keeps beside what every report does, as JSON. */

import { reportCheck } from "./check_store.ts";
import { packable } from "./pack_bodies.ts";
import type { ReportKind } from "./report_store.ts";

export interface CodebaseColumns {
  readonly measures: string;
  readonly tools: string | null;
  readonly notes: string | null;
}

/** How codebase reports are kept. */
export const CODEBASE: ReportKind = {
  called: "report",
  rows: "codebase_report",
  bodies: "codebase_body",
  packs: "codebase_pack",
  own: ["measures", "tools", "notes"],
};

export const PACKABLE_CODEBASE_REPORTS = packable(CODEBASE, () => Number.MAX_SAFE_INTEGER);

export const { revisionFaults, bodyFaults } = reportCheck(CODEBASE);

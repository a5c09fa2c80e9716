/** Reports read from bodies as tests make them up, without a server. */

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Outcome } from "../../src/providers/faults.ts";
import type {
  RawPage,
  RawReport,
  ReadReport,
  ReportAsked,
  ReportFamily,
  ReportRow,
} from "../../src/providers/report_families.ts";
import { readReport } from "../../src/providers/reports.ts";
import { temporaryFolder } from "./folder.ts";
import { ERROR_EVENTS } from "./simulated_reports.ts";

export interface BodiesRead {
  readonly outcome: Outcome<ReadReport>;
  readonly rows: readonly ReportRow[];
  /** `category code`, or `ok` and how many rows. */
  readonly said: string;
}

/** Reads bodies (as JSON where they are no text) as the pages of a report. */
export async function readBodies(
  family: ReportFamily,
  bodies: readonly (
    | string
    | object
    | { readonly body: string | object; readonly value: string | undefined }
  )[],
  change: Partial<RawReport> & { readonly asked?: ReportAsked } = {},
): Promise<BodiesRead> {
  using folder = temporaryFolder();
  const pages = bodies.map((made, place): RawPage => {
    const isPlaced = typeof made === "object" && "body" in made;
    const body = isPlaced ? made.body : made;
    const value = isPlaced ? made.value : undefined;
    const text = typeof body === "string" ? body : JSON.stringify(body);
    const path = join(folder.path, String(place));
    writeFileSync(path, text);
    const step = isPlaced && value === undefined ? "values" : "rows";
    return { path, bytes: Buffer.byteLength(text), secrets: 0, step, value, offset: 0 };
  });
  const asked: ReportAsked = {
    family,
    property: "1001",
    from: 20_775,
    to: 20_775,
    timeZone: undefined,
    bounds: { rows: 1_000_000, bytes: 1_000_000_000 },
    errorEvents: ERROR_EVENTS,
  };
  const rows: ReportRow[] = [];
  const askedAt = Date.parse("2026-11-22T12:15:00Z");
  const outcome = await readReport({ asked, askedAt, cut: undefined, ...change, pages }, (row) =>
    rows.push(row),
  );
  const said = outcome.ok ? `ok ${outcome.value.rows}` : `${outcome.fault.category} ${outcome.fault.code}`;
  return { outcome, rows, said };
}

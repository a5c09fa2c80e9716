/** The log of a site's reports, of both kinds. */
import { CODEBASE } from "../../codebase/mod.ts";
import { PULSE } from "../../pulse/mod.ts";
import { type LogFilter, type LoggedReport, reportLog } from "../../reports/mod.ts";

export const REPORT_KINDS = ["nightly", "codebase"] as const;
export type ReportKind = (typeof REPORT_KINDS)[number];
export type Logged = LoggedReport<ReportKind>;
export type Narrowed = LogFilter<ReportKind>;

export const REPORT_LOG = reportLog<ReportKind>({ nightly: PULSE, codebase: CODEBASE });

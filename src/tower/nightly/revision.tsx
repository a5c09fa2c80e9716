import { paths } from "../paths.ts";
import type { ReportKind } from "./log.ts";

/** Where one report of a kind is read. */
export const REPORT_PLACES: Readonly<
  Record<ReportKind, (asset: string, date: string, revision: number) => string>
> = { nightly: paths.nightlyReport, codebase: paths.codebaseReport };

/** Where it is downloaded as JSON. */
export const JSON_PLACES: typeof REPORT_PLACES = {
  nightly: paths.nightlyJson,
  codebase: paths.codebaseJson,
};

/** Whether a later revision took a report's place. */
export function Superseded({ superseded }: { readonly superseded: boolean }) {
  return superseded ? <span class="dim">superseded</span> : <span class="tag">current</span>;
}

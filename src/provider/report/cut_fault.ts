import type { Fault } from "../contract.ts";
import { faultOf } from "../fault.ts";
import type { ReportCut } from "./contract.ts";

/** What a report that ends before its end is recorded as: always an incomplete one, whatever ended it. */
export function faultOfCut(cut: ReportCut): Fault {
  if (cut.by !== "fault") return faultOf("report_over_ceiling");
  const { code, retryAfterMs } = cut.fault;
  return code === "report_cut_off" ? cut.fault : faultOf("rows_not_all_fetched", { retryAfterMs });
}

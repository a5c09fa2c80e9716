import type { UnitClass } from "../../codebase/mod.ts";
import { formatNarrow, formatPercent, formatRatio } from "../format.ts";

/** A value in the way of its unit: "47,894", "8.6%", "0.71", "Passed". */
export function formatUnit(unit: UnitClass, value: number): string {
  switch (unit) {
    case "count":
      return formatNarrow(value);
    case "percent":
      return formatPercent(value);
    case "ratio":
      return formatRatio(value);
    case "pass":
      return value === 1 ? "Passed" : "Failed";
  }
}

/** The rows of a report beside those of an earlier one. Pure. */
import type { InsightReport } from "../../archive/mod.ts";
import type { PanelReport } from "./panel_report.ts";

/** What the earlier report says of a row's leading figure. */
export type EarlierLead =
  | { readonly told: "value"; readonly value: number }
  /** It had no such row: the row is new. */
  | { readonly told: "no_row" }
  /** Nothing is known: only its first rows are kept, or several of them are told by the same words. */
  | { readonly told: "not_known" };

/** A row of a panel. */
export interface PanelRow {
  readonly keys: readonly string[];
  /** By metric; null where the provider tells none. */
  readonly figures: Readonly<Record<string, number | null>>;
  /** The leading figure, and what it is of the highest, from 0 to 1. */
  readonly lead: number | null;
  readonly share: number;
  /** Undefined where there is no earlier report. */
  readonly earlier: EarlierLead | undefined;
}

/** The first rows that are kept of the shown report, in their order. */
export function panelRows(
  { family, shown, earlier }: PanelReport,
  most = Number.POSITIVE_INFINITY,
): PanelRow[] {
  const rows = shown?.insight.top ?? [];
  const highest = Math.max(0, ...rows.map(({ values }) => values[0] ?? 0));
  return rows.slice(0, most).map(({ keys, values }, place) => {
    const lead = values[0] ?? null;
    const held = earlier?.[place];
    return {
      keys,
      figures: Object.fromEntries(family.metrics.map((metric, at) => [metric, values[at] ?? null])),
      lead,
      share: highest === 0 ? 0 : (lead ?? 0) / highest,
      earlier: held && leadOf(held),
    };
  });
}

function leadOf(held: NonNullable<InsightReport["earlier"]>[number]): EarlierLead {
  if (held.told === "no_row") return { told: "no_row" };
  const value = held.told === "values" ? (held.values[0] ?? null) : null;
  return value === null ? { told: "not_known" } : { told: "value", value };
}

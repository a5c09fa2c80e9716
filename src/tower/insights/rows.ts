/** The rows of a report beside those of seven days before. Pure. */
import type { Insight } from "../../insights/contract.ts";
import type { PanelReport } from "./panel_report.ts";

/** What the earlier report says of a row. */
export type Earlier =
  | { readonly told: "value"; readonly value: number }
  /** All of its rows are kept, and this is none of them. */
  | { readonly told: "no_row" }
  /** Only its first rows are kept, and this is none of them: nothing is known. */
  | { readonly told: "not_kept" };

/** A row of a panel. */
export interface PanelRow {
  readonly keys: readonly string[];
  /** By metric; null where the provider tells none. */
  readonly figures: Readonly<Record<string, number | null>>;
  /** The leading figure, and what it is of the highest, from 0 to 1. */
  readonly lead: number | null;
  readonly share: number;
  /** Undefined where there is no earlier report. */
  readonly earlier: Earlier | undefined;
}

/** The rows that are kept of the shown report, in their order. */
export function panelRows({ family, shown, before }: PanelReport): PanelRow[] {
  if (shown === undefined) return [];
  const named = family.dimensions.flatMap((dimension, place) => (dimension === "date" ? [] : [place]));
  const nameOf = (keys: readonly string[]) => JSON.stringify(named.map((place) => keys[place]));
  const held = before && new Map(before.top.map(({ keys, values }) => [nameOf(keys), values[0] ?? null]));
  const highest = Math.max(0, ...shown.top.map(({ values }) => values[0] ?? 0));
  return shown.top.map(({ keys, values }) => {
    const lead = values[0] ?? null;
    return {
      keys,
      figures: Object.fromEntries(family.metrics.map((metric, place) => [metric, values[place] ?? null])),
      lead,
      share: highest === 0 ? 0 : (lead ?? 0) / highest,
      earlier: before && earlierOf(before, held?.get(nameOf(keys))),
    };
  });
}

function earlierOf(before: Insight, value: number | null | undefined): Earlier {
  if (value !== undefined && value !== null) return { told: "value", value };
  return { told: before.rows <= before.top.length ? "no_row" : "not_kept" };
}

/** The rows of a report beside those of an earlier one. Pure. */
import type { ReportFamily } from "../provider/report/contract.ts";
import type { InsightBody } from "./contract.ts";

/** What an earlier report says of a row. */
export type Earlier =
  /** Its figures there, in the order of the family's. */
  | { readonly told: "values"; readonly values: readonly (number | null)[] }
  /** All rows of that report are kept, and this is none of them: it is new. */
  | { readonly told: "no_row" }
  /** Only the first rows of that report are kept, and this is none of them: whether it was there is not known. */
  | { readonly told: "not_kept" }
  /** Several rows are told by the same words, cut or not: which is which is not known. */
  | { readonly told: "unclear" };

/** How many rows the first ones are of. */
export const rowsOf = ({ rows, among }: InsightBody): number => among ?? rows;

/** What an earlier report says of each row of `shown`, in their order. A week's rows are the same by all but their date. */
export function earlierRows(
  { dimensions }: Pick<ReportFamily, "dimensions">,
  shown: InsightBody,
  before: InsightBody,
): Earlier[] {
  const named = dimensions.flatMap((dimension, place) =>
    dimension === "date" && dimensions.length > 1 ? [] : [place],
  );
  const [place = 0] = named;
  // With their lengths, several keys make one name that no others make.
  const nameOf = ({ keys }: InsightBody["top"][number]) =>
    named.length === 1
      ? (keys[place] ?? "")
      : named.reduce((name, at) => `${name}${keys[at]?.length ?? 0}:${keys[at] ?? ""}`, "");
  const [now, then] = [Map.groupBy(shown.top, nameOf), Map.groupBy(before.top, nameOf)];
  const isWhole = rowsOf(before) <= before.top.length;
  return shown.top.map((row): Earlier => {
    const name = nameOf(row);
    const [held, ...others] = then.get(name) ?? [];
    if (others.length > 0 || (now.get(name)?.length ?? 0) > 1) return { told: "unclear" };
    if (held !== undefined) return { told: "values", values: held.values };
    return { told: isWhole ? "no_row" : "not_kept" };
  });
}

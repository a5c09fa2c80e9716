/**
 * An insight's body as it is stored: JSON in which a row is one list, its keys and then its values, since the names of the two would be
 * a fifth of all that is kept.
 */
import type { ReportRow } from "../provider/report/contract.ts";
import type { InsightBody } from "./contract.ts";

type StoredBody = Omit<InsightBody, "top"> & {
  /** How many of each row's places are keys. */
  readonly keys: number;
  readonly top: readonly (readonly (string | number | null)[])[];
};

export function bodyText({ top, ...rest }: InsightBody): string {
  const stored: StoredBody = {
    ...rest,
    keys: top[0]?.keys.length ?? 0,
    top: top.map(({ keys, values }) => [...keys, ...values]),
  };
  return JSON.stringify(stored);
}

export function bodyOf(text: string): InsightBody {
  const { keys, top, ...rest } = JSON.parse(text) as StoredBody;
  return { ...rest, top: top.map((row) => rowOf(row, keys)) };
}

const rowOf = (row: readonly (string | number | null)[], keys: number): ReportRow => ({
  keys: row.slice(0, keys) as string[],
  values: row.slice(keys) as (number | null)[],
});

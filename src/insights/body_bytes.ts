/**
 * An insight's body as it is stored: JSON in which a row is one list, its keys and then its values, as one zstd frame. Both together make
 * it a fifth as long: addresses of one site are much alike, and there are four hundred bodies of a site.
 */
import type { ReportRow } from "../provider/report/contract.ts";
import type { InsightBody } from "./contract.ts";

type StoredBody = Omit<InsightBody, "top"> & {
  /** How many of each row's places are keys. */
  readonly keys: number;
  readonly top: readonly (readonly (string | number | null)[])[];
};

export function bodyBytes({ top, ...rest }: InsightBody): Uint8Array {
  const stored: StoredBody = {
    ...rest,
    keys: top[0]?.keys.length ?? 0,
    top: top.map(({ keys, values }) => [...keys, ...values]),
  };
  return Bun.zstdCompressSync(JSON.stringify(stored));
}

const utf8 = new TextDecoder();

/** Throws where the bytes are none. */
export function bodyOf(bytes: Uint8Array): InsightBody {
  const { keys, top, ...rest } = JSON.parse(utf8.decode(Bun.zstdDecompressSync(bytes))) as StoredBody;
  return { ...rest, top: top.map((row) => rowOf(row, keys)) };
}

const rowOf = (row: readonly (string | number | null)[], keys: number): ReportRow => ({
  keys: row.slice(0, keys) as string[],
  values: row.slice(keys) as (number | null)[],
});

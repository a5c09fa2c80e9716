import type { Db } from "../db/mod.ts";
import type { MacKey } from "../platform/keys.ts";
import { type AuditRow, breakBetween, FIRST_PREVIOUS_HASH } from "./chain.ts";
import { idInMac } from "./origin.ts";
import { listAfter } from "./store.ts";

/** What a walk along the chain found. */
export type ChainState =
  | {
      readonly ok: true;
      readonly rows: number;
      /** The newest hash: kept elsewhere, it also shows rows cut off at the end. */
      readonly head: string;
      /** Which rows the key proves, or fixes as they were; for people. */
      readonly notes: readonly string[];
    }
  | { readonly ok: false; readonly id: number; readonly reason: string };

const PAGE = 1_000;

/** Rows next to each other with codes of one key; `key` null where they carry none. */
interface Stretch {
  readonly key: string | null;
  readonly from: number;
  readonly to: number;
}

/**
 * Walks the whole audit and names the first row that does not fit. With the installation's key, each row with a code of that key
 * must be by it, and the newest row must have one: then every row before is as it was when that row was written.
 */
export function verifyChain(db: Db, key?: MacKey): ChainState {
  let previous: AuditRow | undefined;
  const stretches: Stretch[] = [];
  for (const row of allRows(db)) {
    const reason = breakBetween(previous, row) ?? originFault(row, stretches.at(-1)?.key ?? null, key);
    if (reason !== undefined) return { ok: false, id: row.id, reason };
    lengthen(stretches, row);
    previous = row;
  }
  const newest = stretches.at(-1);
  if (key !== undefined && newest !== undefined && newest.key !== key.id) {
    return { ok: false, id: newest.to, reason: "it was not written with this installation's key" };
  }
  return {
    ok: true,
    rows: previous?.id ?? 0,
    head: previous?.hash ?? FIRST_PREVIOUS_HASH,
    notes: stretches.map((stretch) => note(stretch, key, stretch === newest)),
  };
}

/** Every row, oldest first, a page of them in memory at a time. */
function* allRows(db: Db): Generator<AuditRow> {
  for (let after = 0; ; ) {
    const page = listAfter(db, after, PAGE);
    yield* page;
    const last = page.at(-1);
    if (last === undefined || page.length < PAGE) return;
    after = last.id;
  }
}

/** The row belongs to the newest stretch, or begins one. */
function lengthen(stretches: Stretch[], row: AuditRow): void {
  const key = row.mac === null ? null : idInMac(row.mac);
  const last = stretches.at(-1);
  if (last === undefined || last.key !== key) stretches.push({ key, from: row.id, to: row.id });
  else stretches[stretches.length - 1] = { ...last, to: row.id };
}

function originFault(row: AuditRow, before: string | null, key: MacKey | undefined): string | undefined {
  if (row.mac === null) {
    return before === null ? undefined : "it carries no code, though a row before it does";
  }
  if (key === undefined || idInMac(row.mac) !== key.id) return undefined;
  return key.holds(row.hash, row.mac.slice(key.id.length + 1))
    ? undefined
    : "its code was not made with this installation's key";
}

function note({ key, from, to }: Stretch, own: MacKey | undefined, isLast: boolean): string {
  const rows = from === to ? `row ${from}` : `rows ${from} to ${to}`;
  if (key === null && isLast) return `${rows}: not keyed`;
  if (key === null) return `${rows}: from before rows were keyed; fixed as they were by the row after`;
  if (own === undefined) return `${rows}: keyed with key ${key}, which is not here: not proven`;
  return key === own.id
    ? `${rows}: proven with this installation's key`
    : `${rows}: keyed with another key, ${key}; fixed as they were by the row after`;
}

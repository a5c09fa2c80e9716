/**
 * The audit: every act that changes something, append-only. A chain of hashes shows that rows follow on each other, but whoever can
 * write the file can make another chain. So each row carries, beside its hash, the hash's keyed code: `<key id>:<code>`. A code stands
 * for every row before it too, because its hash does: the first row with one also fixes the rows from before there were codes.
 *
 * The key belongs to the writing connection, given to it once at start: an act is recorded by whoever does it, and none of them
 * should need the key in hand.
 */

import { and, asc, desc, eq, gt, gte, inArray, lt, type SQL } from "drizzle-orm";
import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { type MacKey, sha256Hex } from "../base/keys.ts";
import type { Db, Tx } from "../store/store.ts";
import type { By } from "./access.ts";

export const audit = sqliteTable("audit", {
  id: integer("id").primaryKey(),
  at: integer("at").notNull(),
  actor: text("actor").notNull(),
  act: text("act").notNull(),
  target: text("target").notNull(),
  /** JSON, as it was written. */
  detail: text("detail").notNull(),
  previous_hash: text("previous_hash").notNull(),
  hash: text("hash").notNull(),
  /** The keyed code of `hash`, with the id of its key; null where no key was known. */
  mac: text("mac"),
});

export type AuditRow = typeof audit.$inferSelect;

/** What stands before the first row. */
const FIRST_PREVIOUS_HASH = "0".repeat(64);

/** SHA-256 over the previous row's hash and this row's canonical JSON: its fields in this order, detail as stored. */
export function hashOf(row: Omit<AuditRow, "hash" | "mac">): string {
  const { id, at, actor, act, target, detail } = row;
  return sha256Hex(`${row.previous_hash}\n${JSON.stringify({ id, at, actor, act, target, detail })}`);
}

/** Why `row` does not follow on `previous`; `undefined` when it does. Ids are gapless, so a row taken out shows. */
function breakBetween(
  previous: Pick<AuditRow, "id" | "hash"> | undefined,
  row: AuditRow,
): string | undefined {
  if (row.id !== (previous?.id ?? 0) + 1) return "a row before it is missing";
  if (row.previous_hash !== (previous?.hash ?? FIRST_PREVIOUS_HASH))
    return "it does not follow on the row before it";
  if (row.hash !== hashOf(row)) return "its content was changed";
  return undefined;
}

const keys = new WeakMap<Db, MacKey>();

/** From now on rows appended through this connection carry codes of this key. */
export function keyAudit(db: Db, key: MacKey): void {
  keys.set(db, key);
}

/** The code for a row with this hash, or null where no key was given. */
function macOf(db: Db, hash: string): string | null {
  const key = keys.get(db);
  return key === undefined ? null : `${key.id}:${key.mac(hash)}`;
}

/** The id of the key that a stored code was made with. */
function idInMac(mac: string): string {
  return mac.slice(0, mac.indexOf(":"));
}

/** The newest row's id, hash and code. */
function findLast(db: Db): Pick<AuditRow, "id" | "hash" | "mac"> | undefined {
  const { id, hash, mac } = audit;
  return db.select({ id, hash, mac }).from(audit).orderBy(desc(id)).get();
}

/** Which rows are asked for; what is null or absent narrows nothing. */
interface AuditFilter {
  /** Who did it; an operator by the bare name too. */
  readonly actor?: string | null;
  readonly act?: string | null;
  readonly target?: string | null;
  /** Instants in milliseconds since the epoch, the second one excluded. */
  readonly from?: number | null;
  readonly until?: number | null;
}

/** At most `limit` rows before an id (from the newest when absent), newest first. */
export function listNewest(
  db: Db,
  { before, limit, ...filter }: AuditFilter & { readonly before?: number | null; readonly limit: number },
): AuditRow[] {
  const given = <Value>(value: Value | null | undefined, narrow: (value: Value) => SQL) =>
    value === null || value === undefined ? undefined : narrow(value);
  return db
    .select()
    .from(audit)
    .where(
      and(
        given(before, (id) => lt(audit.id, id)),
        given(filter.actor, (actor) => inArray(audit.actor, [actor, `operator:${actor}`])),
        given(filter.act, (act) => eq(audit.act, act)),
        given(filter.target, (target) => eq(audit.target, target)),
        given(filter.from, (from) => gte(audit.at, from)),
        given(filter.until, (until) => lt(audit.at, until)),
      ),
    )
    .orderBy(desc(audit.id))
    .limit(limit)
    .all();
}

const PAGE = 1_000;

/**
 * Walks the whole audit and names the first row that does not fit. With the installation's key, each row with a code of that key
 * must be by it, and the newest row must have one: then every row before is as it was when that row was written. `head` is the newest
 * hash: kept elsewhere, it also shows rows cut off at the end; `notes` tell people which rows the key proves, or fixes as they were.
 */
export function verifyChain(db: Db, key?: MacKey) {
  let previous: AuditRow | undefined;
  /** The first of the rows up to here that the key proves. */
  let provenFrom: number | undefined;
  for (const row of allRows(db)) {
    const reason = breakBetween(previous, row) ?? originFault(row, previous, key);
    if (reason !== undefined) return { ok: false, id: row.id, reason } as const;
    provenFrom = isOf(row, key) ? (provenFrom ?? row.id) : undefined;
    previous = row;
  }
  const rows = previous?.id ?? 0;
  if (key !== undefined && rows > 0 && provenFrom === undefined) {
    return { ok: false, id: rows, reason: "it was not written with this installation's key" } as const;
  }
  const noted = (from: number, to: number, words: string) =>
    from > to ? [] : [`${from === to ? `row ${from}` : `rows ${from} to ${to}`}: ${words}`];
  const notes =
    provenFrom === undefined
      ? noted(1, rows, "not proven, because the key is not here")
      : [
          ...noted(1, provenFrom - 1, "fixed as they were by the row after"),
          ...noted(provenFrom, rows, "proven with this installation's key"),
        ];
  return { ok: true, rows, head: previous?.hash ?? FIRST_PREVIOUS_HASH, notes } as const;
}

/** Every row, oldest first, a page of them in memory at a time. */
function* allRows(db: Db): Generator<AuditRow> {
  for (let after = 0; ; ) {
    const page = db.select().from(audit).where(gt(audit.id, after)).orderBy(asc(audit.id)).limit(PAGE).all();
    yield* page;
    const last = page.at(-1);
    if (last === undefined || page.length < PAGE) return;
    after = last.id;
  }
}

const isOf = ({ mac }: AuditRow, key: MacKey | undefined): boolean =>
  key !== undefined && mac !== null && idInMac(mac) === key.id;

function originFault(
  row: AuditRow,
  before: AuditRow | undefined,
  key: MacKey | undefined,
): string | undefined {
  if (row.mac === null) {
    return (before?.mac ?? null) === null ? undefined : "it carries no code, though a row before it does";
  }
  if (key === undefined || !isOf(row, key) || key.holds(row.hash, row.mac.slice(key.id.length + 1)))
    return undefined;
  return "its code was not made with this installation's key";
}

/** What an audit row says beyond who, what and when. */
export type AuditDetail = Readonly<Record<string, string | number | boolean | null | readonly string[]>>;

const SECRET_NAMES = /password|secret|token$|digest|hash|cookie|credential/i;
const SECRET_TEXTS = /sm[tc]_[a-z2-7]{8}_[0-9A-Za-z]{8}|\$argon2|^Bearer /;

/** Throws a TypeError when a detail is named like a secret or looks like one: the audit is read by every operator. */
function assertNoSecret(detail: AuditDetail): void {
  for (const [name, value] of Object.entries(detail)) {
    const texts = Array.isArray(value) ? value : [value];
    if (
      SECRET_NAMES.test(name) ||
      texts.some((text) => typeof text === "string" && SECRET_TEXTS.test(text))
    ) {
      throw new TypeError(`the audit detail ${name} looks like a secret`);
    }
  }
}

/**
 * One act to record. Texts are names and ids, never a secret: who did it (`operator:<name>`, `token:<key id>`, `command-line`, `setup-link`,
 * `service`), what was done, for example `operator.add`, and to what, for example `operator:anna`; "" when the act has no target.
 */
interface AuditEntry extends Pick<typeof audit.$inferSelect, "at" | "actor" | "act" | "target"> {
  readonly detail?: AuditDetail;
}

/** Appends one act in the caller's transaction, chained to the row before it. Throws a TypeError on a secret. */
export function appendAudit(tx: Tx, { detail = {}, ...acted }: AuditEntry): void {
  assertNoSecret(detail);
  const last = findLast(tx);
  const row = {
    id: (last?.id ?? 0) + 1,
    ...acted,
    detail: JSON.stringify(detail),
    previous_hash: last?.hash ?? FIRST_PREVIOUS_HASH,
  };
  const hash = hashOf(row);
  tx.insert(audit)
    .values({ ...row, hash, mac: macOf(tx, hash) })
    .run();
}

/** The same by who acts, and when. */
export function auditAct(tx: Tx, { actor, now: at }: By, act: string, target: string, detail?: AuditDetail) {
  appendAudit(tx, { at, actor, act, target, ...(detail && { detail }) });
}

/**
 * Fixes the rows that are there with this installation's key, unless the newest one is of that key already: rows from before there
 * were codes, or from before the key was another. What the key cannot prove of them, it fixes as it was at this moment; the row says
 * so, and `tower check` says it too. Returns the row's id when one was needed.
 */
export function anchorAudit(tx: Tx, now: number): number | undefined {
  const last = findLast(tx);
  const id = keys.get(tx)?.id;
  if (last === undefined || id === undefined) return undefined;
  const before = last.mac === null ? null : idInMac(last.mac);
  if (before === id) return undefined;
  auditAct(tx, { actor: "service", now }, "audit.key", `key:${id}`, {
    rows_before: last.id,
    key_before: before,
  });
  return last.id + 1;
}

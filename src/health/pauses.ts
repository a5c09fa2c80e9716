/** What operators paused: a pause ends by itself when its time is over, without anything being written. */

import { integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { By } from "../access/access.ts";
import { appendAudit } from "../access/audit.ts";
import { formatInstant } from "../base/time.ts";
import { columnsOf, replacing } from "../store/rows.ts";
import { type Db, statement, type Tx } from "../store/store.ts";

/** Capabilities that an operator disabled: of one site, of every site (asset ''), or all of one site (capability ''). */
export const healthPause = sqliteTable(
  "health_pause",
  {
    capability: text("capability").notNull(),
    asset: text("asset").notNull(),
    pausedAt: integer("paused_at").notNull(),
    /** Who paused it, as the audit names them. */
    pausedBy: text("paused_by").notNull(),
    /** When it ends by itself; null where an operator ends it. */
    until: integer("until"),
  },
  (t) => [primaryKey({ columns: [t.capability, t.asset] })],
);

/** A capability of one site, of every site (asset ''), or all of one site (capability ''). */
export interface PauseKey {
  readonly capability: string;
  readonly asset: string;
}

/** Times are milliseconds since the epoch. */
export type Pause = Readonly<typeof healthPause.$inferSelect>;

const COLUMNS = `${columnsOf(healthPause)} FROM health_pause`;

const all = statement<Pause, []>(`SELECT ${COLUMNS} ORDER BY asset, capability`);
const ofKey = statement<Pause, [string, string]>(`SELECT ${COLUMNS} WHERE capability = ? AND asset = ?`);
const covering = statement<Pause, [string, string, string]>(
  `SELECT ${COLUMNS} WHERE (capability = ? AND asset IN (?, '')) OR (capability = '' AND asset = ?)`,
);
const ofAsset = statement<Pause, [string]>(`SELECT ${COLUMNS} WHERE asset = ? ORDER BY capability`);

/** Every pause that is written down, those whose time is over too (`isInForce`), by site. */
export function listPauses(db: Db): Pause[] {
  return all(db).all();
}

/** The pauses that have not ended by themselves, by site. */
export function listInForce(db: Db, now: number): Pause[] {
  return listPauses(db).filter((pause) => isInForce(pause, now));
}

/** Whether a pause has not ended by itself. */
export function isInForce({ until }: Pick<Pause, "until">, now: number): boolean {
  return until === null || until > now;
}

/** Whether a site's capability is paused: it alone, on every site, or with all of its site. */
export const isPaused = (db: Db, of: PauseKey, now: number): boolean => pauseOf(db, of, now) !== undefined;

/** The pause that holds a site's capability for longest; undefined where none is in force. */
export function pauseOf(db: Db, { capability, asset }: PauseKey, now: number): Pause | undefined {
  return pausesInForce(covering(db).all(capability, asset, asset), now)({ capability, asset });
}

/**
 * The pauses in force, to be asked for many targets at once: the one that holds a site's capability for longest, and of equally long
 * ones the widest, since that is what has to end.
 */
export function pausesInForce(pauses: readonly Pause[], now: number): (of: PauseKey) => Pause | undefined {
  const inForce = new Map(
    pauses.filter((pause) => isInForce(pause, now)).map((pause) => [keyOf(pause), pause]),
  );
  if (inForce.size === 0) return () => undefined;
  return ({ capability, asset }) =>
    [
      inForce.get(keyOf({ capability: "", asset })),
      inForce.get(keyOf({ capability, asset: "" })),
      inForce.get(keyOf({ capability, asset })),
    ].reduce((longest, held) => (isLonger(held, longest) ? held : longest), undefined);
}

const isLonger = (one: Pause | undefined, other: Pause | undefined): boolean =>
  one !== undefined && (other === undefined || endOf(one) > endOf(other));

const endOf = ({ until }: Pause): number => until ?? Number.POSITIVE_INFINITY;

const keyOf = ({ capability, asset }: PauseKey): string => JSON.stringify([capability, asset]);

const drop = statement<never, [string, string]>(
  "DELETE FROM health_pause WHERE capability = ? AND asset = ?",
);

/** Puts a pause in the place of the one of the same capability and site. */
export const putPause = replacing(healthPause);

/** What became of it: `changed` where it was paused already, with another end. */
type Paused = "paused" | "changed" | "same";

/**
 * Pauses a capability of one site, of every site (asset ''), or all of one site (capability ''), until a moment or until it is resumed,
 * with an audit row. Whoever calls has made sure that there is such a capability and such a site, and that `until` lies ahead.
 */
export function pause(
  tx: Tx,
  { capability, asset, until }: PauseKey & { readonly until: number | null },
  { actor, now }: By,
): Paused {
  if (capability === "" && asset === "") throw new RangeError("a pause names a capability, a site, or both");
  const known = ofKey(tx).first(capability, asset);
  const before = known !== undefined && isInForce(known, now) ? known : undefined;
  if (before !== undefined && before.until === until) return "same";
  // Since when it is paused stays, when only its end is another.
  putPause(tx, { capability, asset, pausedAt: before?.pausedAt ?? now, pausedBy: actor, until });
  appendAudit(tx, {
    at: now,
    actor,
    act: "health.pause",
    target: asset,
    detail: { ...capabilityIn(capability), ...(until === null ? {} : { until: formatInstant(until) }) },
  });
  return before === undefined ? "paused" : "changed";
}

/** Ends a pause, with an audit row; undefined where nothing is paused by it, or its time is over. */
export function resume(tx: Tx, key: PauseKey, { actor, now }: By): Pause | undefined {
  const known = ofKey(tx).first(key.capability, key.asset);
  if (known === undefined || !isInForce(known, now)) return undefined;
  drop(tx).run(key.capability, key.asset);
  appendAudit(tx, {
    at: now,
    actor,
    act: "health.resume",
    target: key.asset,
    detail: capabilityIn(key.capability),
  });
  return known;
}

/** Ends every pause of a site that is retired or taken out of the portfolio. */
export function endPauses(tx: Tx, asset: string, by: By): void {
  for (const known of ofAsset(tx).all(asset)) {
    if (resume(tx, known, by) === undefined) drop(tx).run(known.capability, asset);
  }
}

/** All of a site, where no capability is named. */
const capabilityIn = (capability: string) => (capability === "" ? {} : { capability });

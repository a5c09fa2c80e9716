/** Queries on entries that were struck as mistakes. */
import { type Db, statement, type Tx } from "../db/mod.ts";

/** That an entry is struck: since when, by whom and why. */
export interface Strike {
  /** Milliseconds since the epoch. */
  readonly at: number;
  /** An operator's name, or what struck it. */
  readonly by: string;
  readonly reason: string | null;
}

/** What happened to an annotation: it was struck, or that was taken back. */
export interface StrikeRow extends Strike {
  readonly annotation: string;
  readonly struck: 0 | 1;
}

const insert = statement<never, [string, number, string | null, number, string]>(
  "INSERT INTO annotation_strike (annotation, struck, reason, at, by) VALUES (?, ?, ?, ?, ?)",
);

/** Appends that an annotation was struck, or that it was taken back. */
export function insertStrike(tx: Tx, row: StrikeRow): void {
  const { annotation, struck, reason, at, by } = row;
  insert(tx).run(annotation, struck, reason, at, by);
}

/** Says of an annotation's row, in SQL, that it is not struck: of what happened to it the last counts. */
export const STANDS =
  "(SELECT struck FROM annotation_strike WHERE annotation_strike.annotation = annotation.id ORDER BY annotation_strike.id DESC LIMIT 1) IS NOT 1";

const ofThese = statement<StrikeRow, [string]>(
  `SELECT annotation, struck, reason, at, by FROM annotation_strike WHERE struck = 1 AND id IN (
     SELECT max(id) FROM annotation_strike WHERE annotation IN (SELECT value FROM json_each(?)) GROUP BY annotation)`,
);

/** Which of these annotations are struck. */
export function strikesOf(db: Db, ids: readonly string[]): Map<string, Strike> {
  return new Map(
    ofThese(db)
      .all(JSON.stringify(ids))
      .map(({ annotation, at, by, reason }) => [annotation, { at, by, reason }]),
  );
}

/** A struck annotation within a span of time. */
interface StruckMoment {
  readonly kind: string;
  /** Milliseconds since the epoch. */
  readonly at: number;
}

const WITHIN = `SELECT a.kind, a.at_ms AS at FROM annotation_strike s JOIN annotation a ON a.id = s.annotation
   WHERE s.struck = 1 AND s.id IN (SELECT max(id) FROM annotation_strike GROUP BY annotation)
     AND a.at_ms >= ? AND a.at_ms < ?`;

const struckOfAll = statement<StruckMoment, [number, number]>(WITHIN);
const struckOfAsset = statement<StruckMoment, [number, number, string]>(`${WITHIN} AND a.asset = ?`);

/** The struck ones of one timeline or of all. Entries are struck one by one, by hand: they are few beside the annotations. */
export function struckBetween(db: Db, asset: string | undefined, from: number, to: number): StruckMoment[] {
  return asset === undefined ? struckOfAll(db).all(from, to) : struckOfAsset(db).all(from, to, asset);
}

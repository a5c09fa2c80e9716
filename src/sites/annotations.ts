/** Queries on entries that were struck as mistakes. */

import { and, desc, eq, gt, gte, lt, type SQL, sql } from "drizzle-orm";
import { check, index, integer, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import { type Db, prepared, statement, type Tx } from "../store/store.ts";
import { ANNOTATION_KINDS, type AnnotationKind, EVERY_SITE, readMoment } from "./annotation_schema.ts";

/** Says of an annotation's row, in SQL, that it tells a change of consent mode: queries spell it as their index does. */

export const IS_CONSENT_STEP = "kind = 'config' AND substr(ref, 1, 12) = 'consent-mode'";

/**
 * Points on the timeline. Append-only. Identity is (asset, instant, kind, ref): `instant` is `at` in UTC with nine digits of a
 * second, so that two spellings of one moment are the same.
 */
export const annotation = sqliteTable(
  "annotation",
  {
    id: text("id").primaryKey(),
    asset: text("asset").notNull(),
    instant: text("instant").notNull(),
    at: text("at").notNull(),
    at_ms: integer("at_ms").notNull(),
    kind: text("kind", {
      enum: ["deploy", "model-change", "config", "incident", "autonomy-change", "external"],
    }).notNull(),
    ref: text("ref").notNull(),
    note: text("note"),
    received_at: integer("received_at").notNull(),
    posted_by: text("posted_by").notNull(),
  },
  (t) => [
    uniqueIndex("annotation_identity").on(t.asset, t.instant, t.kind, t.ref),
    index("annotation_by_time").on(t.at_ms, t.id),
    index("annotation_by_asset").on(t.asset, t.at_ms, t.id),
    index("annotation_by_kind").on(t.kind, t.at_ms),
    // Asked for with every judging of a site's figures, and nearly always empty.
    index("annotation_consent_step").on(t.asset, t.at_ms).where(sql.raw(IS_CONSENT_STEP)),
    check(
      "annotation_kind",
      sql`${t.kind} IN ('deploy', 'model-change', 'config', 'incident', 'autonomy-change', 'external')`,
    ),
  ],
);

/**
 * Entries that were struck as mistakes, and those taken back: of an annotation's rows the last one holds. The annotation itself
 * stays as it is. Append-only.
 */
export const annotationStrike = sqliteTable(
  "annotation_strike",
  {
    id: integer("id").primaryKey(),
    annotation: text("annotation")
      .notNull()
      .references(() => annotation.id),
    /** 1 where it was struck, 0 where that was taken back. */
    struck: integer("struck").notNull(),
    reason: text("reason"),
    at: integer("at").notNull(),
    by: text("by").notNull(),
  },
  (t) => [
    index("annotation_strike_annotation").on(t.annotation, t.id),
    check("annotation_strike_struck", sql`${t.struck} IN (0, 1)`),
  ],
);

/** That an entry is struck: since when, by whom and why. */
interface Strike {
  /** Milliseconds since the epoch. */
  readonly at: number;
  /** An operator's name, or what struck it. */
  readonly by: string;
  readonly reason: string | null;
}

/** What happened to an annotation: it was struck, or that was taken back. */
interface StrikeRow extends Strike {
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
const STANDS =
  "(SELECT struck FROM annotation_strike WHERE annotation_strike.annotation = annotation.id ORDER BY annotation_strike.id DESC LIMIT 1) IS NOT 1";

const ofThese = statement<StrikeRow, [string]>(
  `SELECT annotation, struck, reason, at, by FROM annotation_strike WHERE struck = 1 AND id IN (
     SELECT max(id) FROM annotation_strike WHERE annotation IN (SELECT value FROM json_each(?)) GROUP BY annotation)`,
);

/** Which of these annotations are struck. */
function strikesOf(db: Db, ids: readonly string[]): Map<string, Strike> {
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
function struckBetween(db: Db, asset: string | undefined, from: number, to: number): StruckMoment[] {
  return asset === undefined ? struckOfAll(db).all(from, to) : struckOfAsset(db).all(from, to, asset);
}

const p = sql.placeholder;

/** A stored annotation. */
export interface StoredAnnotation {
  readonly id: string;
  /** A site, in the portfolio or not, or `*` for every site. */
  readonly asset: string;
  /** `at` in UTC with nine digits of a second. */
  readonly instant: string;
  /** As it was sent. */
  readonly at: string;
  /** Milliseconds since the epoch. */
  readonly atMs: number;
  readonly kind: AnnotationKind;
  readonly ref: string;
  readonly note: string | null;
  /** Milliseconds since the epoch. */
  readonly receivedAt: number;
  /** Who posted it: an operator's name, or what made it. */
  readonly postedBy: string;
  /** Absent where the entry stands. */
  readonly struck?: Strike;
}

/** An annotation that is stored: nobody can have struck it yet. */
type NewAnnotation = Omit<StoredAnnotation, "struck">;

const storeInsert = prepared((db) =>
  db
    .insert(annotation)
    .values({
      id: p("id"),
      asset: p("asset"),
      instant: p("instant"),
      at: p("at"),
      at_ms: p("at_ms"),
      kind: p("kind"),
      ref: p("ref"),
      note: p("note"),
      received_at: p("received_at"),
      posted_by: p("posted_by"),
    })
    .onConflictDoNothing({ target: [annotation.asset, annotation.instant, annotation.kind, annotation.ref] })
    .prepare(),
);

const byIdentity = prepared((db) =>
  db
    .select()
    .from(annotation)
    .where(
      and(
        eq(annotation.asset, p("asset")),
        eq(annotation.instant, p("instant")),
        eq(annotation.kind, p("kind")),
        eq(annotation.ref, p("ref")),
      ),
    )
    .prepare(),
);

/** Inserts an annotation unless one with its identity is there; returns the stored one, which has another id then. */
export function insertAnnotation(tx: Tx, row: NewAnnotation): StoredAnnotation {
  const { atMs, receivedAt, postedBy, ...same } = row;
  const written = { ...same, at_ms: atMs, received_at: receivedAt, posted_by: postedBy };
  storeInsert(tx).run(written);
  const stored = byIdentity(tx).get({ asset: row.asset, instant: row.instant, kind: row.kind, ref: row.ref });
  if (stored === undefined) throw new Error("an annotation that was inserted cannot be read");
  return stored.id === row.id ? toStored(stored) : withStrike(tx, toStored(stored));
}

/** One annotation, or undefined. */
export function findAnnotation(db: Db, id: string): StoredAnnotation | undefined {
  const row = db.select().from(annotation).where(eq(annotation.id, id)).get();
  return row === undefined ? undefined : withStrike(db, toStored(row));
}

function withStrike(db: Db, row: NewAnnotation): StoredAnnotation {
  const [same = row] = withStrikes(db, [row]);
  return same;
}

/** Says of each whether it is struck. */
function withStrikes(db: Db, rows: readonly NewAnnotation[]): StoredAnnotation[] {
  const strikes = strikesOf(
    db,
    rows.map(({ id }) => id),
  );
  return rows.map((row) => {
    const struck = strikes.get(row.id);
    return struck === undefined ? row : { ...row, struck };
  });
}

/** What a list of annotations may be narrowed to; `from` and `to` are instants, `to` exclusive. */
export interface AnnotationFilter {
  /** A site's own and those of every site; `*` alone means those of every site. */
  readonly asset?: string | undefined;
  readonly kind?: AnnotationKind | undefined;
  readonly ref?: string | undefined;
  readonly postedBy?: string | undefined;
  readonly from?: number | undefined;
  readonly to?: number | undefined;
  /** Only those stored after the one with this id. */
  readonly storedAfter?: string | undefined;
  /** Without those that are struck. */
  readonly standing?: boolean;
}

/** Where a page of annotations goes on: after this one, going back in time. */
interface AnnotationCursor {
  readonly atMs: number;
  readonly instant: string;
  readonly id: string;
}

/** The timelines a filter reads: each has an index of its own, so a site's rows and the global ones are read apart and joined. */
function timelinesOf(filter: AnnotationFilter): readonly (string | undefined)[] {
  if (filter.asset === undefined || filter.asset === EVERY_SITE) return [filter.asset];
  return [filter.asset, EVERY_SITE];
}

function where(
  filter: AnnotationFilter,
  asset: string | undefined,
  after?: AnnotationCursor,
): SQL | undefined {
  return and(
    asset === undefined ? undefined : eq(annotation.asset, asset),
    filter.kind === undefined ? undefined : eq(annotation.kind, filter.kind),
    filter.ref === undefined ? undefined : eq(annotation.ref, filter.ref),
    filter.postedBy === undefined ? undefined : eq(annotation.posted_by, filter.postedBy),
    filter.from === undefined ? undefined : gte(annotation.at_ms, filter.from),
    filter.to === undefined ? undefined : lt(annotation.at_ms, filter.to),
    filter.storedAfter === undefined ? undefined : gt(annotation.id, filter.storedAfter),
    filter.standing === true ? sql.raw(STANDS) : undefined,
    after === undefined
      ? undefined
      : sql`(${annotation.at_ms}, ${annotation.instant}, ${annotation.id}) < (${after.atMs}, ${after.instant}, ${after.id})`,
  );
}

/** Annotations, newest first by `at` to its last digit, then by when they were stored; at most `limit`. */
export function listAnnotations(
  db: Db,
  filter: AnnotationFilter,
  limit: number,
  after?: AnnotationCursor,
): StoredAnnotation[] {
  const rows = timelinesOf(filter)
    .flatMap((asset) =>
      db
        .select()
        .from(annotation)
        .where(where(filter, asset, after))
        .orderBy(desc(annotation.at_ms), desc(annotation.instant), desc(annotation.id))
        .limit(limit)
        .all(),
    )
    .map(toStored)
    .sort(newestFirst)
    .slice(0, limit);
  return withStrikes(db, rows);
}

function newestFirst(one: NewAnnotation, other: NewAnnotation): number {
  if (one.atMs !== other.atMs) return other.atMs - one.atMs;
  if (one.instant !== other.instant) return one.instant < other.instant ? 1 : -1;
  return one.id < other.id ? 1 : -1;
}

/** Annotations of one kind within one span of time. */
export interface AnnotationTally {
  readonly kind: AnnotationKind;
  /** The span's place, the first being 0. */
  readonly span: number;
  readonly count: number;
  /** How many of them are struck. */
  readonly struck: number;
  /** When the first of them was that stands, in milliseconds since the epoch; of any where none does. */
  readonly first: number;
}

const tally = {
  kind: annotation.kind,
  count: sql<number>`count(*)`,
  first: sql<number>`min(${annotation.at_ms})`,
};
const within = and(gte(annotation.at_ms, sql`${p("from")}`), lt(annotation.at_ms, sql`${p("to")}`));

const ofKind = prepared((db) =>
  db
    .select(tally)
    .from(annotation)
    .where(and(eq(annotation.kind, p("kind")), within))
    .groupBy(annotation.kind)
    .prepare(),
);

const ofAsset = prepared((db) =>
  db
    .select(tally)
    .from(annotation)
    .where(and(eq(annotation.asset, p("asset")), within))
    .groupBy(annotation.kind)
    .prepare(),
);

/**
 * Counts annotations by kind and span, spans without any left out. `bounds` are instants in ascending order; each pair of
 * neighbours is a span, its end excluded. Of every site each kind is counted by itself, from the index alone: one group
 * over a long range would read and sort every row of it.
 */
export function tallyAnnotations(
  db: Db,
  asset: string | undefined,
  bounds: readonly number[],
): AnnotationTally[] {
  const timelines = timelinesOf({ asset });
  const [begin = 0, end = 0] = [bounds[0], bounds.at(-1)];
  const struckOnes = timelines.flatMap((timeline) => struckBetween(db, timeline, begin, end));
  const tallies: AnnotationTally[] = [];
  for (const [span, from] of bounds.slice(0, -1).entries()) {
    const to = bounds[span + 1] ?? from;
    const rows =
      asset === undefined
        ? ANNOTATION_KINDS.flatMap((kind) => ofKind(db).all({ kind, from, to }))
        : timelines.flatMap((timeline) => ofAsset(db).all({ asset: timeline, from, to }));
    for (const kind of ANNOTATION_KINDS) {
      const own = rows.filter((row) => row.kind === kind);
      if (own.length === 0) continue;
      const count = own.reduce((sum, row) => sum + row.count, 0);
      const struck = struckOnes.filter((one) => one.kind === kind && one.at >= from && one.at < to).length;
      const standing = struck === 0 ? undefined : findFirst(db, { asset, kind, from, to, standing: true });
      const first = standing ?? Math.min(...own.map((row) => row.first));
      tallies.push({ kind, span, count, struck, first });
    }
  }
  return tallies;
}

/** When the first annotation of a timeline was, in milliseconds since the epoch; undefined when there is none. */
export function findFirst(db: Db, filter: AnnotationFilter): number | undefined {
  const firsts = timelinesOf(filter).flatMap((asset) => {
    const row = db
      .select({ at: annotation.at_ms })
      .from(annotation)
      .where(where(filter, asset))
      .orderBy(annotation.at_ms)
      .limit(1)
      .get();
    return row === undefined ? [] : [row.at];
  });
  return firsts.length === 0 ? undefined : Math.min(...firsts);
}

/** The id of the annotation that was stored last; undefined when there is none. Ids sort by when they were made. */
export function findLastStored(db: Db): string | undefined {
  return db.select({ id: annotation.id }).from(annotation).orderBy(desc(annotation.id)).limit(1).get()?.id;
}

/** Annotations whose moment is not that of their `at`. */
export function momentFaults(db: Db): string[] {
  return db
    .select({ id: annotation.id, at: annotation.at, instant: annotation.instant, ms: annotation.at_ms })
    .from(annotation)
    .all()
    .filter(({ at, instant, ms }) => {
      const moment = readMoment(at);
      return moment?.instant !== instant || moment.ms !== ms;
    })
    .map(({ id, at }) => `annotation ${id} is filed under another moment than ${at}`);
}

function toStored(row: typeof annotation.$inferSelect): NewAnnotation {
  return {
    id: row.id,
    asset: row.asset,
    instant: row.instant,
    at: row.at,
    atMs: row.at_ms,
    kind: row.kind,
    ref: row.ref,
    note: row.note,
    receivedAt: row.received_at,
    postedBy: row.posted_by,
  };
}

/**
 * A site's annotations and those of every site from `fromMs` to before `toMs` (milliseconds since the epoch), newest first, at
 * most `limit`: the marks of a chart, and what lies near a flag in time, which is no cause. What was struck is a mistake and left out.
 */

export function listBetween(
  db: Db,
  asset: string,
  fromMs: number,
  toMs: number,
  limit: number,
): StoredAnnotation[] {
  return listAnnotations(db, { asset, from: fromMs, to: toMs, standing: true }, limit);
}

/** Steps: entries that say from when on a site's figures are counted otherwise. */

const stepsOf = statement<{ at: number }, [string, number]>(
  `SELECT at_ms AS at FROM annotation WHERE asset = ? AND at_ms >= ? AND ${IS_CONSENT_STEP} AND ${STANDS}`,
);

/** When consent mode changed on a site, or on every site, since an instant, oldest first; struck entries do not count. */
export function listConsentSteps(db: Db, asset: string, since: number): number[] {
  return [asset, EVERY_SITE]
    .flatMap((timeline) => stepsOf(db).all(timeline, since))
    .map(({ at }) => at)
    .sort((one, other) => one - other);
}

/** How far entries, and what was struck of them, had come. */
export interface StepMark {
  readonly annotation: number;
  readonly strike: number;
}

/** A step that was told, struck, or stands again. */
interface StepChange {
  /** A site, or `*` for every site. */
  readonly asset: string;
  /** When that was, in milliseconds since the epoch. */
  readonly changedAt: number;
}

const markOf = statement<StepMark, []>(
  `SELECT coalesce((SELECT max(rowid) FROM annotation), 0) AS annotation,
     coalesce((SELECT max(id) FROM annotation_strike), 0) AS strike`,
);

// All steps there are, from their own index: they are few, however many entries there are.
const STEPS = "annotation INDEXED BY annotation_consent_step";

const told = statement<StepChange, [number, number]>(
  `SELECT asset, received_at AS changedAt FROM ${STEPS} WHERE rowid > ? AND at_ms >= ? AND ${IS_CONSENT_STEP}`,
);

const struck = statement<StepChange, [number, number]>(
  `SELECT annotation.asset, annotation_strike.at AS changedAt
   FROM ${STEPS} CROSS JOIN annotation_strike ON annotation_strike.annotation = annotation.id
   WHERE annotation_strike.id > ? AND annotation.at_ms >= ? AND ${IS_CONSENT_STEP}`,
);

/** How far they have come. */
export function findStepMark(db: Db): StepMark {
  return markOf(db).first() ?? { annotation: 0, strike: 0 };
}

/** What changed of the steps from an instant on, after a mark. */
export function listStepChanges(db: Db, after: StepMark, since: number): StepChange[] {
  return [...told(db).all(after.annotation, since), ...struck(db).all(after.strike, since)];
}

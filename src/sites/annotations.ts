/** Annotations: deploys and other changes on a site's timeline or on every site's. Stored once, never changed; a mistake is retracted. */

import { and, desc, eq, gt, gte, lt, sql } from "drizzle-orm";
import { check, index, integer, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import * as v from "valibot";
import { auditAct } from "../access/audit.ts";
import {
  ASSET_ID_PATTERN,
  fields,
  hasControl,
  isAssetId,
  NO_CONTROL,
  rule,
  ruleMessage,
  text as textOfContract,
} from "../base/contract.ts";
import { formatInstant, parseInstant, Timestamp } from "../base/time.ts";
import type { Core } from "../store/core.ts";
import { type Db, statement, type Tx } from "../store/store.ts";

// What an annotation may hold (spec, Annotation; decisions, Names and lengths), and its moment to the last digit.

const FRACTION = /\.(\d+)/;

/** Reads an ISO 8601 timestamp to the last digit; `undefined` when it is none. */
export function readMoment(text: string) {
  const seconds = parseInstant(text.replace(FRACTION, ""));
  if (seconds === undefined || parseInstant(text) === undefined) return undefined;
  const digits = (FRACTION.exec(text)?.[1] ?? "").padEnd(9, "0");
  const whole = formatInstant(seconds).replace(/\.\d{3}Z$/, "");
  return {
    /** The moment in UTC with nine digits of a second: which distinguishes two moments, whatever their offset or spelling. */
    instant: `${whole}.${digits}Z`,
    /** Milliseconds since the epoch; finer digits are cut off, never rounded up, so that a day or a second is not left. */
    ms: seconds + Number(digits.slice(0, 3)),
  };
}

/** Largest body of an annotation, in bytes. */
export const MAX_ANNOTATION_BYTES = 16 * 1024;

/** The kinds of annotation (spec, Annotation). */
export const ANNOTATION_KINDS = [
  "deploy",
  "model-change",
  "config",
  "incident",
  "autonomy-change",
  "external",
] as const;

export type AnnotationKind = (typeof ANNOTATION_KINDS)[number];

/** The asset of an annotation on every site's timeline. */
export const EVERY_SITE = "*";

/** Longest reference and note, in code points. */
export const MAX_REF = 512;
export const MAX_NOTE = 2_000;

/** A site or every site, for the API's description. */
export const TARGET = { type: "string", pattern: `^\\*$|${ASSET_ID_PATTERN}` } as const;

/** Whether a text may be an annotation's asset. */
export function isTarget(asset: string): boolean {
  return asset === EVERY_SITE || isAssetId(asset);
}

/** The contract. `now` is asked while judging: `at` may be this very millisecond, and nothing later. */
export function annotationSchema(now: () => number) {
  return fields({
    asset: v.pipe(
      v.string(ruleMessage("type", "must be a string")),
      rule<string>(
        "asset-id",
        isTarget,
        "must be * for every site, or a site identifier: a letter or digit, then at most 127 letters, digits, dots, underscores and hyphens",
      ),
      v.metadata({
        ...TARGET,
        description:
          "A site, or * for every site. One of a site outside the portfolio joins the site when it is added.",
      }),
    ),
    at: v.pipe(
      Timestamp,
      rule<string>(
        "not-in-future",
        (at) => (readMoment(at)?.ms ?? 0) <= now(),
        "must not be ahead of the service's clock",
      ),
      v.description("When it happened; not ahead of the service's clock."),
    ),
    kind: v.picklist(ANNOTATION_KINDS, ruleMessage("enum", `must be one of ${ANNOTATION_KINDS.join(", ")}`)),
    ref: v.pipe(
      textOfContract(MAX_REF),
      rule<string>("min-length", (ref) => ref !== "", "must not be empty"),
      rule<string>("control-character", (ref) => !hasControl(ref), "must not hold a control character"),
      v.metadata({ minLength: 1, ...NO_CONTROL, description: "What it was, such as a version or a commit." }),
    ),
    note: v.exactOptional(v.nullable(textOfContract(MAX_NOTE))),
  });
}

/** Why an annotation is retracted: a text, or undefined where no reason is given. */
export function retractSchema() {
  return fields({ reason: v.exactOptional(textOfContract(MAX_NOTE)) });
}

/** An annotation as it is sent. A note of null is one that is absent: what was answered can be sent again. */
export type Annotation = v.InferOutput<ReturnType<typeof annotationSchema>>;

/** Says of an annotation's row, in SQL, that it is a change of consent mode: queries spell it as their index does. */

const IS_CONSENT_STEP = "kind = 'config' AND substr(ref, 1, 12) = 'consent-mode'";

/**
 * Points on the timeline. Append-only. Identity is (asset, instant, kind, ref): `instant` is `at` in UTC with nine digits of a
 * second, so that two spellings of one moment are the same.
 */
export const annotation = sqliteTable(
  "annotation",
  {
    id: text("id").primaryKey(),
    /** A site, in the portfolio or not, or `*` for every site. */
    asset: text("asset").notNull(),
    instant: text("instant").notNull(),
    /** As it was sent. */
    at: text("at").notNull(),
    /** Milliseconds since the epoch. */
    atMs: integer("at_ms").notNull(),
    kind: text("kind", { enum: ANNOTATION_KINDS }).notNull(),
    ref: text("ref").notNull(),
    note: text("note"),
    receivedAt: integer("received_at").notNull(),
    /** An operator's name, or what made it. */
    postedBy: text("posted_by").notNull(),
  },
  (t) => [
    uniqueIndex("annotation_identity").on(t.asset, t.instant, t.kind, t.ref),
    index("annotation_by_time").on(t.atMs, t.id),
    index("annotation_by_asset").on(t.asset, t.atMs, t.id),
    index("annotation_by_kind").on(t.kind, t.atMs),
    // Asked for with every judging of a site's figures, and nearly always empty.
    index("annotation_consent_step").on(t.asset, t.atMs).where(sql.raw(IS_CONSENT_STEP)),
    check(
      "annotation_kind",
      sql`${t.kind} IN ('deploy', 'model-change', 'config', 'incident', 'autonomy-change', 'external')`,
    ),
  ],
);

/**
 * Annotations retracted as mistakes, and those restored: of an annotation's rows the last one counts. The annotation itself stays as it
 * is. Append-only.
 */
export const annotationStrike = sqliteTable(
  "annotation_strike",
  {
    id: integer("id").primaryKey(),
    annotation: text("annotation")
      .notNull()
      .references(() => annotation.id),
    /** 1 where it was retracted, 0 where it was restored. */
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

/** That an annotation is retracted: since when (milliseconds since the epoch), by whom (an operator's name, or what did it) and why. */
type Retraction = Pick<typeof annotationStrike.$inferSelect, "at" | "by" | "reason">;

/** A stored annotation; `struck` is absent where it counts. */
export type StoredAnnotation = Readonly<typeof annotation.$inferSelect> & { readonly struck?: Retraction };

/** Says of an annotation's row, in SQL, that it is not retracted: of what happened to it the last counts. */
const COUNTS =
  "(SELECT struck FROM annotation_strike WHERE annotation_strike.annotation = annotation.id ORDER BY annotation_strike.id DESC LIMIT 1) IS NOT 1";

const retractionsOf = statement<Retraction & { readonly annotation: string }, [string]>(
  `SELECT annotation, at, by, reason FROM annotation_strike WHERE struck = 1 AND id IN (
     SELECT max(id) FROM annotation_strike WHERE annotation IN (SELECT value FROM json_each(?)) GROUP BY annotation)`,
);

/** Says of each whether it is retracted. */
function withRetractions(db: Db, rows: readonly StoredAnnotation[]): StoredAnnotation[] {
  const found = retractionsOf(db).all(JSON.stringify(rows.map(({ id }) => id)));
  const struck = new Map(found.map(({ annotation: id, ...retraction }) => [id, retraction]));
  return rows.map((row) => {
    const retraction = struck.get(row.id);
    return retraction === undefined ? row : { ...row, struck: retraction };
  });
}

/** One annotation, or undefined. */
function findAnnotation(db: Db, id: string): StoredAnnotation | undefined {
  return withRetractions(db, db.select().from(annotation).where(eq(annotation.id, id)).all())[0];
}

/** What a list of annotations may be narrowed to; `from` and `to` are instants, `to` exclusive. */
interface AnnotationFilter {
  /** A site's own and those of every site; `*` alone means those of every site. */
  readonly asset?: string | undefined;
  readonly kind?: AnnotationKind | undefined;
  readonly ref?: string | undefined;
  readonly postedBy?: string | undefined;
  readonly from?: number | undefined;
  readonly to?: number | undefined;
  /** Only those received after this instant. */
  readonly receivedAfter?: number | undefined;
  /** Without retracted ones. */
  readonly standing?: boolean;
  /** Words that all stand in its site, reference, note or poster. */
  readonly q?: string | undefined;
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

const SAID = sql`${annotation.asset} || ' ' || ${annotation.ref} || ' ' || coalesce(${annotation.note}, '') || ' ' || ${annotation.postedBy}`;

function where(filter: AnnotationFilter, asset: string | undefined, after?: AnnotationCursor) {
  return and(
    asset === undefined ? undefined : eq(annotation.asset, asset),
    filter.kind === undefined ? undefined : eq(annotation.kind, filter.kind),
    filter.ref === undefined ? undefined : eq(annotation.ref, filter.ref),
    filter.postedBy === undefined ? undefined : eq(annotation.postedBy, filter.postedBy),
    filter.from === undefined ? undefined : gte(annotation.atMs, filter.from),
    filter.to === undefined ? undefined : lt(annotation.atMs, filter.to),
    filter.receivedAfter === undefined ? undefined : gt(annotation.receivedAt, filter.receivedAfter),
    filter.standing === true ? sql.raw(COUNTS) : undefined,
    ...(filter.q ?? "")
      .toLowerCase()
      .split(/\s+/)
      .filter((word) => word !== "")
      .map((word) => sql`instr(lower(${SAID}), ${word}) > 0`),
    after === undefined
      ? undefined
      : sql`(${annotation.atMs}, ${annotation.instant}, ${annotation.id}) < (${after.atMs}, ${after.instant}, ${after.id})`,
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
        .orderBy(desc(annotation.atMs), desc(annotation.instant), desc(annotation.id))
        .limit(limit)
        .all(),
    )
    .sort(newestFirst)
    .slice(0, limit);
  return withRetractions(db, rows);
}

function newestFirst(one: StoredAnnotation, other: StoredAnnotation): number {
  if (one.atMs !== other.atMs) return other.atMs - one.atMs;
  if (one.instant !== other.instant) return one.instant < other.instant ? 1 : -1;
  return one.id < other.id ? 1 : -1;
}

/**
 * A site's annotations and those of every site from `fromMs` to before `toMs` (milliseconds since the epoch), newest first, at
 * most `limit`: the marks of a chart, and what lies near a flag in time, which is no cause. Retracted ones are left out.
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

// Consent steps: annotations that say from when on a site's figures are counted otherwise.
const stepsOf = statement<{ at: number }, [string, number]>(
  `SELECT at_ms AS at FROM annotation WHERE asset = ? AND at_ms >= ? AND ${IS_CONSENT_STEP} AND ${COUNTS}`,
);

/** When consent mode changed on a site, or on every site, since an instant, oldest first; retracted ones do not count. */
export function listConsentSteps(db: Db, asset: string, since: number): number[] {
  return [asset, EVERY_SITE]
    .flatMap((timeline) => stepsOf(db).all(timeline, since))
    .map(({ at }) => at)
    .sort((one, other) => one - other);
}

/** The last annotation and the last retraction that a reader has seen. */
export interface StepMark {
  readonly annotation: number;
  readonly strike: number;
}

/** A step that was stored, retracted or restored. */
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

const stored = statement<StepChange, [number, number]>(
  `SELECT asset, received_at AS changedAt FROM ${STEPS} WHERE rowid > ? AND at_ms >= ? AND ${IS_CONSENT_STEP}`,
);

const retracted = statement<StepChange, [number, number]>(
  `SELECT annotation.asset, annotation_strike.at AS changedAt
   FROM ${STEPS} CROSS JOIN annotation_strike ON annotation_strike.annotation = annotation.id
   WHERE annotation_strike.id > ? AND annotation.at_ms >= ? AND ${IS_CONSENT_STEP}`,
);

/** The last of both. */
export function findStepMark(db: Db): StepMark {
  return markOf(db).first() ?? { annotation: 0, strike: 0 };
}

/** What changed of the steps from an instant on, after a mark. */
export function listStepChanges(db: Db, after: StepMark, since: number): StepChange[] {
  return [...stored(db).all(after.annotation, since), ...retracted(db).all(after.strike, since)];
}

// Posting an annotation, retracting one that was a mistake, and restoring it.

/**
 * Stores an annotation that passed the contract, once for each (asset, instant, kind, ref). Two posts in one group commit see each other,
 * since the unique index decides. `monitored` records the post in the same transaction, and says whether it could.
 */
export function postAnnotation(
  deps: Core,
  annotation: Annotation,
  name: string,
  monitored: (tx: Tx, now: number) => boolean = () => true,
) {
  return deps.writer.write((tx) => {
    const now = deps.clock.now();
    const posted = appendAnnotation(tx, annotation, { name, now, newId: deps.ids.uuid });
    return { ...posted, isMonitored: monitored(tx, now) };
  });
}

/**
 * The same inside a caller's transaction: the row as first stored, and whether this post `created` it. `name` is an operator's or that of
 * what makes the annotation, `now` not before its `at`. The id is made here, so that ids sort in the order of storing.
 */
export function appendAnnotation(
  tx: Tx,
  { asset, at, kind, ref, note = null }: Annotation,
  by: { readonly name: string; readonly now: number; readonly newId: () => string },
): { readonly stored: StoredAnnotation; readonly created: boolean } {
  const moment = readMoment(at);
  if (moment === undefined) throw new TypeError("an annotation without a readable at passed the contract");
  const id = by.newId();
  const { instant, ms: atMs } = moment;
  tx.insert(annotation)
    .values({ id, asset, instant, at, atMs, kind, ref, note, receivedAt: by.now, postedBy: by.name })
    .onConflictDoNothing({ target: [annotation.asset, annotation.instant, annotation.kind, annotation.ref] })
    .run();
  const isSameEvent = and(eq(annotation.kind, kind), eq(annotation.ref, ref));
  const isSame = and(eq(annotation.asset, asset), eq(annotation.instant, instant), isSameEvent);
  const found = tx.select().from(annotation).where(isSame).all();
  const [stored] = withRetractions(tx, found);
  if (stored === undefined) throw new Error("an annotation that was inserted cannot be read");
  return { stored, created: stored.id === id };
}

/** Who retracts, by name and as the audit calls them, and when (milliseconds since the epoch). */
interface RetractedBy {
  readonly name: string;
  readonly actor: string;
  readonly now: number;
}

/** `same` where it is as asked already: nothing is written then. */
export type RetractResult = "done" | "same" | "missing";

/** Retracts an annotation that was a mistake, or lets it count again: a retracted one stays and is marked, no chart shows it and no rule reads it. */
export function putRetraction(
  tx: Tx,
  id: string,
  { struck, reason }: { readonly struck: 0 | 1; readonly reason: string | null },
  { name, actor, now: at }: RetractedBy,
): RetractResult {
  const known = findAnnotation(tx, id);
  if (known === undefined) return "missing";
  if ((known.struck !== undefined) === (struck === 1)) return "same";
  tx.insert(annotationStrike).values({ annotation: id, struck, reason, at, by: name }).run();
  const act = struck === 1 ? "annotation.strike" : "annotation.unstrike";
  // The reason is anybody's words and stays with the annotation.
  auditAct(tx, { actor, now: at }, act, known.asset, { id, kind: known.kind, at: known.at });
  return "done";
}

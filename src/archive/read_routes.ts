/** `GET /api/archive/manifest`: its rows by filter, the newest attempt first. */

import { Elysia } from "elysia";
import { listEndpoint, type ReadDeps } from "../access/access.ts";
import { assetId, count, date, instant, list, object, orNull, ref, text } from "../base/api_description.ts";
import { anyText, DAYS, ListQuery, ofSite, oneOf, pageAnswer, textThat } from "../base/query.ts";
import { dayNumber } from "../base/time.ts";
import { PROVIDERS } from "../providers/adapter.ts";
import { FAILURE_CATEGORIES, type FailureCategory } from "../providers/faults.ts";
import { REPORT_FAMILIES } from "../providers/report_families.ts";
import { findRun } from "../store/job_runs.ts";
import { isObjectName } from "../store/objects.ts";
import { type Stretch, searchRows } from "../store/rows.ts";
import { type Db, statement } from "../store/store.ts";
import {
  attemptsOfObject,
  JOINED,
  type JoinedRow,
  manifestRow,
  OF_RUN,
  reportsNumbered,
} from "./manifest.ts";
import { manifestJson } from "./manifest_copy.ts";
import { ARCHIVE_NOTES, ARCHIVE_OUTCOMES, type ArchiveOutcome, type ManifestRow } from "./manifest_row.ts";
import { listTargets, type WantedTargets } from "./plan.ts";

// The manifest as a list, the newest attempt first: a piece at a time, so that looking for few among very many never
// holds the event loop, and only so far in one go.

// The largest of very many numbers, in memory that does not grow with them.

class NewestIds {
  readonly #most: number;
  #kept: number[] = [];
  #isAll = true;

  constructor(most: number) {
    this.#most = most;
  }

  add(id: number): void {
    this.#kept.push(id);
    if (this.#kept.length >= 2 * this.#most) this.#cut();
  }

  /** Whether none was left out. */
  get isAll(): boolean {
    return this.#isAll;
  }

  /** The largest first. */
  all(): readonly number[] {
    this.#cut();
    return this.#kept;
  }

  #cut(): void {
    this.#kept.sort((one, other) => other - one);
    if (this.#kept.length <= this.#most) return;
    this.#kept.length = this.#most;
    this.#isAll = false;
  }
}

/** What the manifest is narrowed to; what is undefined narrows nothing. */
export interface ManifestQuery extends WantedTargets {
  readonly outcome?: ArchiveOutcome | undefined;
  readonly category?: FailureCategory | undefined;
  /** A run's row. */
  readonly run?: number | undefined;
  /** The SHA-256 of an object, in hexadecimal. */
  readonly object?: string | undefined;
  /** Dates of reports as day numbers, both included. */
  readonly from?: number | undefined;
  readonly to?: number | undefined;
  /** Only rows with lesser numbers. */
  readonly before?: number | undefined;
  readonly limit: number;
}

/** Rows looked at at once. */
const SLICE = 256;
/** Up to so many targets are looked up by each; beyond, it costs less to look at every row. */
const FEW_TARGETS = 256;
/** Numbers of rows that are held of them at once: putting very many in order would hold everybody up. */
const MOST_IDS = 8_192;
/** Of up to so many dates the targets that were tried are known by an index: their attempts may lie anywhere in the manifest. */
const FEW_DATES = 4;

export type ManifestStretch = Stretch<ManifestRow>;

/** The newest attempts that the query takes. */
export function listManifest(
  db: Db,
  { limit, before, ...query }: ManifestQuery,
): ManifestStretch | Promise<ManifestStretch> {
  const targets = targetsOf(db, query);
  const isWanted = (row: JoinedRow) => takes(query, row) && targets?.has(row.target) !== false;
  return searchRows(piecesOf(db, query, targets, isWanted), { limit, before }, (row) => manifestRow(db, row));
}

/** What of the manifest is looked for, wherever a page begins. */
type Wanted = Omit<ManifestQuery, "before" | "limit">;
type IsWanted = (row: JoinedRow) => boolean;
type PiecesBefore = (before: number) => Generator<Stretch<JoinedRow>>;

function takes({ outcome, category, from, to, run }: Wanted, row: JoinedRow): boolean {
  return (
    (outcome === undefined || ARCHIVE_OUTCOMES[row.outcome] === outcome) &&
    (category === undefined || FAILURE_CATEGORIES[row.category ?? -1] === category) &&
    (run === undefined || row.run === run) &&
    (from === undefined || row.date >= from) &&
    (to === undefined || row.date <= to)
  );
}

function targetsOf(db: Db, { asset, provider, family }: Wanted): ReadonlySet<number> | undefined {
  if (asset === undefined && provider === undefined && family === undefined) return undefined;
  return new Set(listTargets(db, { asset, provider, family }).map(({ id }) => id));
}

/** The way that leads over the fewest rows. */
function piecesOf(
  db: Db,
  query: Wanted,
  targets: ReadonlySet<number> | undefined,
  isWanted: IsWanted,
): PiecesBefore {
  const { object, run } = query;
  if (object !== undefined) return inTurn((last) => attemptsOfObject(db, object, last, SLICE), isWanted);
  if (run !== undefined) return inTurn((last) => ofRun(db).all(run, last, SLICE), isWanted);
  if (targets !== undefined && targets.size <= FEW_TARGETS) return ofFew(db, query, [...targets], isWanted);
  const tried = triedOnDates(db, query)?.filter((target) => targets?.has(target) !== false);
  return tried === undefined
    ? inTurn((last) => newest(db).all(last, SLICE), isWanted)
    : ofFew(db, query, tried, isWanted);
}

const triedOn = statement<{ target: number }, [number, number]>(
  "SELECT DISTINCT target FROM archive_day WHERE date BETWEEN ? AND ?",
);

/** Targets that were tried on the dates asked for; undefined where these are many. */
function triedOnDates(db: Db, { from, to }: Wanted): readonly number[] | undefined {
  if (from === undefined || to === undefined || to - from >= FEW_DATES) return undefined;
  return triedOn(db)
    .all(from, to)
    .map(({ target }) => target);
}

const newest = statement<JoinedRow, [number, number]>(`${JOINED} WHERE r.id < ? ORDER BY r.id DESC LIMIT ?`);
const ofRun = statement<JoinedRow, [number, number, number]>(
  `${JOINED} WHERE ${OF_RUN} AND r.id < ? ORDER BY r.id DESC LIMIT ?`,
);
const idsOf = statement<{ id: number }, [number, number, number, number]>(
  "SELECT id FROM archive_report WHERE target = ? AND date BETWEEN ? AND ? AND id < ?",
);

const inTurn = (read: (before: number) => JoinedRow[], isWanted: IsWanted): PiecesBefore =>
  function* (before) {
    for (let last: number | undefined = before; last !== undefined; ) {
      const rows: JoinedRow[] = read(last);
      last = rows.length < SLICE ? undefined : rows.at(-1)?.id;
      yield { rows: rows.filter(isWanted), next: last };
    }
  };

/** The rows of few targets: their numbers are gathered from an index, target by target, and of very many the newest, again and again. */
const ofFew = (
  db: Db,
  { from = Number.MIN_SAFE_INTEGER, to = Number.MAX_SAFE_INTEGER }: Wanted,
  targets: readonly number[],
  isWanted: IsWanted,
): PiecesBefore =>
  function* (before) {
    for (let last = before; ; ) {
      const newest = new NewestIds(MOST_IDS);
      for (const target of targets) {
        for (const { id } of idsOf(db).all(target, from, to, last)) newest.add(id);
        yield { rows: [], next: last };
      }
      const ids = newest.all();
      for (let at = SLICE; at - SLICE < ids.length; at += SLICE) {
        const some = ids.slice(at - SLICE, at);
        const next = at < ids.length || !newest.isAll ? some.at(-1) : undefined;
        yield { rows: reportsNumbered(db).all(JSON.stringify(some)).filter(isWanted), next };
      }
      if (newest.isAll) return;
      last = ids.at(-1) ?? 0;
    }
  };

const OBJECT_NAME = { ...text, pattern: "^[0-9a-f]{64}$" };
const FAMILY_NAMES = REPORT_FAMILIES.map(({ name }) => name);

const ARCHIVED_REPORT = object({
  id: { ...count, description: "Later attempts have greater ones." },
  run: { ...text, description: "The run of the job, as `job run` prints it." },
  asset: assetId,
  provider: { type: "string", enum: PROVIDERS },
  connection_revision: { ...text, description: "Opaque: another one with every new secret of a credential." },
  family: { ...text, description: "The report's name, such as `page-query`." },
  date: {
    ...date,
    description:
      "The day of the provider's own calendar that it is of; of a report over days the last one, of a snapshot the UTC day of the attempt.",
  },
  range: {
    ...orNull(object({ from: date, to: date })),
    description: "The days of a report over days, such as `events-28d`; null elsewhere.",
  },
  attempted_at: instant,
  outcome: { type: "string", enum: ARCHIVE_OUTCOMES },
  category: {
    ...orNull({ type: "string", enum: FAILURE_CATEGORIES }),
    description: "Null where it did not fail.",
  },
  failure_code: { ...orNull(text), description: "Why it failed; null where it did not." },
  object: {
    ...orNull(OBJECT_NAME),
    description:
      "SHA-256 of what the provider answered, by which it is read; null where nothing is stored of it.",
  },
  bytes: { ...orNull(count), description: "Of the object; null without one." },
  stored_bytes: { ...orNull(count), description: "Of the object as it is stored, packed; null without one." },
  rows: { ...orNull(count), description: "Of the object; null without one." },
  complete: { type: "boolean", description: "Whether the object is all of the report." },
  annotations: {
    ...list({ type: "string", enum: ARCHIVE_NOTES }, ARCHIVE_NOTES.length),
    description: "What is known of it beside its rows.",
  },
});

const EXAMPLE = {
  id: 90_412,
  run: "019aa5f2-64c8-7e51-9d3e-0c8b5b7f6a10",
  asset: "shop.example",
  provider: "search-console",
  connection_revision: "5b0f2d1c-7b1e-4a83-9c55-d2a4c4f0e6b7",
  family: "page-query",
  date: "2026-11-18",
  range: null,
  attempted_at: "2026-11-21T12:15:04.118Z",
  outcome: "stored",
  category: null,
  failure_code: null,
  object: "b94d27b9934d3e08a52e52d7da7dabfac484efe37a5380ee9088f7ace2efcde9",
  bytes: 184_220,
  stored_bytes: 21_906,
  rows: 1_204,
  complete: true,
  annotations: ["top_rows"],
};

export const LIST_MANIFEST = listEndpoint({
  id: "listManifest",
  path: "/api/archive/manifest",
  summary: "List the archive's manifest",
  description:
    "One row for every attempt to get a report, the newest attempt first, kept for good. `from` and `to` are dates of reports. A page may hold fewer rows than `limit`, or none, and still have a `next`: looking for few among very many goes only so far in one answer.",
  filters: {
    asset: ofSite("One site."),
    provider: oneOf(PROVIDERS, "One provider."),
    family: oneOf(FAMILY_NAMES, "One report family."),
    outcome: oneOf(ARCHIVE_OUTCOMES, "One outcome."),
    category: oneOf(FAILURE_CATEGORIES, "One category of failure."),
    run: anyText("One run of the job."),
    object: textThat("One object, by its SHA-256.", {
      schema: OBJECT_NAME,
      holds: isObjectName,
      rule: "must be 64 hexadecimal digits in lower case",
    }),
    ...DAYS,
  },
  row: ref("ArchivedReport"),
  example: EXAMPLE,
  shapes: { ArchivedReport: ARCHIVED_REPORT },
});

/** `GET /api/archive/manifest`: one row an attempt, newest first. */
export function manifestReads({ db, authorizeRead }: ReadDeps) {
  return new Elysia().get(LIST_MANIFEST.path, async ({ request }) => {
    authorizeRead(request);
    const query = new ListQuery(request, LIST_MANIFEST.filters);
    const [before] = query.cursor(["number"] as const) ?? [];
    const { limit } = query;
    const { run, from, to, ...narrowed } = query.values();
    const { rows, next } = await listManifest(db, {
      ...narrowed,
      // No run has the row 0.
      run: run === undefined ? undefined : (findRun(db, run)?.id ?? 0),
      from: from === undefined ? undefined : dayNumber(from),
      to: to === undefined ? undefined : dayNumber(to),
      before,
      limit: limit + 1,
    });
    return pageAnswer(rows, {
      query,
      toText: (row) => JSON.stringify(manifestJson(row)),
      cursorOf: ({ id }) => [id],
      goesOn: next === undefined || rows.length > limit ? undefined : [next],
    });
  });
}

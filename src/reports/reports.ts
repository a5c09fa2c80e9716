/**
 * What sites send: nightly reports (pulse) and codebase reports. This file keeps the reports of either kind: one row per accepted
 * report, as revisions of its UTC day, and its body beside it.
 *
 * - A nightly report: `pulse_routes.ts` → `pulse.ts` (contract, row, body, its place among those that wait) →
 *   the answer; then `rules/rules.ts` evaluates it and `readings.ts` puts its figures into the series.
 * - A codebase report: `codebase_routes.ts` (contract in `measures.ts`) → `codebase.ts` → the five rules in `codebase_rules.ts`, in one
 *   transaction. The Codebase tab is `codebase_view.ts`.
 * - Days of every source: `series.ts` over blocks of 128 days (`series_days.ts`); providers' figures go the same way.
 *
 * Begin with `pulse_routes.ts`. A new metric family:
 * 1. Its name and storage are declared by the site (`asset add --family`, or the site's settings); a nightly report may carry any metric
 *    of the form `family.metric`. Its figures are checked by `pulse.ts` and kept by `readings.ts`: nothing has to be added.
 * 2. Figures beside `metrics` are a field of `PulseSchema` in `pulse.ts`. What `kept` in `pulseIngest` (`pulse_routes.ts`) makes of a report is
 *    stored: it puts them among the metrics there, and throws where they do not fit. Judging, series, their replay and the names of metrics
 *    read `metrics` alone. Senders find the field in `.github/docs/sending.md`.
 * 3. Figures of a metric beside `last24h`, `avg7d` and `total` are a field of `Metric` there; what the series keep is `dayOfFigures`.
 * 4. What the overview says of a report is a field of `NightlySummary` (`nights.ts`), a block of the report's page (`tower/site/report_page.tsx`), and a
 *    line of the overview's `tower/site/latest_nightly.tsx`. A figure that is no count is named in `isCount` (`sites/rule_catalogue.ts`), and has its
 *    unit in `unitOf` (`tower/site/lanes.ts`). A rule on the metrics: see the head of `rules/rules.ts`.
 */

import { blob, integer, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import { DamagedRow } from "../base/storage_fault.ts";
import { messageOf, shortText } from "../base/text.ts";
import { newestDay, type UtcDay } from "../base/time.ts";
import type { ReportFilter } from "../sites/report_lists.ts";
import { packed, unpacked } from "../store/packs.ts";
import { assertAscending } from "../store/read_model.ts";
import { type Db, prepared, statement, type Tx } from "../store/store.ts";

// What every stored report has, whatever its kind. Times are milliseconds since the epoch.

export interface ReportRow {
  readonly id: number;
  readonly asset: string;
  readonly date: UtcDay;
  readonly revision: number;
  /** Milliseconds since the epoch. */
  readonly receivedAt: number;
  readonly generatedAt: number;
  readonly ignored: string | null;
}

/** A kind of report: the tables that hold it, and the columns of its own. */
export interface ReportKind {
  /** What its reports are called where a fault is told. */
  readonly called: string;
  /** Its rows; append-only. */
  readonly rows: string;
  readonly bodies: string;
  readonly packs: string;
  readonly own: readonly string[];
}

/** The columns of every row beside its id, in the order in which they are written. */
const ROW_COLUMNS: readonly string[] = ["asset", "date", "revision", "receivedAt", "generatedAt", "ignored"];
const nameOf = (column: string): string =>
  column.replace("receivedAt", "received_at").replace("generatedAt", "generated_at");

/** The columns of a kind's rows for a SELECT. */
const selectedOf = ({ own }: Pick<ReportKind, "own">): string =>
  ["id", ...ROW_COLUMNS, ...own].map((column) => `${nameOf(column)} AS ${column}`).join(", ");

/**
 * The form of a pack: the ids and lengths of its bodies on one line, then the bodies as they were sent, one after another, all of it
 * one zstd frame. Reports of one site repeat each other, so that together they take a tenth of their bytes.
 */

/** A pack as it is stored. */
export type Pack = Omit<ReturnType<typeof packTable>["$inferSelect"], "data"> & { readonly data: Uint8Array };

/** A body with the id of its report. */
export interface PackedBody {
  readonly id: number;
  readonly body: Buffer;
}

/** A pack takes no more bodies from here on: one of them is to be read within a millisecond or two. */
export const FULL = { bodies: 64, bytes: 512 * 1024 } as const;

/** A full pack is made once and kept; the one that still grows is made anew with every report. */
const GROWING = 9;

const NEWLINE = 0x0a;
/** Compresses bodies on another thread. */
export function packOf(bodies: readonly PackedBody[], isFull: boolean): Promise<Buffer> {
  return packed(contentOf(bodies), bodies, unpack, isFull ? undefined : GROWING);
}

function contentOf(bodies: readonly PackedBody[]): Buffer {
  // Each id as its distance from the one before: sites report in turn, so that the distances repeat.
  const steps = bodies.map(({ id }, place) => id - (bodies[place - 1]?.id ?? 0));
  const head = `${JSON.stringify([steps, bodies.map(({ body }) => body.byteLength)])}\n`;
  return Buffer.concat([Buffer.from(head), ...bodies.map(({ body }) => body)]);
}

/** The bodies of a pack, in the order of their reports. Throws when it is not what `packOf` made. */
export function unpack(data: Uint8Array): PackedBody[] {
  const content = Bun.zstdDecompressSync(data);
  const end = content.indexOf(NEWLINE);
  const head: unknown = JSON.parse(content.toString("utf8", 0, end));
  if (!isHead(head)) throw new Error("a pack of bodies has no head");
  const [steps, lengths] = head;
  let [id, at] = [0, end + 1];
  const bodies = steps.map((step, place) => {
    id += step;
    const from = at;
    at += lengths[place] ?? 0;
    return { id, body: content.subarray(from, at) };
  });
  if (at !== content.byteLength) throw new Error("a pack of bodies is not as long as its head says");
  return bodies;
}

function isHead(head: unknown): head is readonly [readonly number[], readonly number[]] {
  const isNumbers = (part: unknown) => Array.isArray(part) && part.every(Number.isSafeInteger);
  return (
    Array.isArray(head) && head.length === 2 && head.every(isNumbers) && head[0].length === head[1].length
  );
}

// Bodies where they lie: as they came, or in a pack.

/** A report, as far as its body is found by it. */
type BodyOf = Pick<ReportRow, "id" | "asset">;

/** The pack that a connection read last: the reports of one page, or of one site, mostly lie in one. */
const NONE = { id: 0, bodies: new Map<number, Buffer>() };

/** The bodies of one kind of report. */
function bodyStore({ bodies, packs, called }: ReportKind) {
  const insert = statement<never, [string, string]>(
    `INSERT INTO ${bodies} (id, asset, body) VALUES (last_insert_rowid(), ?, ?)`,
  );
  const loose = statement<{ body: string }, [number]>(`SELECT body FROM ${bodies} WHERE id = ?`);
  // One statement: between two of them the pack could make way for one that holds more. What was read last is not read again.
  const holding = statement<Omit<Pack, "data"> & { data: Uint8Array | null }, [number, string, number]>(
    `SELECT id, asset, first, last, bodies, bytes, checksum, CASE WHEN id = ? THEN NULL ELSE data END AS data FROM ${packs}
     WHERE asset = ? AND last >= ? ORDER BY last LIMIT 1`,
  );
  const lastRead = prepared(() => ({ pack: NONE }));

  function inPack(db: Db, { id, asset }: BodyOf): Buffer | undefined {
    const kept = lastRead(db);
    const pack = holding(db).first(kept.pack.id, asset, id);
    if (pack === undefined) return undefined;
    const { data } = pack;
    if (data !== null) {
      const held = unpacked(packs, { ...pack, data }, unpack);
      kept.pack = { id: pack.id, bodies: new Map(held.map((one) => [one.id, one.body])) };
    }
    return kept.pack.bodies.get(id);
  }

  return {
    /** Keeps the body of the report inserted by the statement before. */
    append: (tx: Tx, asset: string, body: string) => insert(tx).run(asset, body),
    /** A report's body as it was sent. Throws when it is gone, and where its pack is damaged. */
    read: (db: Db, report: BodyOf): string => {
      // In this order: a body that is packed in between is found in its pack.
      const body = loose(db).first(report.id)?.body ?? inPack(db, report)?.toString("utf8");
      if (body === undefined)
        throw new DamagedRow(`the body of ${called} ${report.id} of ${report.asset} is gone`);
      return body;
    },
  };
}

/** A body that is not packed, by its report. */
export interface Loose {
  readonly id: number;
  readonly asset: string;
  readonly bytes: number;
  readonly received_at: number;
}

/** What packing a kind reads and writes. */
export function packStore(kind: ReportKind) {
  const { bodies, packs } = kind;
  const newest = statement<Pack, [string]>(
    `SELECT id, asset, first, last, bodies, bytes, data, checksum FROM ${packs} WHERE asset = ? ORDER BY last DESC LIMIT 1`,
  );
  const looseAfter = statement<Loose, [number, number]>(
    `SELECT b.id, b.asset, octet_length(b.body) AS bytes, r.received_at
     FROM ${bodies} b JOIN ${kind.rows} r ON r.id = b.id WHERE b.id > ? ORDER BY b.id LIMIT ?`,
  );
  const bodyOf = statement<{ body: string }, [number]>(`SELECT body FROM ${bodies} WHERE id = ?`);
  const isThere = statement<{ loose: number; grown: number }, [string, string, number]>(
    `SELECT (SELECT count(*) FROM json_each(?) one JOIN ${bodies} b ON b.id = one.value) AS loose,
       (SELECT count(*) FROM ${packs} WHERE asset = ? AND id = ?) AS grown`,
  );
  const insertPack = statement<never, [string, number, number, number, number, Uint8Array, number]>(
    `INSERT INTO ${packs} (asset, first, last, bodies, bytes, data, checksum) VALUES (?, ?, ?, ?, ?, ?, ?)`,
  );
  const deletePack = statement<never, [number]>(`DELETE FROM ${packs} WHERE id = ?`);
  const deleteLoose = statement<never, [string]>(
    `DELETE FROM ${bodies} WHERE id IN (SELECT value FROM json_each(?))`,
  );
  return { newest, looseAfter, bodyOf, isThere, insertPack, deletePack, deleteLoose };
}

/** What packing a kind reads and writes. */
export type PackStore = ReturnType<typeof packStore>;

/** A report to append, with its body and the columns of its kind. */
export type NewReport<Own extends object> = Omit<ReportRow, "id" | "revision"> & {
  readonly body: string;
} & Own;

/** A stored report without its body. */
export type StoredRow<Own extends object> = ReportRow & Own;

/** Where an appended report lies. */
export interface Appended {
  /** Counted from 1 within its day. */
  readonly revision: number;
  /** No report of the site is for a later day that has come, so that this one is its latest. */
  readonly isLatest: boolean;
}

/** The store of a kind of report; `Own` are the columns that only it has. */
export function reportStore<Own extends object>(kind: ReportKind) {
  type Row = StoredRow<Own>;
  const { rows, own } = kind;
  const bodies = bodyStore(kind);
  const columns = [...ROW_COLUMNS, ...own];
  const all = selectedOf(kind);

  const insert = statement<never, (string | number | null)[]>(
    `INSERT INTO ${rows} (${columns.map(nameOf).join(", ")}) VALUES (${columns.map(() => "?").join(", ")})`,
  );
  const newestUpTo = statement<{ date: UtcDay; revision: number }, [string, string, string]>(
    `SELECT date, revision FROM ${rows} WHERE asset = ? AND date <= max(?, ?) ORDER BY date DESC, revision DESC LIMIT 1`,
  );
  const lastRevision = statement<{ revision: number }, [string, string]>(
    `SELECT revision FROM ${rows} WHERE asset = ? AND date = ? ORDER BY revision DESC LIMIT 1`,
  );
  const latestUpTo = statement<Row, [string, string]>(
    `SELECT ${all} FROM ${rows} WHERE asset = ? AND date <= ? ORDER BY date DESC, revision DESC LIMIT 1`,
  );
  const one = statement<Row, [string, string, number]>(
    `SELECT ${all} FROM ${rows} WHERE asset = ? AND date = ? AND revision = ?`,
  );
  const byId = statement<Row, [number]>(`SELECT ${all} FROM ${rows} WHERE id = ?`);
  const between = (current: string) =>
    statement<Row, [string, string, string, string, number, number]>(
      `SELECT ${all} FROM ${rows} AS report
       WHERE asset = ? AND date BETWEEN ? AND ? AND (date, revision) < (?, ?) ${current}
       ORDER BY date DESC, revision DESC LIMIT ?`,
    );
  const every = between("");
  const current = between(
    `AND revision = (SELECT max(later.revision) FROM ${rows} AS later
       WHERE later.asset = report.asset AND later.date = report.date)`,
  );

  return {
    /** Appends a report as the next revision of its day. Its id is then the one inserted last. */
    append: (tx: Tx, report: NewReport<Own>): Appended => {
      const { asset, date, receivedAt } = report;
      const newest = newestUpTo(tx).first(asset, date, newestDay(receivedAt));
      const isLatest = newest === undefined || newest.date <= date;
      const last =
        newest?.date === date ? newest : isLatest ? undefined : lastRevision(tx).first(asset, date);
      const row = { ...report, revision: (last?.revision ?? 0) + 1 };
      const values = columns.map((column) => row[column as keyof typeof row] as string | number | null);
      insert(tx).run(...values);
      bodies.append(tx, asset, report.body);
      return { revision: row.revision, isLatest };
    },
    /** The newest day, not ahead of `now`, on which a site has a report. */
    newestDay: (db: Db, asset: string, now: number) => newestUpTo(db).first(asset, "", newestDay(now))?.date,
    /** The latest report of a site: the newest revision of its newest day that does not lie ahead of `now`. */
    latest: (db: Db, asset: string, now: number) => latestUpTo(db).first(asset, newestDay(now)),
    find: (db: Db, asset: string, date: UtcDay, revision: number) => one(db).first(asset, date, revision),
    findById: (db: Db, id: number) => byId(db).first(id),
    /** Newest first by date then revision, at most `limit`. */
    list: (db: Db, { asset, from, to, allRevisions, after }: ReportFilter, limit: number) =>
      (allRevisions ? every : current)(db).all(
        asset,
        from ?? FIRST,
        to ?? LAST,
        after?.date ?? LAST,
        after?.revision ?? 0,
        limit,
      ),
    /** The body of a report, as it was sent. */
    bodyOf: bodies.read,
  };
}

/** Tells by the rows of a table whether there is one of a site, or of any site but the one left out. */
export function hasRowIn(table: string) {
  const ofSite = statement<{ asset: string }, [string]>(`SELECT asset FROM ${table} WHERE asset = ? LIMIT 1`);
  const ofOther = statement<{ asset: string }, [string]>(
    `SELECT asset FROM ${table} WHERE asset <> ? LIMIT 1`,
  );
  return (db: Db, of: { readonly site?: string | undefined; readonly except: string }): boolean =>
    (of.site === undefined ? ofOther(db).first(of.except) : ofSite(db).first(of.site)) !== undefined;
}

/** Before and after every day, as text compares. */
const FIRST = "";
const LAST = "\u{10ffff}";

// What every kind of report keeps, as columns: the rows, the bodies that are not packed yet, and the packs.

/** The columns that every kind of report has. Its body lies beside. */
export const reportColumns = {
  id: integer("id").primaryKey(),
  asset: text("asset").notNull(),
  date: text("date").notNull(),
  revision: integer("revision").notNull(),
  received_at: integer("received_at").notNull(),
  generated_at: integer("generated_at").notNull(),
  /** What of it was not stored; null where nothing was left out. */
  ignored: text("ignored"),
};

/** Bodies as they were sent, by the ids of their reports, until they are packed. No index: nothing of it is sought but by id. */
export const bodyTable = <const N extends string>(name: N) =>
  sqliteTable(name, {
    id: integer("id").primaryKey(),
    asset: text("asset").notNull(),
    body: text("body").notNull(),
  });

/** Bodies of one site in the order of their reports, from the first to the last of them, compressed as one. */
export const packTable = <const N extends string>(name: N) =>
  sqliteTable(
    name,
    {
      id: integer("id").primaryKey(),
      asset: text("asset").notNull(),
      /** Ids of the first and the last report whose bodies it holds: every one of the site between them is in it. */
      first: integer("first").notNull(),
      last: integer("last").notNull(),
      /** How many bodies it holds, and how many bytes they are unpacked. */
      bodies: integer("bodies").notNull(),
      bytes: integer("bytes").notNull(),
      data: blob("data", { mode: "buffer" }).notNull(),
      /** Of `data`, by which a changed byte is found before it is unpacked. */
      checksum: integer("checksum").notNull(),
    },
    (t) => [uniqueIndex(`${name}_by_asset`).on(t.asset, t.last)],
  );

// What of a report the contract does not know, as its row keeps it: pointers into what was sent, of very many the first.

const MOST = 50;
const LONGEST = 200;

/** What was left out of a report when it was stored. */
export type Ignored = NonNullable<ReturnType<typeof readIgnored>>;

/** As the column holds it: how many are not listed, then those that are; null where nothing was left out. */
export function keptIgnored(pointers: readonly string[]): string | null {
  if (pointers.length === 0) return null;
  const listed = pointers.slice(0, MOST).map((pointer) => shortText(pointer, LONGEST));
  return JSON.stringify([pointers.length - listed.length, ...listed]);
}

/** What a row says was left out, and how much beyond that there was; null where nothing was. */
export function readIgnored(kept: string | null) {
  if (kept === null) return null;
  const [more, ...pointers] = JSON.parse(kept) as [number, ...string[]];
  return { pointers, more };
}

// What the rows, the bodies and the packs of one kind of report say against each other. Reads only.

/** Rows looked at in one step. */
const ROWS = 1_000;

/** Finds reports whose body is gone, and packs that are not as they were written. */
export function bodyCheck({ rows, bodies, packs }: ReportKind): (db: Db) => Generator<string> {
  const lastId = statement<{ id: number | null }, []>(`SELECT max(id) AS id FROM ${rows}`);
  const packAfter = statement<Pack, [number]>(
    `SELECT id, asset, first, last, bodies, bytes, data, checksum FROM ${packs} WHERE id > ? ORDER BY id LIMIT 1`,
  );
  const notLooseAfter = statement<{ id: number }, [number, number]>(
    `SELECT id FROM ${rows} WHERE id > ? AND id NOT IN (SELECT id FROM ${bodies}) ORDER BY id LIMIT ?`,
  );

  return function* (db) {
    const isPacked = new Uint8Array((lastId(db).first()?.id ?? 0) + 1);
    for (let after = 0; ; ) {
      const pack = packAfter(db).first(after);
      if (pack === undefined) break;
      after = assertAscending(packs, after, pack.id);
      try {
        const held = unpacked(packs, pack, unpack);
        for (const { id } of held) isPacked[id] = 1;
        if (held[0]?.id !== pack.first || held.at(-1)?.id !== pack.last || held.length !== pack.bodies)
          yield `${packs}, row ${pack.id}: it does not hold what it says`;
      } catch (error) {
        yield messageOf(error);
      }
    }
    for (let after = 0; ; ) {
      const ids = notLooseAfter(db).all(after, ROWS);
      const last = ids.at(-1);
      if (last === undefined) return;
      after = assertAscending(rows, after, last.id);
      for (const { id } of ids) if (isPacked[id] !== 1) yield `${rows}, row ${id}: its body is gone`;
    }
  };
}

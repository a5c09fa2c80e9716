/** How fast what is stored grows: once a day the bytes of each kind are measured, and System health tells what that comes to. */

import { integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { Config } from "../base/config.ts";
import { byteWords } from "../base/text.ts";
import { addDays, DAY_MS, dayNumber, dayTextAt, type UtcDay, utcDayOf } from "../base/time.ts";
import { askWorker } from "../base/worker.ts";
import { listPortfolio } from "../sites/sites.ts";
import type { Core } from "../store/core.ts";
import { type Db, openReadOnly, type Store, statement } from "../store/store.ts";

/** The objects of the archive, which lie beside the database. */
const OBJECTS = "archived objects";

/** Kinds of what is stored, in words, with the tables of each; the first that fits counts. */
const KINDS: readonly (readonly [kind: string, tables: RegExp])[] = [
  [OBJECTS, new RegExp(`^${OBJECTS}$`)],
  ["reports", /^(pulse|codebase|report)/],
  ["figures", /^(series|observation|pull|signal)/],
  ["archive's manifest", /^(archive|insight)/],
  ["rules and flags", /^(flag|flow)/],
  ["everything else", /./],
];
/** Bytes of each kind on the days on which they were measured. */
export const storedSize = sqliteTable(
  "stored_size",
  {
    /** A UTC day. */
    date: text("date").$type<UtcDay>().notNull(),
    kind: text("kind").notNull(),
    bytes: integer("bytes").notNull(),
  },
  (t) => [primaryKey({ columns: [t.date, t.kind] })],
);

type SizeRow = typeof storedSize.$inferSelect;

/** A rate is told of so many days: at least, so that one busy day is no year, and at most, so that it is today's. */
const LEAST_DAYS = 7;
const MOST_DAYS = 28;

const put = statement<never, [string, string, number]>(
  "INSERT INTO stored_size (date, kind, bytes) VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET bytes = excluded.bytes",
);
const dropBefore = statement<never, [string]>("DELETE FROM stored_size WHERE date < ?");
const since = statement<SizeRow, [string]>(
  "SELECT date, kind, bytes FROM stored_size WHERE date >= ? ORDER BY date",
);

/** Measures what is stored. It reads the head of every page, so it does that on a thread of its own. */
export async function measureStored(deps: Pick<Core, "store" | "writer" | "clock">): Promise<void> {
  const { store, writer, clock } = deps;
  // A database in memory has no second connection.
  const sizes =
    store.path === ":memory:"
      ? tableSizes(store)
      : await askWorker<Sizes>(new URL("./growth_worker.ts", import.meta.url), store.path);
  const bytes = new Map(KINDS.map(([kind]) => [kind, 0]));
  for (const { name, bytes: own } of sizes) {
    const kind = KINDS.find(([, tables]) => tables.test(name))?.[0] ?? "";
    bytes.set(kind, (bytes.get(kind) ?? 0) + own);
  }
  const today = utcDayOf(clock.now());
  await writer.write((tx) => {
    for (const [kind, own] of bytes) put(tx).run(today, kind, own);
    dropBefore(tx).run(addDays(today, -MOST_DAYS));
  });
}

type Sizes = readonly { readonly name: string; readonly bytes: number }[];

/** Bytes of each table with its indexes, and of the objects of the archive. */
export function tableSizes({ rawRead }: Pick<Store, "rawRead">): Sizes {
  return rawRead
    .query<Sizes[number], []>(
      `SELECT coalesce(s.tbl_name, d.name) AS name, sum(d.pgsize) AS bytes
       FROM dbstat d LEFT JOIN sqlite_schema s ON s.name = d.name WHERE d.aggregate = TRUE GROUP BY 1
       UNION ALL SELECT '${OBJECTS}', coalesce(sum(stored_bytes), 0) FROM archive_object o
         WHERE NOT EXISTS (SELECT 1 FROM archive_object n WHERE n.sha256 = o.sha256 AND n.id > o.id)`,
    )
    .all();
}

/** The same of a database file. */
export function tableSizesOf(path: string): Sizes {
  const store = openReadOnly(path);
  try {
    return tableSizes(store);
  } finally {
    store.close();
  }
}

const measured = statement<Pick<SizeRow, "date" | "bytes">, [string]>(
  "SELECT date, bytes FROM stored_size WHERE kind = ? ORDER BY date DESC LIMIT 1",
);

/** What the objects of the archive took when they were last measured, in words; undefined where they never were. */
export function archivedWords(db: Db, now: number): string | undefined {
  const last = measured(db).first(OBJECTS);
  return last && `${byteWords(last.bytes)}, measured on ${dayTextAt(last.date, now)}`;
}

/** How fast what is stored grows. */
export type Growth = NonNullable<ReturnType<typeof findGrowth>>;

const YEAR_DAYS = 365;

/** The growth of the last weeks; undefined while there are too few days to tell, or no site. */
export function findGrowth(
  db: Db,
  { s3 }: Pick<Config, "s3">,
  { free, now }: { readonly free: number | undefined; readonly now: number },
) {
  const rows = since(db).all(addDays(utcDayOf(now), -MOST_DAYS));
  const [first, last] = [rows[0]?.date, rows.at(-1)?.date];
  const sites = listPortfolio(db).length;
  if (first === undefined || last === undefined || sites === 0) return undefined;
  const days = dayNumber(last) - dayNumber(first);
  if (days < LEAST_DAYS) return undefined;
  const before = new Map(rows.filter(({ date }) => date === first).map(({ kind, bytes }) => [kind, bytes]));
  const daily = rows
    .filter(({ date }) => date === last)
    .map(({ kind, bytes }) => ({ kind, bytes: (bytes - (before.get(kind) ?? 0)) / days }));
  // Objects in a bucket fill no disk of this machine.
  const filling = daily.filter(({ kind }) => kind !== OBJECTS || s3 === undefined);
  const rate = filling.reduce((sum, { bytes }) => sum + bytes, 0);
  return {
    /** Bytes for each site and year, by kind, the most first; what did not grow is left out. */
    kinds: daily
      .map(({ kind, bytes }) => ({ kind, bytes: Math.round((bytes * YEAR_DAYS) / sites) }))
      .filter(({ bytes }) => bytes > 0)
      .sort((one, other) => other.bytes - one.bytes),
    /** When the disk is full at this rate, in milliseconds since the epoch: Infinity where nothing fills it, undefined where its room is not known. */
    fullAt:
      free === undefined ? undefined : rate > 0 ? now + (free / rate) * DAY_MS : Number.POSITIVE_INFINITY,
  };
}

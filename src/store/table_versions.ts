/** Whether anything was written since it was last read: to each table (`VersionedTables`), or to the database at all (`changeMark`). */

import { type Db, type Store, statement } from "./store.ts";

export type TableVersions = ReadonlyMap<string, string>;

/** Whether another connection wrote between two marks, or the schema is another: then nothing says what was written. */
export const isForeign = (before: TableVersions, after: TableVersions): boolean =>
  [...before].some(([table, mark]) => foreignPart(mark) !== foreignPart(after.get(table) ?? ""));

/** Whether none of the tables was written to between two marks. */
export const isSame = (
  before: TableVersions | undefined,
  after: TableVersions | undefined,
  tables: readonly string[],
): boolean =>
  before !== undefined &&
  after !== undefined &&
  tables.every((table) => before.get(table) === after.get(table));

const foreignPart = (mark: string): string => mark.slice(0, mark.lastIndexOf("."));

// The first changes with every commit of another connection.
const VERSIONS = `SELECT data_version AS others, schema_version AS schema FROM pragma_data_version, pragma_schema_version`;

/**
 * Which tables were written to. The writing connection counts it: by triggers that it alone has, in a table that lies in its memory and is
 * gone with it, so that a write that is taken back is not counted either. A commit of any other connection counts for every table. Of
 * tables of which it is said how, the sites are noted, too, whose rows were written.
 */
export class VersionedTables {
  readonly #store: Pick<Store, "raw" | "rawRead">;
  readonly #tables: readonly string[];
  /** The site of the row `NEW` in SQL, by table. */
  readonly #siteOf: Readonly<Record<string, string>>;
  /** The schema that is watched. */
  #watched: number | undefined;

  constructor(
    store: Pick<Store, "raw" | "rawRead">,
    tables: readonly string[],
    siteOf: Readonly<Record<string, string>> = {},
  ) {
    this.#store = store;
    this.#tables = tables;
    this.#siteOf = siteOf;
  }

  /**
   * The mark of each table as it may be read from now on; undefined where it cannot be told. Inside a transaction it cannot: the one
   * connection sees what the other does not.
   */
  versions(): TableVersions | undefined {
    const { raw, rawRead } = this.#store;
    if (raw.inTransaction || rawRead.inTransaction) return undefined;
    try {
      const versions = raw.query<{ others: number; schema: number }, []>(VERSIONS).all()[0];
      if (versions === undefined) return undefined;
      if (versions.schema !== this.#watched) this.#watch();
      this.#watched = versions.schema;
      const { others, schema } = versions;
      const counted = raw.query<{ name: string; times: number }, []>("SELECT name, times FROM temp.touched");
      return new Map(counted.all().map(({ name, times }) => [name, `${others}.${schema}.${times}`]));
    } catch {
      return undefined;
    }
  }

  /**
   * The sites whose rows were written over this connection since they were taken the last time, by table; null of a row of unknown site.
   * Asked once versions were told.
   */
  takeSites(): ReadonlyMap<string, ReadonlySet<string | null>> {
    const taken = this.#store.raw
      .query<{ name: string; site: string | 0 }, []>("DELETE FROM temp.touched_site RETURNING name, site")
      .all();
    return new Map(
      [...Map.groupBy(taken, ({ name }) => name)].map(([name, rows]) => [
        name,
        new Set(rows.map(({ site }) => (site === 0 ? null : site))),
      ]),
    );
  }

  /** A trigger goes with its table, and one of a table that came is not there yet. */
  #watch(): void {
    const { raw } = this.#store;
    this.#watched = undefined;
    raw.run(
      "CREATE TEMP TABLE IF NOT EXISTS touched (name TEXT PRIMARY KEY, times INTEGER NOT NULL) STRICT, WITHOUT ROWID",
    );
    // Each report notes its site here: one tree, in which 0 stands for what is of no known site.
    raw.run(
      "CREATE TEMP TABLE IF NOT EXISTS touched_site (name TEXT, site ANY, PRIMARY KEY (name, site)) STRICT, WITHOUT ROWID",
    );
    for (const table of this.#tables) {
      const site = this.#siteOf[table];
      raw.run("INSERT INTO temp.touched VALUES (?, 0) ON CONFLICT (name) DO UPDATE SET times = times + 1", [
        table,
      ]);
      for (const act of ["INSERT", "UPDATE", "DELETE"]) {
        const ofRow = act === "DELETE" ? site?.replaceAll("NEW.", "OLD.") : site;
        const noted =
          ofRow === undefined
            ? ""
            : `INSERT INTO touched_site VALUES ('${table}', coalesce(${ofRow}, 0)) ON CONFLICT DO NOTHING;`;
        raw.run(
          `CREATE TEMP TRIGGER IF NOT EXISTS touched_${table}_${act.toLowerCase()} AFTER ${act} ON main.${table}
           BEGIN UPDATE touched SET times = times + 1 WHERE name = '${table}'; ${noted} END`,
        );
      }
    }
  }
}

/** Whether anything was written since: asked before what is read is read again. */

// The first changes with every commit of another connection, the others with what this one writes: in memory there is but one.
const mark = statement<{ others: number; own: number; schema: number }, []>(
  `SELECT data_version AS others, total_changes() AS own, schema_version AS schema
   FROM pragma_data_version, pragma_schema_version`,
);

/** A mark of the database as it is read now: another one after every commit, whoever made it. */
export function changeMark(db: Db): string {
  const row = mark(db).first();
  if (row === undefined) throw new Error("the database has no version");
  return `${row.others}.${row.own}.${row.schema}`;
}

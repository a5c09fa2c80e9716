import { describe, expect, test } from "bun:test";
import {
  APPEND_ONLY_TABLES,
  BODY_TABLES,
  DIGESTED_TABLES,
  PLAIN_APPEND_ONLY_TABLES,
} from "../../src/db/append_only.ts";
import { testStore } from "../support/database.ts";

/** Tables that check compares with what they are made of, and two that say what should be in others. */
const COMPARED = [
  "archive_day",
  "archive_standing",
  "flag",
  "flag_snooze",
  // Its older rows are removed, and each is compared with the report that it is made of.
  "insight",
  "monitoring_failure",
  "pulse_freshness",
  "row_digest_before",
  "series",
  "series_block",
  "__drizzle_migrations",
  // The digest of a report's row takes in its body, loose or packed.
  ...BODY_TABLES.values(),
  // Each carries a digest that takes in its bytes.
  "codebase_pack",
  "pulse_pack",
  // Each carries a digest; what is packed goes out of the one and stands in the other.
  "pull_attempt",
  "pull_attempt_pack",
  // Its index by site holds both of its columns.
  "pulse_waiting",
];

/** Tables that change and are left to SQLite's own check and the sealed backup, as every new table is. */
const PLAIN: readonly string[] = [
  "calendar",
  "channel",
  "notice",
  "notice_cause",
  "notice_channel",
  "notice_item",
  "panel",
];

describe("a changed byte is found wherever it is (reliability D7)", () => {
  test("every append-only row carries a digest, beside an id", () => {
    const store = testStore();
    const without = APPEND_ONLY_TABLES.filter((table) => {
      const names = columnsOf(store, table);
      return !(names.includes("id") && names.includes("row_digest"));
    });
    expect(without).toEqual([]);
    expect(DIGESTED_TABLES.filter((table) => !columnsOf(store, table).includes("row_digest"))).toEqual([]);
  });

  test("every other table is compared with what it is made of, or has an index over all of its columns", () => {
    const store = testStore();
    const tables = store.raw
      .query<{ name: string }, []>("SELECT name FROM sqlite_schema WHERE type = 'table'")
      .all()
      .map(({ name }) => name);
    const once = tables
      .filter(
        (table) =>
          ![
            ...APPEND_ONLY_TABLES,
            ...DIGESTED_TABLES,
            ...COMPARED,
            ...PLAIN_APPEND_ONLY_TABLES,
            ...PLAIN,
          ].includes(table),
      )
      .filter((table) => {
        const held = store.raw.query<{ name: string }, []>(`PRAGMA index_info(${table}_twice)`).all();
        return held.map(({ name }) => name).join() !== columnsOf(store, table).join();
      });
    expect(once).toEqual([]);
  });
});

function columnsOf(store: ReturnType<typeof testStore>, table: string): string[] {
  return store.raw
    .query<{ name: string }, []>(`PRAGMA table_info(${table})`)
    .all()
    .map(({ name }) => name);
}

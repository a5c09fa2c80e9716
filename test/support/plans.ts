/** How SQLite answers what is asked of a store. */

import type { Database } from "bun:sqlite";
import { expect } from "bun:test";
import type { Db, Store } from "../../src/store/store.ts";

/** The plan of every statement that was run, one line a step. */
export function plansIn(store: Store, run: (db: Db) => unknown): string[] {
  const client = Reflect.get(store.db, "$client") as Database;
  const prepare = client.prepare.bind(client);
  const texts: string[] = [];
  client.prepare = ((text: string) => {
    texts.push(text);
    return prepare(text);
  }) as typeof client.prepare;
  try {
    run(store.db);
  } finally {
    client.prepare = prepare;
  }
  expect(texts.length).toBeGreaterThan(0);
  return texts.flatMap((text) =>
    prepare<{ detail: string }, []>(`EXPLAIN QUERY PLAN ${text}`)
      .all()
      .map(({ detail }) => detail),
  );
}

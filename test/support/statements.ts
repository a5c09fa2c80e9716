/** Looks at every statement of SQLite as it runs. */

import { Database } from "bun:sqlite";

const STEPS = ["run", "all", "get", "values", "iterate"] as const;
type Before = (sql: string, step: (typeof STEPS)[number], values: readonly unknown[]) => void;

/** Calls `before` ahead of every statement that any connection opened from now on runs, until it is disposed of. */
export function beforeEachStatement(before: Before): Disposable {
  const { prepare, query, run } = Database.prototype;
  const watched = new WeakSet<object>();
  const watch = <S extends object>(statement: S, sql: string): S => {
    if (watched.has(statement)) return statement;
    watched.add(statement);
    for (const step of STEPS) {
      const act = Reflect.get(statement, step) as (...given: unknown[]) => unknown;
      Reflect.set(statement, step, (...given: unknown[]) => {
        before(sql, step, given);
        return act.apply(statement, given);
      });
    }
    return statement;
  };
  const patched = {
    prepare(this: Database, ...given: Parameters<typeof prepare>) {
      return watch(prepare.apply(this, given), given[0]);
    },
    query(this: Database, ...given: Parameters<typeof query>) {
      return watch(query.apply(this, given), given[0]);
    },
    run(this: Database, ...given: Parameters<typeof run>) {
      before(given[0], "run", given.slice(1));
      return run.apply(this, given);
    },
  };
  Object.assign(Database.prototype, patched);
  return { [Symbol.dispose]: () => void Object.assign(Database.prototype, { prepare, query, run }) };
}

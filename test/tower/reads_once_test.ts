/** A page asks the database for nothing twice, since what its parts share is handed on, and for all of it in one turn of the event loop. */

import { afterAll, beforeAll, expect, test } from "bun:test";
import { type ForeignService, foreignService } from "../support/foreign_text.ts";
import { addressOf, PAGES } from "../support/route_table.ts";
import { beforeEachStatement } from "../support/statements.ts";
import { words } from "../support/words.ts";

/** A metric's name becomes its number in the series' own index, in two microseconds; the store keeps no names in memory. */
const NAME_TO_NUMBER = /^SELECT id FROM series WHERE asset/;
/** It plans a run as the run itself does, a few properties at a time, and never refreshes. */
const PLANS = "/archive/run";
/** Whether anything was written meanwhile, and to which tables: each reader that keeps what it read asks for itself. */
const MARK = /total_changes\(\)|FROM pragma_data_version|FROM temp\.touched /;
/** What was added to the archive's targets since they were last looked at: they never change, and are kept by their numbers. */
const NEW_TARGETS = /^SELECT .* FROM archive_target WHERE id > /;
/** Worked on, these look at the file on disk first, and never refresh. */
const LOOKS_FIRST = new Set(
  words(`
  /settings/constants /flags/:id/tune /sites/:asset/metrics/:metric/tune
  /sites/:asset/signals/:source/:metric/tune /sites/:asset/codebase/tune
`),
);
let asked: string[] = [];
/** The turns of the event loop in which something was asked: nothing is written within one. */
const turns = new Set<object>();
let turn: object | undefined;

function noteTurn(): void {
  if (turn === undefined) {
    turn = {};
    queueMicrotask(() => {
      turn = undefined;
    });
  }
  turns.add(turn);
}

let filled: ForeignService;
const watch = beforeEachStatement((sql, step, values) => {
  if (step === "run") return;
  noteTurn();
  asked.push(`${sql.replace(/\s+/g, " ").trim()} ${JSON.stringify(values)}`);
});
beforeAll(async () => {
  filled = await foreignService("a-plain-word");
});
afterAll(async () => {
  watch[Symbol.dispose]();
  await filled.service.close();
});

for (const pattern of PAGES.filter((page) => page !== PLANS)) {
  test(`${pattern} reads everything once`, async () => {
    const path = addressOf(pattern, filled.valuesOf(pattern));
    await filled.ask("GET", path);
    asked = [];
    const response = await filled.ask("GET", path);
    await response.text();
    const counts = Map.groupBy(asked, (statement) => statement);
    const twice = [...counts].flatMap(([statement, { length }]) => (length > 1 ? [statement] : []));
    expect(
      twice.filter(
        (statement) =>
          !NAME_TO_NUMBER.test(statement) && !NEW_TARGETS.test(statement) && !MARK.test(statement),
      ),
    ).toStrictEqual([]);
    expect(asked.length).toBeGreaterThan(0);
  });

  if (LOOKS_FIRST.has(pattern)) continue;
  test(`${pattern} reads everything at one moment`, async () => {
    turns.clear();
    await (await filled.ask("GET", addressOf(pattern, filled.valuesOf(pattern)))).text();
    expect(turns.size).toBe(1);
  });
}

/** Series of providers that wait to be judged: one place for a site and source, and a new one with every further change. */

import { expect, test } from "bun:test";
import type { Provider } from "../../src/providers/adapter.ts";
import {
  awaitSignalJudging,
  endSignalWaiting,
  isStillWaiting,
  listSignalTurns,
} from "../../src/signals/answer_record.ts";
import type { Tx } from "../../src/store/store.ts";
import { testStore } from "../support/database.ts";
import { fresh } from "../support/fresh.ts";

const store = fresh(testStore);

const put = (asset: string, source: Provider) => awaitSignalJudging(store.main as Tx, asset, source);
const turns = (last: number, most = 9) =>
  listSignalTurns(store.db, last, most).map(({ id, asset, source }) => `${id} ${asset} ${source}`);

test("what changed first has the first turn, going round after the one that had the last", () => {
  put("b", "analytics");
  put("a", "analytics");
  put("b", "search-console");
  expect(turns(0)).toEqual(["1 b analytics", "2 a analytics", "3 b search-console"]);
  expect(turns(0, 2)).toEqual(["1 b analytics", "2 a analytics"]);
  expect(turns(2)).toEqual(["3 b search-console", "1 b analytics", "2 a analytics"]);
  expect(turns(2, 2)).toEqual(["3 b search-console", "1 b analytics"]);
  expect(turns(7)).toEqual(["1 b analytics", "2 a analytics", "3 b search-console"]);
});

test("days that change while a judging is under way wait anew: it ends nothing", () => {
  put("a", "analytics");
  const [taken] = listSignalTurns(store.db, 0, 1);
  if (taken === undefined) throw new Error("nothing waits");
  expect(isStillWaiting(store.db, taken)).toBe(true);
  put("a", "analytics");
  expect(isStillWaiting(store.db, taken)).toBe(false);
  endSignalWaiting(store.main as Tx, taken);
  expect(turns(0)).toEqual(["2 a analytics"]);
});

test("what was judged waits no longer", () => {
  put("a", "analytics");
  for (const turn of listSignalTurns(store.db, 0, 9)) endSignalWaiting(store.main as Tx, turn);
  expect(turns(0)).toStrictEqual([]);
});

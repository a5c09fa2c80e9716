/** Reports that wait to be judged: in the order of acceptance per site, sites in turn. */

import { beforeEach, expect, test } from "bun:test";
import { endWaiting, findBacklog, judgedUpTo, listTurns } from "../../src/reports/pulse.ts";
import { testGround } from "../support/deps.ts";
import { fresh } from "../support/fresh.ts";
import { pulse } from "../support/make/pulse.ts";
import { accept } from "../support/nightly.ts";

const SENT = ["b", "b", "a", "c", "b", "a"];
const ground = fresh(testGround);
beforeEach(async () => {
  for (const asset of SENT) await accept(ground, pulse({ asset }), 1_000);
});

const turns = (after: string, sites = 9) =>
  listTurns(ground.store.db, after, sites).map(({ asset, pulse: id }) => `${asset}${id}`);
const judge = (id: number) => ground.writer.write((tx) => endWaiting(tx, SENT[id - 1] ?? "", id));

test("each site has its first report, in the order of sites, going round from the one that had the last turn", () => {
  expect(turns("")).toEqual(["a3", "b1", "c4"]);
  expect(turns("a")).toEqual(["b1", "c4", "a3"]);
  expect(turns("b")).toEqual(["c4", "a3", "b1"]);
  expect(turns("bb")).toEqual(["c4", "a3", "b1"]);
  expect(turns("z")).toEqual(["a3", "b1", "c4"]);
  expect(turns("a", 2)).toEqual(["b1", "c4"]);
});

test("a site is judged up to the report before its first that waits, and whole when none does", async () => {
  expect(judgedUpTo(ground.store.db, "b")).toBe(0);
  await judge(1);
  expect(turns("")).toEqual(["a3", "b2", "c4"]);
  expect(judgedUpTo(ground.store.db, "b")).toBe(1);
  for (const id of [2, 5]) await judge(id);
  expect(turns("")).toEqual(["a3", "c4"]);
  expect(judgedUpTo(ground.store.db, "b")).toBe(Number.MAX_SAFE_INTEGER);
});

test("the backlog is counted with the age of the one accepted first, of all and of a site", async () => {
  expect(findBacklog(ground.store.db)).toEqual({ reports: 6, since: 1_000 });
  expect(findBacklog(ground.store.db, "a")).toEqual({ reports: 2, since: 1_000 });
  for (const id of [1, 2, 3, 4, 5, 6]) await judge(id);
  expect(findBacklog(ground.store.db)).toEqual({ reports: 0, since: undefined });
  expect(turns("")).toStrictEqual([]);
});

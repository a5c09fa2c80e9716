import { beforeEach, describe, expect, test } from "bun:test";
import { insightFold } from "../../src/archive/insight_fold.ts";
import { putInsight } from "../../src/archive/insights.ts";
import { holdProviderIssues } from "../../src/archive/record_attempt.ts";
import { formatInstant, utcDayOf } from "../../src/base/time.ts";
import { performAct } from "../../src/flags/acts.ts";
import type { FlagRow } from "../../src/flags/flags.ts";
import { listFlags } from "../../src/flags/queries.ts";
import { retireFlags } from "../../src/flags/site_flags.ts";
import { readHistory } from "../../src/flags/store.ts";
import { findFamily } from "../../src/providers/report_families.ts";
import { changeAsset } from "../../src/sites/site_changes.ts";
import type { Tx } from "../../src/store/store.ts";
import { testGround } from "../support/deps.ts";
import { fresh } from "../support/fresh.ts";
import { expectWholeFlags } from "../support/read_models.ts";

const DAY = 86_400_000;
const PROPERTY = "https://harbor.example/";
const FAMILY = findFamily("webmaster-tools", "crawl-issues");

const ground = fresh(testGround, expectWholeFlags);
let manifest = 0;
beforeEach(() => {
  manifest = 100;
});

const url = (n: number) => `https://harbor.example/${String(n).padStart(3, "0")}`;

/** A complete report of a later day: a mask of issues for each URL; answers when it was asked for. */
async function report(masks: Readonly<Record<string, number>>, property = PROPERTY): Promise<string> {
  if (FAMILY === undefined) throw new Error("no such family");
  ground.clock.advance(DAY);
  manifest++;
  const now = ground.clock.now();
  const fold = insightFold(FAMILY);
  for (const [at, mask] of Object.entries(masks)) fold.add({ keys: [at], values: [mask, 500, 1] });
  const body = fold.body([]);
  await ground.writer.write((tx) => {
    const { provider, name: family } = FAMILY;
    const of = { asset: "harbor", provider, family, date: utcDayOf(now), report: manifest, observedAt: now };
    putInsight(tx, { ...body, ...of }, 1);
    holdProviderIssues(tx, {
      asset: "harbor",
      property,
      issues: body.issues ?? [],
      manifest,
      now,
      newId: ground.ids.uuid,
    });
  });
  return formatInstant(now);
}

const flags = (status?: "open"): FlagRow[] =>
  listFlags(ground.store.db, { asset: "harbor", ...(status === undefined ? {} : { status }) }, 50);
const open = () => flags("open");
const only = (): FlagRow => {
  const [flag, ...others] = open();
  if (flag === undefined || others.length > 0) throw new Error(`${open().length} flags are open`);
  return flag;
};
const by = { name: "ada", id: "operator:ada" };

describe("provider-issue", () => {
  test("is one flag of each type: it comes, stays, goes, comes back where an operator resolved it, and begins anew after it was gone; recorded", async () => {
    const resolve = () =>
      ground.writer.write((tx) => performAct(tx, "resolve", { id: only().id, by, now: ground.clock.now() }));
    const story: readonly (readonly [what: string, step: () => Promise<unknown>])[] = [
      ["two URLs with 5xx", () => report({ [url(2)]: 8, [url(1)]: 8 })],
      ["every type of issue", () => report({ [url(1)]: 511 })],
      ["4xx alone", () => report({ [url(1)]: 4 })],
      ["the same a day later", () => report({ [url(1)]: 4 })],
      ["resolved by an operator", resolve],
      ["still reported", () => report({ [url(1)]: 4 })],
      ["resolved again", resolve],
      ["gone", () => report({})],
      ["reported again", () => report({ [url(1)]: 4, [url(2)]: 32 })],
      ["reported of another property", () => report({ [url(3)]: 4 }, "https://www.harbor.example/")],
      ["gone there, too", () => report({}, "https://www.harbor.example/")],
    ];
    for (const [what, step] of story) {
      await step();
      const shown = flags().map(({ id: _, raised_at: __, resolved_at: ___, ...flag }) => flag);
      const ended = shown.filter(({ status }) => status === "resolved");
      expect({
        what,
        open: shown
          .filter(({ status }) => status === "open")
          .sort((a, b) => (a.subject < b.subject ? -1 : 1)),
        ended: ended.map(({ subject, resolution }) => `${subject} ${resolution}`).sort(),
      }).toMatchSnapshot();
    }
  });

  test("a year of the same 50 URLs writes them once", async () => {
    const many = Object.fromEntries(Array.from({ length: 60 }, (_, n) => [url(n), 4]));
    await report(many);
    for (let night = 0; night < 9; night++) await report(many);
    const { id, rule_inputs } = only();
    expect(rule_inputs).toMatchObject({ url_count: 60 });
    expect((rule_inputs as { urls: string[] }).urls).toHaveLength(50);
    const { record } = readHistory(ground.store.db, id, 99);
    const named = record.filter((entry) => JSON.stringify(entry).includes(url(7)));
    expect(named.map(({ type }) => type)).toEqual(["raised"]);
    // A list that changes is written anew, with the count in its words.
    await report({ [url(7)]: 4 });
    expect(only()).toMatchObject({ id, rule_inputs: { urls: [url(7)], url_count: 1 } });
    expect(only().message).toBe("Webmaster tools reports 1 URL answered with a 4xx status");
  });

  test("a snooze runs on through later reports and over a new flag of the same type", async () => {
    await report({ [url(1)]: 4 });
    const until = ground.clock.now() + 30 * DAY;
    await ground.writer.write((tx) =>
      performAct(tx, "snooze", { id: only().id, by, now: ground.clock.now(), until }),
    );
    await report({ [url(1)]: 4 });
    expect(only().snoozed_until).toBe(formatInstant(until));
    await report({});
    await report({ [url(1)]: 4 });
    expect(only().snoozed_until).toBe(formatInstant(until));
  });

  test("a retired site has none, whatever is still answered about it", async () => {
    await report({ [url(1)]: 4 });
    const by = { actor: "cli", now: ground.clock.now() };
    const onRetired = (tx: Tx) => retireFlags(tx, { asset: "harbor", serviceAsset: "tower", ...by });
    await changeAsset(ground.writer, "harbor", { lifecycle: "retired" }, { ...by, onRetired });
    expect(open()).toStrictEqual([]);
    await report({ [url(1)]: 4 });
    expect(open()).toStrictEqual([]);
  });
});

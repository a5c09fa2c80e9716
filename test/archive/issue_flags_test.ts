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
  test("an issue appears as one flag of its type, with its URLs and the report that names it", async () => {
    const at = await report({ [url(2)]: 8, [url(1)]: 8 });
    expect(only()).toMatchObject({
      rule: "provider-issue",
      origin: "provider",
      subject: "http_5xx",
      severity: "warn",
      kind: "opportunity",
      metric: null,
      source: null,
      message: "Webmaster tools reports 2 URLs answered with a server error (5xx)",
      rule_inputs: {
        issue_type: "http_5xx",
        url_count: 2,
        urls: [url(1), url(2)],
        property: PROPERTY,
        first_seen: at,
        last_seen: at,
        manifest,
      },
    });
  });

  test("5xx, malware and DNS warn, every other type informs, and each has a flag of its own", async () => {
    await report({ [url(1)]: 511 });
    const bySeverity = Map.groupBy(open(), ({ severity }) => severity);
    const named = (severity: "warn" | "info") =>
      (bySeverity.get(severity) ?? []).map(({ subject }) => subject).sort();
    expect(named("warn")).toEqual(["dns_failure", "http_5xx", "malware"]);
    expect(named("info")).toEqual([
      "blocked_by_robots_txt",
      "connection_timeout",
      "http_301",
      "http_302",
      "http_4xx",
      "important_url_blocked",
    ]);
  });

  test("while it is reported one flag stays open: when it was first seen is kept, when last moves on", async () => {
    const first = await report({ [url(1)]: 4 });
    const { id } = only();
    let last = first;
    for (let night = 0; night < 5; night++) last = await report({ [url(1)]: 4 });
    expect(only()).toMatchObject({ id, rule_inputs: { first_seen: first, last_seen: last, manifest } });
    expect(flags()).toHaveLength(1);
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

  test("a complete report without its type ends it; what is reported again is a new issue", async () => {
    const first = await report({ [url(1)]: 4, [url(2)]: 8 });
    await report({ [url(1)]: 4 });
    expect(open().map(({ subject }) => subject)).toEqual(["http_4xx"]);
    expect(flags().find(({ subject }) => subject === "http_5xx")).toMatchObject({
      status: "resolved",
      resolution: "no_longer_reported",
    });
    await report({});
    expect(open()).toEqual([]);
    const again = await report({ [url(1)]: 4 });
    expect(only().rule_inputs).toMatchObject({ first_seen: again });
    expect(again > first).toBe(true);
  });

  test("what an operator resolved while it is still reported comes back, first seen when it was", async () => {
    const first = await report({ [url(1)]: 4 });
    const { id } = only();
    await ground.writer.write((tx) => performAct(tx, "resolve", { id, by, now: ground.clock.now() }));
    expect(open()).toEqual([]);
    const last = await report({ [url(1)]: 4 });
    expect(only()).toMatchObject({ rule_inputs: { first_seen: first, last_seen: last } });
    expect(only().id).not.toBe(id);
  });

  test("what went and came after an operator resolved it begins anew", async () => {
    await report({ [url(1)]: 4 });
    const { id } = only();
    await ground.writer.write((tx) => performAct(tx, "resolve", { id, by, now: ground.clock.now() }));
    await report({});
    const again = await report({ [url(1)]: 4 });
    expect(only().rule_inputs).toMatchObject({ first_seen: again });
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

  test("what was reported of another property is over, and the new one's issue is its own", async () => {
    await report({ [url(1)]: 4, [url(2)]: 32 });
    const at = await report({ [url(3)]: 4 }, "https://www.harbor.example/");
    expect(only()).toMatchObject({
      subject: "http_4xx",
      rule_inputs: { property: "https://www.harbor.example/", first_seen: at },
    });
    expect(flags().flatMap(({ resolution }) => resolution ?? [])).toEqual([
      "attached_elsewhere",
      "attached_elsewhere",
    ]);
  });

  test("a retired site has none, whatever is still answered about it", async () => {
    await report({ [url(1)]: 4 });
    const by = { actor: "cli", now: ground.clock.now() };
    const onRetired = (tx: Tx) => retireFlags(tx, { asset: "harbor", serviceAsset: "tower", ...by });
    await changeAsset(ground.writer, "harbor", { lifecycle: "retired" }, { ...by, onRetired });
    expect(open()).toEqual([]);
    await report({ [url(1)]: 4 });
    expect(open()).toEqual([]);
  });
});

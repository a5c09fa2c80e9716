import { expect, test } from "bun:test";
import { addDays, startOfDay, type UtcDay } from "../../../src/base/time.ts";
import { listFlagsById } from "../../../src/flags/queries.ts";
import { insertOpenFlag } from "../../../src/flags/store.ts";
import { PROVIDERS, type Provider } from "../../../src/providers/adapter.ts";
import type { Attachment } from "../../../src/providers/credentials.ts";
import { PROVIDER_ISSUE } from "../../../src/sites/rule_catalogue.ts";
import { toViewFlag } from "../../../src/tower/site/codebase_read.ts";
import { readPanels, type SitePanels } from "../../../src/tower/site/panel_state.ts";
import { testGround } from "../../support/deps.ts";
import { shared } from "../../support/fresh.ts";
import { newFlag } from "../../support/make/flag.ts";
import { plantArchive } from "../../support/make/insights.ts";

const TODAY = "2026-11-20" as UtcDay;
const NOW = startOfDay(TODAY) + 50_000_000;
const PROPERTY = "sc-domain:harbor.example";

const ground = shared(testGround);

const attached = (asset: string, provider: Provider, property: string): Attachment => ({
  asset,
  provider,
  credential: "one",
  connectionRevision: "first",
  property,
});

function read(asset: string, attachments: readonly Attachment[] = [], now = NOW): SitePanels {
  return readPanels(ground.store.db, { asset, url: null, attachments, now });
}

test("a site of which nothing is known has every family, none of them tried", () => {
  const { sources, issueFlags } = read("nobody");
  for (const provider of PROVIDERS) expect(sources[provider].property).toBeUndefined();
  expect(issueFlags).toEqual([]);
});

test("a failure behind a day that is not final yet is told, one before the day that is shown is not", async () => {
  const plant = { asset: "lagging", provider: "search-console", property: PROPERTY } as const;
  const failed = {
    outcome: "failed",
    category: "rate_limit",
    failureCode: "rate_limited",
    nextRetryAt: null,
  } as const;
  const lag = { outcome: "source_lag", category: null, failureCode: null, nextRetryAt: null } as const;
  await ground.writer.write((tx): void => {
    plantArchive(tx, { ...plant, newest: addDays(TODAY, -4) });
    plantArchive(tx, { ...plant, newest: addDays(TODAY, -3), dates: 1, families: ["query"], last: failed });
    plantArchive(tx, { ...plant, newest: addDays(TODAY, -6), dates: 1, families: ["page"], last: failed });
    plantArchive(tx, { ...plant, newest: addDays(TODAY, -1), dates: 1, last: lag });
  });
  const source = read("lagging", [attached("lagging", "search-console", PROPERTY)]).sources["search-console"];
  const query = source.reports.find(({ family }) => family.name === "query");
  expect(query?.shown?.insight.date).toBe(addDays(TODAY, -4));
  expect(query?.before?.insight.date).toBe(addDays(TODAY, -11));
  expect(source.reports.flatMap(({ family, failed }) => (failed === undefined ? [] : family.name))).toEqual([
    "query",
  ]);
});

test("figures of a property that was attached before are known as such", async () => {
  await ground.writer.write((tx): void => {
    const newest = addDays(TODAY, -1);
    plantArchive(tx, { asset: "moved", provider: "analytics", property: "properties/1", newest });
  });
  const { sources } = read("moved", [attached("moved", "analytics", "properties/2")]);
  expect(sources.analytics.property).toBe("properties/2");
  expect(sources.analytics.reports.find(({ family }) => family.name === "events")?.property).toBe(
    "properties/1",
  );
});

test("a site that an account's list matched is connected", async () => {
  await ground.writer.write((tx): void => {
    plantArchive(tx, {
      asset: "matched",
      provider: "webmaster-tools",
      property: "https://matched.example/",
      newest: TODAY,
    });
  });
  expect(read("matched").sources["webmaster-tools"].property).toBe("https://matched.example/");
  expect(read("matched").hosts).toEqual(["matched.example"]);
});

test("the open flags on a site's crawl issues are read with them, others are not", async () => {
  const issue = { asset: "matched", rule: PROVIDER_ISSUE, metric: null, subject: "http_5xx" } as const;
  const inputs = { first_seen: "2026-11-02T12:16:00Z" };
  await ground.writer.write((tx): void => {
    insertOpenFlag(tx, "issue", newFlag({ ...issue, rule_inputs: inputs }), NOW, "rule");
    insertOpenFlag(tx, "elsewhere", newFlag({ ...issue, asset: "orchard" }), NOW, "rule");
    insertOpenFlag(tx, "flow", newFlag({ asset: "matched" }), NOW, "rule");
  });
  expect(read("matched").issueFlags).toMatchObject([
    { id: "issue", subject: "http_5xx", firstSeen: "2026-11-02" as UtcDay },
  ]);
});

test("a flag that reports carry on is shown since it was raised first", async () => {
  await ground.writer.write((tx): void =>
    insertOpenFlag(tx, "carried", newFlag({ subject: "carried" }), NOW, "rule"),
  );
  const [row] = listFlagsById(ground.store.db, ["carried"]);
  const since = "2026-11-02T12:16:00.000Z";
  expect(row && toViewFlag({ ...row, chain: { ...row.chain, since } }, NOW).heldSince).toBe(
    Date.parse(since),
  );
});

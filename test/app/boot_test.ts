/** How the service's parts are put together: what each is told by the others. */

import { afterEach, beforeEach, expect, test } from "bun:test";
import { JOBS, runJob } from "../../src/app/schedule.ts";
import type { UtcDay } from "../../src/base/time.ts";
import { listHealthStates } from "../../src/health/state_store.ts";
import { freshnessMetric } from "../../src/rules/freshness.ts";
import { listVerdicts } from "../../src/rules/verdicts.ts";
import { lastPackedAttempt, PACK_ATTEMPTS } from "../../src/signals/attempt_packs.ts";
import { recordAttempt } from "../../src/signals/attempts.ts";
import { DEFAULT_DOCUMENT } from "../../src/sites/constants_schema.ts";
import { beginRun, findRun } from "../../src/store/job_runs.ts";
import { HARBOR_TOKEN, type TestGround, testGround } from "../support/deps.ts";
import { accept, sendNights } from "../support/nightly.ts";
import { pulledTower } from "../support/pulled.ts";
import { attemptOf, recordRun } from "../support/quarters.ts";
import { pullSignals, told } from "../support/signals.ts";
import { type TestTower, testTower } from "../support/test_tower.ts";
import { until } from "../support/until.ts";

let ground: TestGround;
let service: TestTower;
beforeEach(async () => {
  ground = await testGround();
  service = await testTower({
    ground: { store: ground.store, writer: ground.writer, clock: ground.clock, ids: ground.ids },
    settings: { ASSET_TOKENS: `harbor:${HARBOR_TOKEN}`, SERVICE_ASSET: "watch" },
  });
});
afterEach(() => service.close());

test("the freshness of sites is judged by its own rule, not by the flow rules; the same name at a site is a metric", async () => {
  const metrics = { [freshnessMetric("harbor")]: { last24h: 1 }, "ingest.nightly_reports": { last24h: 1 } };
  for (const asset of ["watch", "harbor"]) {
    await accept(ground, { asset, generatedAt: "2026-03-01T02:30:00Z", metrics });
  }
  await service.deps.follower.settle();
  const judged = (asset: string) =>
    listVerdicts(ground.store.db, asset)
      .map(({ metric }) => metric)
      .sort();
  expect(judged("watch")).toEqual(["ingest.nightly_reports"]);
  expect(judged("harbor")).toEqual([freshnessMetric("harbor"), "ingest.nightly_reports"].sort());
});

test("what is refused of a site's reports is told to health by the job that writes it down", async () => {
  const { deps } = service;
  expect((await service.report("/api/pulse", "{")).status).toBe(400);
  for (const job of JOBS) if (job.name === "refusals") await runJob(deps, job, "schedule");
  expect(
    listHealthStates(deps.store.db).map(({ scope, evidence }) => [
      `${scope.capability} ${scope.asset}`,
      evidence === "unreadable" ? evidence : evidence.latest.category,
    ]),
  ).toEqual([["ingest.nightly harbor", "invalid_report"]]);
});

test("a provider's figure is judged by the thresholds of its own source, the sent metric of its name by the site's", async () => {
  const { constants, follower } = service.deps;
  const text = `${DEFAULT_DOCUMENT}
[assets."harbor".signal_rules."analytics"."sessions"]
alpha = 0.002
[assets."harbor".flow_rules."sessions"]
alpha = 0.003
`;
  expect((await constants.save(text, { author: "ada" }, constants.document().digest)).ok).toBe(true);
  const days = { last: "2026-02-26" as UtcDay, days: 60 };
  await sendNights(ground, "harbor", days, () => ({ metrics: { sessions: { last24h: 40 } } }));
  await pullSignals(ground, { asset: "harbor", source: "analytics" }, days, { sessions: () => told(40) });
  await follower.settle();
  const alphaOf = (source: "pulse" | "analytics") =>
    listVerdicts(ground.store.db, "harbor", { source }).map(
      ({ verdict: { flow } }) => "alpha" in flow && flow.alpha,
    );
  expect([alphaOf("analytics"), alphaOf("pulse")]).toEqual([[0.002], [0.003]]);
});

test("a run that its process did not survive is ended with the attempts that are stored of it", async () => {
  const { jobs, store, writer } = service.deps;
  const attempt = attemptOf(5, { outcome: "failed", category: "network" });
  const id = await writer.write((tx) => {
    const begun = { run: "r-1", job: "sense", startedAt: 5, askedBy: "schedule" } as const;
    const run = beginRun(tx, begun, "a process that is gone") ?? 0;
    recordAttempt(tx, run, attempt);
    return run;
  });
  await jobs.recover();
  expect(findRun(store.db, id)?.end).toMatchObject({ fault: "cut_off", reports: { failed: 1 } });
});

test("what a pull tells is judged soon after it, though nobody else asks the rules to look", async () => {
  const pulled = await pulledTower();
  try {
    await pulled.run("sense");
    const { seen } = await until(
      async () => listVerdicts(pulled.tower.deps.store.db, "harbor.example", { source: "analytics" }).length,
      (verdicts) => verdicts > 0,
    );
    expect(seen).toBeGreaterThan(0);
  } finally {
    await pulled.close();
  }
});

test("a token that a pull was given serves who looks at the traffic: an account is signed in once", async () => {
  const pulled = await pulledTower();
  try {
    const { live, writer } = pulled.tower.deps;
    const exchanged = () => pulled.simulators.log.filter(({ server }) => server === "token").length;
    await pulled.run("sense");
    const before = exchanged();
    expect(before).toBeGreaterThan(0);
    live.look("harbor.example");
    await writer.settled();
    expect(live.look("harbor.example")).toMatchObject({ realtime: { failure: null, asking: false } });
    expect(exchanged()).toBe(before);
  } finally {
    await pulled.close();
  }
});

test("the minute's job has the rules look, too: a change of consent mode is told to nobody else", async () => {
  const days = { last: "2026-02-26" as UtcDay, days: 60 };
  await pullSignals(ground, { asset: "harbor", source: "analytics" }, days, { sessions: () => told(40) });
  expect((await service.deps.jobs.run("freshness", "schedule")).outcome).toBe("done");
  const { seen } = await until(
    async () => listVerdicts(ground.store.db, "harbor", { source: "analytics" }).map(({ metric }) => metric),
    (metrics) => metrics.length > 0,
  );
  expect(seen).toEqual(["sessions"]);
});

test("attempts that settled are packed by the schedule", async () => {
  const { deps } = service;
  await recordRun(
    ground,
    Array.from({ length: PACK_ATTEMPTS + 1 }, () => attemptOf(ground.clock.now())),
  );
  ground.clock.advance(2 * 86_400_000);
  expect((await deps.jobs.run("attempts", "schedule")).outcome).toBe("done");
  expect(lastPackedAttempt(deps.store.db)).toBe(PACK_ATTEMPTS);
});

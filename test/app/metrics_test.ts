/** What `/metrics` tells of the service's state: what a person alerts on, and never a 0 for what is not known. */

import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { JOBS, type Job, judgeFreshness, runJob } from "../../src/app/schedule.ts";
import type { Files } from "../../src/base/files.ts";
import { towerVersion } from "../../src/base/version.ts";
import { performAct } from "../../src/flags/acts.ts";
import { inboxTally, tallySites } from "../../src/flags/inbox.ts";
import { listOpenSubjects } from "../../src/flags/queries.ts";
import { reconcileFlags } from "../../src/flags/reconcile.ts";
import { insertOpenFlag } from "../../src/flags/store.ts";
import { pause } from "../../src/health/pauses.ts";
import { noteBackup } from "../../src/keep/backup.ts";
import { acceptPulse } from "../../src/reports/pulse_routes.ts";
import { STALE_INGEST } from "../../src/sites/rule_catalogue.ts";
import { addAsset, changeAsset } from "../../src/sites/site_changes.ts";
import { defaultsOf } from "../../src/sites/thresholds.ts";
import { HARBOR_TOKEN, testGround } from "../support/deps.ts";
import { FIRES, judgedRule, newFlag } from "../support/make/flag.ts";
import { pulse } from "../support/make/pulse.ts";
import { memoryFiles } from "../support/memory_files.ts";
import { noPromtool, promtool } from "../support/promtool.ts";
import { PORTS, type TestTower, TOWER_ORIGIN, testTower } from "../support/test_tower.ts";

const ADA = { id: "operator:ada", name: "ada" };

let service: TestTower;
let files: Files;
beforeEach(async () => {
  const ground = await testGround();
  files = memoryFiles(ground.clock);
  service = await testTower({ ground, files });
});
afterEach(() => service.close());

async function scrape(search = "?asset=*"): Promise<string> {
  const headers = { host: new URL(TOWER_ORIGIN).host };
  return (
    await service.tower(new Request(`${TOWER_ORIGIN}/metrics${search}`, { headers }), () => "127.0.0.1")
  ).text();
}

/** The samples of a figure, each without its name. */
async function samples(name: string): Promise<string[]> {
  return (await scrape()).split("\n").flatMap((line) => {
    const [, rest] = /^(\w+)(.*)$/.exec(line)?.[1] === name ? [name, line.slice(name.length).trim()] : [];
    return rest === undefined ? [] : [rest];
  });
}

const seconds = (back = 0) => (service.deps.clock.now() - back) / 1_000;

function receive(asset: string, receivedAt = service.deps.clock.now()) {
  const report = pulse({ asset });
  return service.deps.writer.write((tx) =>
    acceptPulse(tx, { report, body: JSON.stringify(report), receivedAt, newId: service.deps.ids.uuid }),
  );
}

function retire(asset: string) {
  const by = { actor: "operator:ada", now: service.deps.clock.now(), onRetired: () => undefined };
  return changeAsset(service.deps.writer, asset, { lifecycle: "retired" }, by);
}

describe("open flags", () => {
  const raise = (id: string, changes: Parameters<typeof newFlag>[0] = {}) =>
    service.deps.writer.write((tx): void =>
      insertOpenFlag(tx, id, newFlag(changes), service.deps.clock.now(), "rule"),
    );

  test("are counted by severity and by what was made of them, every combination from the start", async () => {
    expect(await samples("tower_open_flags")).toHaveLength(9);
    await raise("a", { rule: "r1", severity: "error" });
    await raise("b", { rule: "r2", severity: "error" });
    await raise("c", { rule: "r3", severity: "warn" });
    const { writer, clock, store } = service.deps;
    const by = { by: ADA, now: clock.now() };
    await writer.write((tx) => performAct(tx, "acknowledge", { id: "b", ...by }));
    await writer.write((tx) => performAct(tx, "snooze", { id: "c", ...by, until: clock.now() + 86_400_000 }));
    expect((await samples("tower_open_flags")).filter((sample) => !sample.endsWith(" 0"))).toEqual([
      '{severity="warn",state="snoozed"} 1',
      '{severity="error",state="unread"} 1',
      '{severity="error",state="acknowledged"} 1',
    ]);
    expect(inboxTally(tallySites(store.db, clock.now()).values())).toMatchObject({
      open: { error: 2, warn: 0 },
      snoozed: 1,
    });
  });

  test("that tell a thing anew are the thing once; a snooze that ends is unread again by itself", async () => {
    const { writer, clock, ids } = service.deps;
    const judge = () =>
      writer.write((tx) =>
        reconcileFlags(tx, {
          asset: "harbor",
          origin: "rule",
          judged: [judgedRule("codebase-growth", FIRES)],
          now: clock.now(),
          actor: "rule",
          newId: ids.uuid,
        }),
      );
    await judge();
    clock.advance(1_000);
    await judge();
    const unread = async () =>
      (await samples("tower_open_flags")).find((sample) =>
        sample.startsWith('{severity="warn",state="unread"}'),
      );
    expect(await unread()).toEndWith(" 1");
    const [open] = service.deps.store.raw
      .query<{ id: string }, []>("SELECT id FROM flag WHERE status = 'open'")
      .all();
    const until = clock.now() + 3_600_000;
    await writer.write((tx) =>
      performAct(tx, "snooze", { id: open?.id ?? "", by: ADA, now: clock.now(), until }),
    );
    expect(await unread()).toEndWith(" 0");
    clock.advance(3_600_001);
    expect(await unread()).toEndWith(" 1");
  });
});

describe("sites", () => {
  test("are counted by how they report; each for itself stands there only where it is asked for", async () => {
    await receive("harbor");
    const usual = await scrape("");
    expect(usual).toContain('tower_sites{state="reporting"} 1\n');
    expect(usual).toContain('tower_sites{state="never_reported"} 1\n');
    expect(usual).toContain('tower_sites{state="silent"} 0\n');
    expect(usual).not.toContain("harbor");
    expect(await scrape("?asset=harbor")).not.toContain("orchard");
    expect(await scrape("?asset=harbor")).toContain('tower_site_info{asset="harbor",lifecycle="live"} 1\n');
    service.deps.clock.advance(27 * 3_600_000);
    expect(await scrape("")).toContain('tower_sites{state="silent"} 1\n');
  });

  test("tell when each last reported; one that never did has no such time", async () => {
    await receive("harbor", service.deps.clock.now() - 5_000);
    expect(await samples("tower_site_last_report_timestamp_seconds")).toEqual([
      `{asset="harbor"} ${seconds(5_000)}`,
    ]);
  });

  test("have no limit of silence while they are paused", async () => {
    const { writer, clock } = service.deps;
    const until = clock.now() + 1_000;
    await writer.write((tx) => {
      pause(tx, { capability: "", asset: "harbor", until }, { actor: "operator:ada", now: clock.now() });
    });
    expect(await samples("tower_site_silence_limit_seconds")).toEqual(['{asset="orchard"} 93600']);
    clock.advance(1_000);
    expect(await samples("tower_site_silence_limit_seconds")).toHaveLength(2);
  });

  test("have a limit of silence while they are live, so that none that is retired or not yet public makes an alert", async () => {
    const { writer, clock } = service.deps;
    await addAsset(
      writer,
      { id: "newborn", lifecycle: "pre-launch" },
      { actor: "operator:ada", now: clock.now(), onRetired: () => undefined },
    );
    expect(await samples("tower_site_silence_limit_seconds")).toEqual([
      '{asset="harbor"} 93600',
      '{asset="orchard"} 93600',
    ]);
    await retire("harbor");
    expect(await samples("tower_site_silence_limit_seconds")).toEqual(['{asset="orchard"} 93600']);
    expect(await samples("tower_site_info")).toEqual([
      '{asset="harbor",lifecycle="retired"} 1',
      '{asset="newborn",lifecycle="pre-launch"} 1',
      '{asset="orchard",lifecycle="live"} 1',
    ]);
  });
});

test("a site that went live after its last report may be silent from then on, as stale-ingest has it", async () => {
  const { writer, clock, store, config } = service.deps;
  const by = { actor: "operator:ada", onRetired: () => undefined };
  await receive("harbor");
  await changeAsset(writer, "harbor", { lifecycle: "pre-launch" }, { ...by, now: clock.now() });
  clock.advance(40 * 3_600_000);
  await changeAsset(writer, "harbor", { lifecycle: "live" }, { ...by, now: clock.now() });
  const { silent_hours } = defaultsOf("freshness");
  const limit = (40 + silent_hours) * 3_600;
  expect((await samples("tower_site_silence_limit_seconds"))[0]).toBe(`{asset="harbor"} ${limit}`);
  const silent = async () => {
    await judgeFreshness(service.deps);
    return listOpenSubjects(store.db, STALE_INGEST, config.serviceAsset).map(({ subject }) => subject);
  };
  clock.advance(silent_hours * 3_600_000 - 1);
  expect(await silent()).toEqual([]);
  clock.advance(1);
  expect(await silent()).toEqual(["harbor"]);
});

describe("the service itself", () => {
  test("names its release", async () => {
    expect(await samples("tower_build_info")).toEqual([`{version="${towerVersion()}"} 1`]);
  });

  test("says whether the constants document is in effect", async () => {
    expect(await samples("tower_constants_valid")).toEqual(["1"]);
    await files.writeNew("/nowhere/broken", Buffer.from("freshness = 3"), 0o600);
    await files.rename("/nowhere/broken", "/nowhere/constants.toml");
    await service.deps.constants.refresh();
    expect(await samples("tower_constants_valid")).toEqual(["0"]);
  });

  test("tells of its last backup, once there is one", async () => {
    expect(await samples("tower_last_backup_timestamp_seconds")).toEqual([]);
    await service.deps.writer.write((tx) => noteBackup(tx, { at: service.deps.clock.now(), lacking: 2 }));
    expect(await samples("tower_last_backup_timestamp_seconds")).toEqual([String(seconds())]);
    expect(await samples("tower_last_backup_lacking_objects")).toEqual(["2"]);
  });

  test("tells when each job last came off and how often one failed; one that did not run has no time", async () => {
    expect(await samples("tower_job_last_success_timestamp_seconds")).toEqual([]);
    const [job] = JOBS;
    if (job === undefined) throw new Error("there is no job");
    await runJob(service.deps, job, "schedule");
    const failing: Job = {
      name: job.name,
      at: job.at,
      madeUp: false,
      run: () => Promise.reject(new Error("broken")),
    };
    service.deps.clock.advance(10_000);
    expect(await runJob(service.deps, failing, "schedule")).toMatchObject({
      outcome: "failed",
      fault: "broken",
    });
    expect(await samples("tower_job_last_success_timestamp_seconds")).toEqual([
      `{name="${job.name}"} ${seconds(10_000)}`,
    ]);
    expect((await samples("tower_job_failures_total")).filter((sample) => !sample.endsWith(" 0"))).toEqual([
      `{name="${job.name}"} 1`,
    ]);
    expect(await samples("tower_job_failures_total")).toHaveLength(JOBS.length);
  });

  test("tells integrations by state and how much of them can be judged; what cannot be read has no sample", async () => {
    const coverage = async () =>
      (await samples("tower_health_coverage")).flatMap((sample) =>
        sample.endsWith(" 1") ? [sample.slice(8, -4)] : [],
      );
    await receive("harbor");
    await retire("orchard");
    const targets = await samples("tower_health_targets");
    expect(targets).toHaveLength(9);
    expect(targets).toContain('{state="working"} 1');
    expect(await coverage()).toEqual(["complete"]);
    await retire("harbor");
    expect(await coverage()).toEqual(["empty"]);
    service.deps.store.raw.run("ALTER TABLE health_state RENAME TO gone");
    expect(await coverage()).toEqual(["unknown"]);
    expect(await samples("tower_health_targets")).toEqual([]);
    expect(await samples("tower_sites")).toContain('{state="retired"} 2');
    service.deps.store.raw.run("ALTER TABLE pulse_freshness RENAME TO gone_too");
    expect(await samples("tower_sites")).toEqual([]);
  });

  test("counts refused reports by their code, and every code from the start", async () => {
    const codes = await samples("tower_refused_reports_total");
    expect(codes).toContain('{code="broken-contract"} 0');
    const headers = {
      host: `localhost:${PORTS.ingest}`,
      authorization: `Bearer ${HARBOR_TOKEN}`,
      "content-type": "application/json",
    };
    const url = `http://localhost:${PORTS.ingest}/api/pulse`;
    await service.ingest(new Request(url, { method: "POST", headers, body: "{}" }));
    const after = await samples("tower_refused_reports_total");
    expect(after).toHaveLength(codes.length);
    expect(after).toContain('{code="broken-contract"} 1');
  });
});

describe(`Prometheus' own checker finds nothing to say${noPromtool === undefined ? "" : ` (not run: ${noPromtool})`}`, () => {
  const here = test.skipIf(noPromtool !== undefined);

  here("of a service that holds nothing", async () => {
    expect(await promtool(["check", "metrics"], await scrape())).toBe("0");
  });

  here("of one in use", async () => {
    await receive("harbor");
    await retire("orchard");
    await service.deps.writer.write((tx) => noteBackup(tx, { at: service.deps.clock.now(), lacking: 2 }));
    for (const job of JOBS) await runJob(service.deps, job, "schedule");
    await scrape();
    expect(await promtool(["check", "metrics"], await scrape())).toBe("0");
  });
});

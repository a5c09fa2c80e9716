/** What `/metrics` tells of the service's state: what a person alerts on, and never a 0 for what is not known. */

import { describe, expect, test } from "bun:test";
import { JOBS, type Job, judgeFreshness, runJob } from "../../src/app/schedule.ts";
import type { Files } from "../../src/base/files.ts";
import { performAct } from "../../src/flags/acts.ts";
import { listOpenSubjects } from "../../src/flags/queries.ts";
import { reconcileFlags } from "../../src/flags/reconcile.ts";
import { insertOpenFlag } from "../../src/flags/store.ts";
import { pause } from "../../src/health/pauses.ts";
import { noteBackup } from "../../src/keep/backup.ts";
import { acceptPulse } from "../../src/reports/pulse_routes.ts";
import { STALE_INGEST } from "../../src/sites/rule_catalogue.ts";
import { changeAsset } from "../../src/sites/site_changes.ts";
import { defaultsOf } from "../../src/sites/thresholds.ts";
import { testGround } from "../support/deps.ts";
import { fresh } from "../support/fresh.ts";
import { FIRES, judgedRule, newFlag } from "../support/make/flag.ts";
import { pulse } from "../support/make/pulse.ts";
import { memoryFiles } from "../support/memory_files.ts";
import { noPromtool, promtool } from "../support/promtool.ts";
import { testTower } from "../support/test_tower.ts";

const ADA = { id: "operator:ada", name: "ada" };

let files: Files;
const service = fresh(async () => {
  const ground = await testGround();
  files = memoryFiles(ground.clock);
  return testTower({ ground, files });
});

const scrape = async (search = "?asset=*") => (await service.ask(`/metrics${search}`, { as: "" })).text();

function receive(asset: string, receivedAt = service.deps.clock.now()) {
  const report = pulse({ asset });
  return service.deps.writer.write((tx) =>
    acceptPulse(tx, { report, body: JSON.stringify(report), receivedAt, newId: service.deps.ids.uuid }),
  );
}

/** Figures that change with every look, or are the machine's. */
const OF_A_LOOK =
  /^(?:# |process_|nodejs_|bun_|tower_(?:http|queued_writes|uptime|build|wal_bytes|database_bytes|disk|open_files|\w+_seconds_(?:bucket|sum|count)))/;

async function figures(search?: string): Promise<Set<string>> {
  return new Set((await scrape(search)).split("\n").filter((line) => line !== "" && !OF_A_LOOK.test(line)));
}

const HOUR = 3_600_000;
const raise = (id: string, changes: Parameters<typeof newFlag>[0]) =>
  service.deps.writer.write((tx): void =>
    insertOpenFlag(tx, id, newFlag(changes), service.deps.clock.now(), "rule"),
  );
const acknowledge = (id: string) =>
  service.deps.writer.write((tx) => {
    performAct(tx, "acknowledge", { id, by: ADA, now: service.deps.clock.now() });
  });
const snooze = (id: string) =>
  service.deps.writer.write((tx) => {
    const now = service.deps.clock.now();
    performAct(tx, "snooze", { id, by: ADA, now, until: now + HOUR });
  });
/** The rule fires again: what is open of it is renewed. */
const judge = () =>
  service.deps.writer.write((tx) => {
    const { clock, ids } = service.deps;
    const judged = [judgedRule("codebase-growth", FIRES)];
    const by = { origin: "rule", now: clock.now(), actor: "rule", newId: ids.uuid } as const;
    reconcileFlags(tx, { asset: "harbor", judged, ...by });
  });
const move = (asset: string, lifecycle: "pre-launch" | "live" | "retired") =>
  changeAsset(
    service.deps.writer,
    asset,
    { lifecycle },
    { actor: ADA.id, now: service.deps.clock.now(), onRetired: () => undefined },
  );
const job = JOBS[0] as Job;

/** What happens to a service, in turn. */
const STEPS: Readonly<Record<string, () => unknown>> = {
  "a flag of each severity, one acknowledged and one snoozed for an hour": async () => {
    for (const severity of ["info", "warn", "error"] as const)
      await raise(severity, { rule: severity, severity });
    await acknowledge("error");
    await snooze("warn");
  },
  "the snooze ends by itself": () => service.deps.clock.advance(HOUR + 1),
  "a rule fires": judge,
  "what it fires again is the same thing": () => {
    service.deps.clock.advance(1_000);
    return judge();
  },
  "a site reports": () => receive("harbor", service.deps.clock.now() - 5_000),
  "it is silent": () => service.deps.clock.advance(27 * HOUR),
  "it is paused for a second": () =>
    service.deps.writer.write((tx) => {
      const now = service.deps.clock.now();
      pause(tx, { capability: "", asset: "harbor", until: now + 1_000 }, { actor: ADA.id, now });
    }),
  "the pause is over": () => service.deps.clock.advance(1_000),
  "it is not yet public": () => move("harbor", "pre-launch"),
  "it goes live, and may be silent from then on": () => move("harbor", "live"),
  "the other one is retired": () => move("orchard", "retired"),
  "its constants document has a mistake": async () => {
    await files.writeNew("/nowhere/broken", Buffer.from("freshness = 3"), 0o600);
    await files.rename("/nowhere/broken", "/nowhere/constants.toml");
    await service.deps.constants.refresh();
  },
  "a backup that lacks two objects": () =>
    service.deps.writer.write((tx) => noteBackup(tx, { at: service.deps.clock.now(), lacking: 2 })),
  "a job comes off": () => runJob(service.deps, job, "schedule"),
  "it fails ten seconds later": () => {
    service.deps.clock.advance(10_000);
    const run = () => Promise.reject(new Error("broken"));
    return runJob(service.deps, { name: job.name, at: job.at, madeUp: false, run }, "schedule");
  },
  "a report is refused": () => service.report("/api/pulse", {}),
  "health cannot be read": () => service.deps.store.raw.run("ALTER TABLE health_state RENAME TO gone"),
  "open flags cannot be read": () => service.deps.store.raw.run("ALTER TABLE flag RENAME TO gone_too"),
};

test("what each of these changes of the figures is recorded; what is not known has no sample", async () => {
  let before = await figures();
  const said = ["at first", ...before];
  for (const [what, happens] of Object.entries(STEPS)) {
    await happens();
    const now = await figures();
    const [more, less] = [now.difference(before), before.difference(now)];
    said.push(`${what}:`, ...[...less].map((line) => `- ${line}`), ...[...more].map((line) => `+ ${line}`));
    before = now;
  }
  expect(said.join("\n")).toMatchSnapshot();
});

test("each site for itself stands there only where it is asked for", async () => {
  const all = await scrape("");
  expect(all).not.toContain("harbor");
  expect(all).toContain("tower_sites{");
  const harbor = await scrape("?asset=harbor");
  expect([harbor.includes('{asset="harbor"'), harbor.includes("orchard")]).toEqual([true, false]);
});

test("a site that went live after its last report may be silent from then on, as stale-ingest has it", async () => {
  const { clock, store, config } = service.deps;
  await receive("harbor");
  await move("harbor", "pre-launch");
  clock.advance(40 * HOUR);
  await move("harbor", "live");
  const { silent_hours } = defaultsOf("freshness");
  const limit = `tower_site_silence_limit_seconds{asset="harbor"} ${(40 + silent_hours) * 3_600}`;
  expect(await figures("?asset=harbor")).toContain(limit);
  const silent = async () => {
    await judgeFreshness(service.deps);
    return listOpenSubjects(store.db, STALE_INGEST, config.serviceAsset).map(({ subject }) => subject);
  };
  clock.advance(silent_hours * HOUR - 1);
  expect(await silent()).toStrictEqual([]);
  clock.advance(1);
  expect(await silent()).toEqual(["harbor"]);
});

describe(`Prometheus' own checker finds nothing to say${noPromtool === undefined ? "" : ` (not run: ${noPromtool})`}`, () => {
  const here = test.skipIf(noPromtool !== undefined);

  here("of a service that holds nothing", async () => {
    expect(await promtool(["check", "metrics"], await scrape())).toBe("0");
  });

  here("of one in use", async () => {
    await receive("harbor");
    await move("orchard", "retired");
    await service.deps.writer.write((tx) => noteBackup(tx, { at: service.deps.clock.now(), lacking: 2 }));
    for (const job of JOBS) await runJob(service.deps, job, "schedule");
    await scrape();
    expect(await promtool(["check", "metrics"], await scrape())).toBe("0");
  });
});

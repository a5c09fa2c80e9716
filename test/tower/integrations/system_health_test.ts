/**
 * What is not watched, and what a service has to say of itself: recorded wherever it matters, over a restart, until it ends. After a change
 * that is meant, `bun test test/tower/integrations/system_health_test.ts --update-snapshots` writes it anew; the difference is to be read
 * like code.
 */

import { afterEach, beforeEach, expect, jest, test } from "bun:test";
import type { Config } from "../../../src/base/config.ts";
import { noteFailure } from "../../../src/health/monitoring.ts";
import { noteBackup } from "../../../src/keep/backup.ts";
import { findGrowth, measureStored } from "../../../src/keep/growth.ts";
import { SendRates } from "../../../src/sites/report_sender.ts";
import type { JobEntry } from "../../../src/store/job_runs.ts";
import { type Acts, actsAt } from "../../support/acts.ts";
import { HARBOR_TOKEN, type TestGround, testGround } from "../../support/deps.ts";
import { byId, textOf } from "../../support/html.ts";
import { pulse } from "../../support/make/pulse.ts";
import { memoryFiles } from "../../support/memory_files.ts";
import { accept } from "../../support/nightly.ts";
import { PROXY, type TestTower, testTower } from "../../support/test_tower.ts";

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
const FILE = "/nowhere/constants.toml";

let ground: TestGround;
let service: TestTower;
let acts: Acts;
let files: ReturnType<typeof memoryFiles>;
beforeEach(async () => {
  ground = await testGround();
  files = memoryFiles(ground.clock);
  service = await testTower({ ground, settings: PROXY, files });
  acts = actsAt(service);
  await accept(ground, pulse({ asset: "harbor" }));
});
afterEach(() => service.close());

/** The kinds of what is not watched, as programs are told them. */
async function kinds(): Promise<string[]> {
  const answer = await service.ask("/api/integrations/health");
  const { coverage, monitoring } = (await answer.json()) as {
    coverage: { state: string };
    monitoring: { kind: string }[];
  };
  return [coverage.state, ...monitoring.map(({ kind }) => kind)];
}

test("a constants document that is broken, until it is mended", async () => {
  const everywhere = () => acts.watch("/health", "/flags", "/", "/settings/constants", "/timeline");
  await everywhere();
  for (const [text, told] of [
    ['[freshness]\nsilent_hours = "a day"\n', ["partial", "constants"]],
    ["[freshness]\nsilent_hours = 30\n", ["complete"]],
  ] as const) {
    await files.remove(FILE);
    await files.writeNew(FILE, new TextEncoder().encode(text), 0o600);
    ground.clock.advance(1_000);
    await service.deps.constants.refresh();
    await everywhere();
    expect(await kinds()).toEqual([...told]);
  }
  expect(acts.recorded()).toMatchSnapshot();
});

test("every foot counts all that is not watched, however much it is, as the payload does", async () => {
  await service.deps.writer.write((tx): void => {
    for (let place = 0; place <= 1_000; place++) {
      const of = { kind: "rule", asset: "harbor", source: "", subject: `metric${place}` } as const;
      noteFailure(tx, of, { reason: "It broke.", now: ground.clock.now() });
    }
  });
  expect(await kinds()).toHaveLength(1_002);
  const foot = textOf(byId(await service.open("/timeline"), "watching"));
  expect(foot).toBe("This service: 1,001 parts are not watched");
});

test("a job that hangs, over a restart, until it succeeds again", async () => {
  const everywhere = () => acts.watch("/health", "/flags", "/integrations/runs");
  const hanging = Promise.withResolvers<void>();
  const sense = (work: JobEntry["work"]): JobEntry => {
    return { name: "sense", at: "*/15 * * * *", recorded: true, work };
  };
  jest.useFakeTimers();
  const running = service.deps.jobs.runEntry(
    sense((run) => {
      run.progress(3, 40, "harbor");
      return hanging.promise;
    }),
    "schedule",
  );
  await service.deps.writer.write(() => null);
  await everywhere();
  jest.advanceTimersByTime(60 * MINUTE);
  jest.useRealTimers();
  await service.deps.writer.settled();
  await everywhere();
  hanging.reject(new Error("the process ended"));
  await running;
  await service.deps.writer.settled();
  await service.stop();
  service = await testTower({ ground, settings: PROXY, files });
  expect(await kinds()).toEqual(["partial", "job"]);
  await service.deps.jobs.runEntry(
    sense(async () => undefined),
    "start",
  );
  await service.deps.writer.settled();
  await everywhere();
  expect(await kinds()).toEqual(["complete"]);
  expect(acts.recorded().replaceAll(/\b[0-9a-f]{8}-[0-9a-f-]{27}\b/g, "RUN")).toMatchSnapshot();
});

test("a service that has no site, and one whose health cannot be read", async () => {
  for (const table of ["health_state", "monitoring_failure"]) {
    const { raw } = service.deps.store;
    raw.run(`ALTER TABLE ${table} RENAME TO gone`);
    await acts.watch(
      "/health",
      "/",
      "/wall",
      "/integrations",
      "/integrations/all",
      "/sites/harbor/integrations",
    );
    raw.run(`ALTER TABLE gone RENAME TO ${table}`);
  }
  ground.store.raw.run("UPDATE asset SET lifecycle = 'retired' WHERE id <> 'tower'");
  await service.deps.writer.write(() => null);
  await acts.watch("/health", "/sites/harbor/integrations");
  expect(acts.recorded()).toMatchSnapshot();
});

test("backups that lack objects, senders that are refused or near their limit, and how fast it grows", async () => {
  const { deps } = service;
  const look = () => acts.watch("/health");
  await look();
  for (const lacking of [0, 2, undefined]) {
    await deps.writer.write((tx) => noteBackup(tx, { at: ground.clock.now(), lacking }));
    await look();
  }
  for (let twice = 0; twice < 2; twice++) await acts.report({}, "nobody");
  for (const body of [{ asset: "harbor" }, pulse({ asset: "harbor" })]) {
    await acts.report(body, HARBOR_TOKEN);
    ground.clock.advance(MINUTE);
    await deps.jobs.run("refusals", "schedule");
    await look();
  }
  for (const days of [6, 1]) {
    await measureStored(deps);
    ground.clock.advance(days * DAY);
  }
  deps.store.raw.run("INSERT INTO pulse_body (id, asset, body) VALUES (99, 'harbor', ?)", ["x".repeat(7e6)]);
  await measureStored(deps);
  await deps.machine.look();
  await look();
  const now = ground.clock.now();
  const fullIn = (s3: object | undefined) =>
    ((findGrowth(deps.store.db, { s3 } as Config, { free: 100e6, now })?.fullAt ?? 0) - now) / DAY;
  expect(fullIn(undefined)).toBeWithin(95, 101);
  deps.store.raw.run("UPDATE stored_size SET bytes = rowid * 9e6 WHERE kind = 'archived objects'");
  expect([fullIn(undefined) < 50, fullIn({}) > 94]).toEqual([true, true]);
  expect(acts.recorded()).toMatchSnapshot();
});

test("a site whose token comes near its bytes of a day is named on System health until the day is over", async () => {
  const sendRates = new SendRates({ burst: 10, perSecond: 10, bytesPerDay: 1_024 });
  const near = await testTower({ ground: { ...ground, sendRates }, settings: PROXY, files });
  const ingest = async () => textOf(byId(await near.open("/health"), "ingest"));
  const token = { asset: "harbor", digest: "a", issued: true };
  const now = ground.clock.now();
  expect(sendRates.takeBytes(token, 900, now)).toBe(0);
  expect(await ingest()).toContain("Near the daily limitnone");
  expect(sendRates.giveBack(token, { most: 900, read: 900 }, now)).toBe(true);
  expect(await ingest()).toContain("Near the daily limitharbor (900 bytes of 1 KiB)");
  ground.clock.advance(DAY);
  expect(await ingest()).toContain("Near the daily limitnone");
  await near.stop();
});

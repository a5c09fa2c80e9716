/** What is not watched is told wherever it matters, kept over a restart, and ends by itself. */

import { afterEach, beforeEach, expect, jest, test } from "bun:test";
import { JOBS } from "../../../src/app/schedule.ts";
import { noteFailure } from "../../../src/health/monitoring.ts";
import { noteBackup } from "../../../src/keep/backup.ts";
import { findGrowth, measureStored } from "../../../src/keep/growth.ts";
import { SendRates } from "../../../src/sites/report_sender.ts";
import { listPortfolio } from "../../../src/sites/sites.ts";
import type { JobEntry } from "../../../src/store/job_runs.ts";
import { jobSentence, jobTitle, monitoringWords } from "../../../src/tower/kit/words.tsx";
import { HARBOR_TOKEN, type TestGround, testGround } from "../../support/deps.ts";
import { attribute, byId, elements, parsed, textOf } from "../../support/html.ts";
import { pulse } from "../../support/make/pulse.ts";
import { memoryFiles } from "../../support/memory_files.ts";
import { accept } from "../../support/nightly.ts";
import { PROXY, type TestTower, testTower } from "../../support/test_tower.ts";

const MINUTE = 60_000;
const FILE = "/nowhere/constants.toml";

let ground: TestGround;
let service: TestTower;
let files: ReturnType<typeof memoryFiles>;
beforeEach(async () => {
  ground = await testGround();
  files = memoryFiles(ground.clock);
  service = await start();
  await accept(ground, pulse({ asset: "harbor" }));
});
afterEach(() => service.close());

const start = () => testTower({ ground, settings: PROXY, files });

const has = (page: ReturnType<typeof parsed>, id: string) =>
  elements(page).some(({ attrs }) => attrs.some(({ name, value }) => name === "id" && value === id));

async function payload() {
  const { coverage, monitoring } = (await (await service.ask("/api/integrations/health")).json()) as {
    coverage: { state: string };
    monitoring: { kind: string; reason: string }[];
  };
  return { coverage: coverage.state, kinds: monitoring.map(({ kind }) => kind) };
}

async function writeConstants(text: string): Promise<void> {
  await files.remove(FILE);
  await files.writeNew(FILE, new TextEncoder().encode(text), 0o600);
  ground.clock.advance(1_000);
  await service.deps.constants.refresh();
}

test("a broken constants document stands on System health, on Flags, on the settings, in the payload and in every foot, until it is mended", async () => {
  expect(textOf(byId(await service.open("/health"), "watching"))).toBe("This service: watching");
  expect(await payload()).toEqual({ coverage: "complete", kinds: [] });

  await writeConstants('[freshness]\nsilent_hours = "a day"\n');
  const health = await service.open("/health");
  expect(textOf(byId(health, "coverage"))).toStartWith("Not everything is watched.");
  expect(textOf(byId(health, "next"))).toContain("The constants document");
  expect(textOf(byId(health, "next"))).toContain("silent_hours");
  expect(textOf(byId(await service.open("/flags"), "not-watched"))).toContain("The constants document");
  expect(textOf(byId(await service.open("/"), "not-watched"))).toContain("The constants document");
  expect(has(await service.open("/settings/constants"), "file-problem")).toBe(true);
  const foot = byId(await service.open("/timeline"), "watching");
  expect(textOf(foot)).toBe("This service: 1 part is not watched");
  expect(elements(foot, (element) => attribute(element, "data-state") === "unknown")).toHaveLength(1);
  expect(await payload()).toEqual({ coverage: "partial", kinds: ["constants"] });

  await writeConstants("[freshness]\nsilent_hours = 30\n");
  const mended = await service.open("/health");
  expect(has(mended, "coverage")).toBe(false);
  expect(textOf(byId(mended, "watching"))).toBe("This service: watching");
  expect(textOf(byId(mended, "ingest"))).toContain("30 h");
  for (const path of ["/flags", "/"]) expect(has(await service.open(path), "not-watched")).toBe(false);
  expect(await payload()).toEqual({ coverage: "complete", kinds: [] });
});

test("every foot counts all that is not watched, however much it is, as the payload does", async () => {
  const many = Array.from({ length: 1_001 }, (_, place) => `metric${place}`);
  await service.deps.writer.write((tx): void => {
    for (const subject of many)
      noteFailure(
        tx,
        { kind: "rule", asset: "harbor", source: "", subject },
        { reason: "It broke.", now: ground.clock.now() },
      );
  });
  expect((await payload()).kinds).toHaveLength(1_001);
  expect(textOf(byId(await service.open("/timeline"), "watching"))).toBe(
    "This service: 1,001 parts are not watched",
  );
});

test("a job that hangs stands on System health, on Runs and in an empty inbox, over a restart, until it comes off again", async () => {
  const hanging = Promise.withResolvers<void>();
  const sense = (work: JobEntry["work"]): JobEntry => ({
    name: "sense",
    at: "*/15 * * * *",
    recorded: true,
    work,
  });
  const { jobs } = service.deps;
  jest.useFakeTimers();
  const running = jobs.runEntry(
    sense((run) => {
      run.progress(3, 40, "harbor");
      return hanging.promise;
    }),
    "schedule",
  );
  await service.deps.writer.write(() => null);
  expect(textOf(byId(await service.open("/integrations/runs"), "job-sense"))).toContain("3 of 40 asked");

  jest.advanceTimersByTime(60 * MINUTE);
  jest.useRealTimers();
  await service.deps.writer.settled();
  const told = "It has been running for more than 1 hour without getting any further.";
  const everywhere = async () => {
    expect(textOf(byId(await service.open("/integrations/runs"), "job-sense"))).toContain(told);
    expect(textOf(byId(await service.open("/health"), "next"))).toContain(told);
    expect(textOf(byId(await service.open("/integrations/runs"), "not-watched"))).toContain(told);
    const inbox = await service.open("/flags");
    expect(textOf(byId(inbox, "not-watched"))).toContain(told);
    expect(textOf(inbox)).toContain("rules did not run");
    expect(textOf(inbox)).not.toContain("All checks ran");
    expect((await payload()).kinds).toEqual(["job"]);
  };
  await everywhere();

  hanging.reject(new Error("the process ended"));
  await running;
  await service.deps.writer.settled();
  await service.stop();
  service = await start();
  expect((await payload()).kinds).toEqual(["job"]);
  await service.deps.jobs.runEntry(
    sense(async () => undefined),
    "start",
  );
  await service.deps.writer.settled();
  expect((await payload()).kinds).toEqual([]);
  expect(textOf(byId(await service.open("/health"), "watching"))).toBe("This service: watching");
});

test("nothing set up is no all-clear, and says what comes first", async () => {
  ground.store.raw.run("UPDATE asset SET lifecycle = 'retired' WHERE id <> 'tower'");
  await service.deps.writer.write(() => null);
  const page = await service.open("/health");
  expect(textOf(byId(page, "next"))).toContain("Tower watches nothing yet.");
  expect(textOf(byId(page, "next"))).toContain("Add a site");
});

test.each([
  ["health_state", "This service: watching"],
  ["monitoring_failure", "This service: what is watched cannot be read"],
])("where %s cannot be read the page still answers, and is no all-clear", async (table, foot) => {
  service.deps.store.raw.run(`ALTER TABLE ${table} RENAME TO gone`);
  const response = await service.ask("/health");
  expect(response.status).toBe(200);
  const page = parsed(await response.text());
  expect(textOf(byId(page, "coverage"))).toStartWith("Unknown. This cannot be read:");
  expect(textOf(byId(page, "coverage"))).toContain("This is not an all-clear.");
  expect(textOf(byId(page, "watching"))).toBe(foot);
  expect(textOf(byId(page, "next"))).not.toContain("Nothing is wrong with Tower");
});

test("every job of the service has a name and says what it does; one whose runs are kept leads to them", () => {
  for (const { name, recorded } of JOBS) {
    expect(jobTitle(name)).not.toBe(name);
    expect(jobSentence(name)).toEndWith(".");
    const failure = { kind: "job", asset: "", source: "", subject: name, since: 0, reason: "" } as const;
    const { href } = monitoringWords(failure).link;
    expect(href).toStartWith(recorded === true ? "/integrations/runs#" : "/health#");
  }
});

test("the last backup says what of the archive it lacks, and whether that was wanted", async () => {
  const told = async (lacking: number | undefined) => {
    const at = ground.clock.now();
    await service.deps.writer.write((tx) => noteBackup(tx, { at, lacking }));
    return textOf(byId(await service.open("/health"), "storage"));
  };
  expect(await told(0)).not.toContain("not whole");
  expect(await told(2)).toContain("2 objects of the archive could not be copied");
  expect(await told(undefined)).toContain(", without the objects of the archive");
});

test("reports that come with no site's token stand on System health, with the last of them", async () => {
  const ingest = async () => textOf(byId(await service.open("/health"), "ingest"));
  expect(await ingest()).toContain("Unknown tokennone since Tower started");
  for (let i = 0; i < 2; i++) {
    expect((await service.report("/api/pulse", {}, "nobody")).status).toBe(401);
  }
  expect(await ingest()).toMatch(/Unknown token2 reports refused since Tower started, last \S/);
});

test("a site whose report was refused is named on System health until it sends a good one", async () => {
  const ingest = async () => {
    ground.clock.advance(MINUTE);
    await service.deps.jobs.run("refusals", "schedule");
    return textOf(byId(await service.open("/health"), "ingest"));
  };
  expect(await ingest()).toContain("Refusednone since the last good report of each site");
  expect((await service.report("/api/pulse", { asset: "harbor" }, HARBOR_TOKEN)).status).toBe(422);
  expect(await ingest()).toContain("Refusedreports of 1 site: harbor");
  expect((await service.report("/api/pulse", pulse({ asset: "harbor" }), HARBOR_TOKEN)).status).toBe(201);
  expect(await ingest()).toContain("Refusednone since the last good report of each site");
});

test("a site whose token comes near its bytes of a day is named on System health until the day is over", async () => {
  const sendRates = new SendRates({
    burst: 10,
    perSecond: 10,
    bytesPerDay: 1_024,
  });
  const near = await testTower({
    ground: { ...ground, sendRates },
    settings: PROXY,
    files,
  });
  const ingest = async () => {
    return textOf(byId(await near.open("/health"), "ingest"));
  };
  const token = { asset: "harbor", digest: "a", issued: true };
  const now = ground.clock.now();
  expect(sendRates.takeBytes(token, 900, now)).toBe(0);
  expect(await ingest()).toContain("Near the daily limitnone");
  expect(sendRates.giveBack(token, { most: 900, read: 900 }, now)).toBe(true);
  expect(await ingest()).toContain("Near the daily limitharbor (900 bytes of 1 KiB)");
  ground.clock.advance(86_400_000);
  expect(await ingest()).toContain("Near the daily limitnone");
  await near.stop();
});

test("how fast what is stored grows is told by kind once a week was measured, and when the disk is full; before that it is not known", async () => {
  const storage = async () => textOf(byId(await service.open("/health"), "storage"));
  const { deps } = service;
  const growth = (free: number) =>
    findGrowth(deps.store.db, { s3: undefined }, { free, now: ground.clock.now() });
  await measureStored(deps);
  ground.clock.advance(6 * 24 * 60 * MINUTE);
  await measureStored(deps);
  expect(await storage()).toContain("Not known before a week is measured");
  deps.store.raw.run("INSERT INTO pulse_body (id, asset, body) VALUES (99, 'harbor', ?)", ["x".repeat(7e6)]);
  ground.clock.advance(24 * 60 * MINUTE);
  await measureStored(deps);
  const sites = listPortfolio(deps.store.db).length;
  expect(await storage()).toContain(`${Math.round(365e6 / sites / 2 ** 20)} MiB of reports`);
  await deps.machine.look();
  expect(await storage()).toContain("Not within 20 years");
  const days = ((growth(100e6)?.fullAt ?? 0) - ground.clock.now()) / (24 * 60 * MINUTE);
  expect(Math.round(days)).toBeWithin(95, 101);
});

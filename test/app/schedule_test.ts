import { beforeEach, describe, expect, jest, spyOn, test } from "bun:test";
import { Cron } from "croner";
import type { Deps } from "../../src/app/app.ts";
import { JOBS, type Job, runJob, startSchedule } from "../../src/app/schedule.ts";
import { recordReport } from "../../src/archive/manifest.ts";
import { systemClock } from "../../src/base/base.ts";
import { listPulses } from "../../src/reports/pulse.ts";
import { beginRun, findRun, listRuns } from "../../src/store/job_runs.ts";
import { reportOf } from "../support/archive.ts";
import { FakeClock } from "../support/clock.ts";
import { openFolder, openNewFolder } from "../support/data_folder.ts";
import { temporaryFolder } from "../support/folder.ts";
import { fresh } from "../support/fresh.ts";
import { jobsOf } from "../support/jobs.ts";
import { captureLog } from "../support/log.ts";
import { recordEach } from "../support/mixtures.ts";
import { until } from "../support/until.ts";

const ownPulse = JOBS.filter(({ name }) => name === "own-pulse");

const opened = fresh(openNewFolder);
let clock: FakeClock;
let deps: Deps;
beforeEach(() => {
  clock = new FakeClock("2026-03-01T10:00:00Z");
  deps = { ...opened.deps, clock, jobs: jobsOf({ ...opened.deps, clock }) };
  setBegun("2026-03-01T10:00:00Z");
});

/** Says when the service was first started. */
function setBegun(at: string): void {
  opened.deps.store.raw.run("UPDATE asset SET added_at = ? WHERE id = 'tower'", [Date.parse(at)]);
}

/** A start of the service, and its end once what it made up is done. */
async function start(at: string): Promise<void> {
  clock.at(at);
  const stop = startSchedule(deps, ownPulse);
  await deps.writer.write(() => null);
  await deps.follower.settle();
  stop();
}

const sent = () =>
  listPulses(deps.store.db, { asset: "tower", allRevisions: true }, 50).map(
    ({ date, revision }) => `${date} ${revision}`,
  );

test("every job runs as often as what rests on it needs, recorded", () => {
  recordEach(JOBS, ({ name, at, madeUp }) => {
    const runs = new Cron(at, { timezone: "UTC", paused: true }).nextRuns(
      3,
      new Date("2026-02-27T23:59:00Z"),
    );
    return [name, madeUp ? "made up" : "", ...runs.map((run) => run.toISOString().slice(5, 19))].join(" ");
  });
});

test("what is archived is read ahead every minute, also where the looks before it fail, which is told", async () => {
  const freshness = JOBS.find(({ name }) => name === "freshness");
  const readAhead = spyOn(deps.health, "keepUp");
  const broken = { ...deps, config: undefined } as unknown as typeof deps;
  const looked = freshness?.run(broken, {} as never, () => undefined);
  await expect(looked).rejects.toThrow("config");
  expect(readAhead).toHaveBeenCalledTimes(1);
  readAhead.mockRestore();
});

test("a run that was cut off ends at the next start, with what came of its reports", async () => {
  using folder = temporaryFolder();
  const cut = await openFolder(folder.path);
  const begun = { run: "a-run", job: "analysis", startedAt: clock.now(), askedBy: "schedule" } as const;
  await cut.deps.writer.write((tx) => {
    const run = beginRun(tx, begun, "another process") ?? 0;
    recordReport(tx, reportOf({ run }));
    recordReport(tx, reportOf({ run, date: 20_771, outcome: "empty" }));
  });
  cut.close();
  const again = await openFolder(folder.path);
  expect(findRun(again.deps.store.db, "a-run")?.end).toMatchObject({
    fault: "cut_off",
    reports: { stored: 1, empty: 1 },
  });
  again.close();
});

test("a year of an installation without any account leaves no run, however often it starts", async () => {
  const pulls = JOBS.filter(({ recorded }) => recorded === true);
  expect(pulls.map(({ name }) => name)).toMatchSnapshot();
  for (let day = 0; day < 365; day += 5) {
    clock.advance(5 * 86_400_000);
    startSchedule(deps, pulls)();
    for (const job of pulls) expect((await runJob(deps, job, "command")).outcome).toMatch(/^(?:done|busy)$/);
  }
  await deps.writer.write(() => null);
  expect(pulls.flatMap(({ name }) => listRuns(deps.store.db, name, 9))).toStrictEqual([]);
});

describe("the service's own nightly report, due at 04:40", () => {
  test("a box that is off at that time sends it at its next start, once a day, though its time never came", async () => {
    await start("2026-03-01T10:00:00Z");
    expect(sent()).toStrictEqual([]);
    await start("2026-03-02T09:00:00Z");
    await start("2026-03-02T14:00:00Z");
    expect(sent()).toEqual(["2026-03-02 1"]);
    await start("2026-03-03T08:00:00Z");
    expect(sent()).toEqual(["2026-03-03 1", "2026-03-02 1"]);
  });

  test("a last run that lies ahead of the clock does not put it off until then", async () => {
    clock.at("2027-04-01T05:00:00Z");
    for (const job of ownPulse) await runJob(deps, job, "schedule");
    await start("2026-03-05T09:00:00Z");
    expect(sent()).toContain("2026-03-05 1");
    await start("2026-03-05T10:00:00Z");
    expect(sent()).not.toContain("2026-03-05 2");
  });
});

test("what lasts of a job that is no more ends with the next start", () => {
  deps.jobs.health.setFailure("a job that is no more", "It was due and did not begin.");
  startSchedule(deps, ownPulse)();
  expect(deps.jobs.health.failing()).toStrictEqual([]);
});

describe("a job that asks others, due every quarter of an hour", () => {
  let ran: string[];
  const sense: Job = {
    name: "sense",
    at: "*/15 * * * *",
    recorded: true,
    madeUp: true,
    run: async () => void ran.push(new Date(clock.now()).toISOString().slice(11, 16)),
  };
  beforeEach(() => {
    ran = [];
  });

  /** A start, and its end once what it made up is done. */
  async function startSense(at: string): Promise<void> {
    clock.at(at);
    const stop = startSchedule(deps, [sense]);
    for (let turn = 0; turn < 4; turn++) await deps.writer.write(() => null);
    stop();
  }

  test.each([
    ["a minute", "2026-03-01T10:15:30Z"],
    ["ten days", "2026-03-11T10:15:30Z"],
  ])("is made up once at a start after %s, and not again at the next", async (_, at) => {
    clock.at("2026-03-01T10:00:00Z");
    await runJob(deps, sense, "schedule");
    expect(ran).toEqual(["10:00"]);
    await startSense(at);
    expect(ran).toEqual(["10:00", "10:15"]);
    await startSense(at);
    expect(ran).toEqual(["10:00", "10:15"]);
    expect(listRuns(deps.store.db, "sense", 9).map(({ askedBy }) => askedBy)).toEqual(["start", "schedule"]);
  });

  test("is made up once after the clock was set back two days, however often the service starts", async () => {
    clock.at("2026-03-05T10:00:00Z");
    await runJob(deps, sense, "schedule");
    for (let starts = 0; starts < 3; starts++) await startSense("2026-03-03T10:05:00Z");
    expect(ran).toEqual(["10:00", "10:05"]);
  });

  test("is left alone for a while where its runs take the process with them", async () => {
    clock.at("2026-03-01T10:14:00Z");
    await runJob(deps, sense, "schedule");
    const dies = { ...sense, run: () => new Promise<void>(() => undefined) };
    for (const at of ["2026-03-01T10:15:10Z", "2026-03-01T10:16:15Z"]) {
      clock.at(at);
      void runJob(deps, dies, "start");
      await deps.writer.write(() => null);
      deps = { ...deps, jobs: jobsOfAnotherProcess() };
      await deps.jobs.recover();
    }
    await startSense("2026-03-01T10:20:00Z");
    expect(ran).toEqual(["10:14"]);
    await startSense("2026-03-01T10:20:16Z");
    expect(ran).toEqual(["10:14", "10:20"]);
  });

  test("is told where storage refuses its beginning, and tried again a minute later", async () => {
    clock.at("2026-03-01T10:00:00Z");
    await runJob(deps, sense, "schedule");
    clock.at("2026-03-01T10:15:30Z");
    const refusing = spyOn(deps.writer, "write").mockRejectedValueOnce(new Error("no room"));
    jest.useFakeTimers();
    const stop = startSchedule(deps, [sense]);
    for (let turn = 0; turn < 9; turn++) await Promise.resolve();
    expect([refusing.mock.calls.length > 0, deps.jobs.health.failing(), ran]).toMatchSnapshot();
    jest.advanceTimersByTime(62_000);
    jest.useRealTimers();
    for (let turn = 0; turn < 4; turn++) await deps.writer.write(() => null);
    stop();
    expect([deps.jobs.health.failing(), ran]).toEqual([[], ["10:00", "10:15"]]);
  });

  const jobsOfAnotherProcess = () => jobsOf(deps);
});

test("a job that is still running at its next tick, and may take so long, is nothing to warn of", async () => {
  const log = captureLog();
  const { promise, resolve } = Promise.withResolvers<void>();
  const slow: Job = {
    name: "bodies",
    at: "* * * * * *",
    madeUp: false,
    run: () => promise,
  };
  const stop = startSchedule({ ...deps, clock: systemClock }, [slow]);
  const isLeftOut = async () => log.lines.some(({ message }) => message.includes("still running"));
  expect((await until(isLeftOut, Boolean)).seen).toBe(true);
  resolve();
  stop();
  await deps.jobs.stop(5_000);
  log.end();
  expect(log.lines.filter(({ level }) => level === "warn" || level === "error")).toStrictEqual([]);
});

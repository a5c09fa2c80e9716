import { describe, expect, jest, test } from "bun:test";
import { listNewest as listAudit } from "../../src/access/audit.ts";
import { listMonitoringFailures } from "../../src/health/monitoring.ts";
import { findRun, type JobEntry, listRuns, type RunHandle } from "../../src/store/job_runs.ts";
import { Writer } from "../../src/store/writer.ts";
import { testGround } from "../support/deps.ts";
import { fresh } from "../support/fresh.ts";
import { jobsOf } from "../support/jobs.ts";
import { captureLog } from "../support/log.ts";
import { until } from "../support/until.ts";

const ground = fresh(testGround);

const pulling = (work: JobEntry["work"], name = "sense"): JobEntry => ({
  name,
  at: "*/15 * * * *",
  recorded: true,
  work,
});

const runs = (work: JobEntry["work"], jobs = jobsOf(ground)) => jobs.runEntry(pulling(work), "schedule");
const nothing = pulling(async () => undefined);

/** A job that is under way until it is let go or stopped. */
function lasting(name = "sense") {
  const { promise, resolve } = Promise.withResolvers<void>();
  const begun = Promise.withResolvers<RunHandle>();
  const entry = pulling(async (handle) => {
    begun.resolve(handle);
    await Promise.race([
      promise,
      new Promise<void>((_, reject) =>
        handle.signal.addEventListener("abort", () => reject(new DOMException("aborted", "AbortError"))),
      ),
    ]);
  }, name);
  return { entry, end: resolve, begun: begun.promise };
}

const leases = () => ground.store.raw.query<{ job: string }, []>("SELECT job FROM job_lease").all();
const rows = (table: string) =>
  ground.store.raw.query<{ n: number }, []>(`SELECT count(*) AS n FROM ${table}`).all()[0]?.n;

describe("a run of a job that asks others", () => {
  test("is a row as it begins and a row as it ends, with the counts of its attempts", async () => {
    const jobs = jobsOf(ground);
    const report = await runs(async (run) => {
      expect(findRun(ground.store.db, run.id)).toMatchObject({ job: "sense", end: undefined });
      expect(leases()).toEqual([{ job: "sense" }]);
      run.count("changed");
      run.count("unchanged");
      run.count("unchanged");
      ground.clock.advance(5_000);
    }, jobs);
    expect(report).toMatchObject({ outcome: "done", reports: { changed: 1, unchanged: 2 } });
    expect(report.finishedAt - report.startedAt).toBe(5_000);
    const end = {
      finishedAt: report.finishedAt,
      outcome: "done",
      reports: report.reports,
      fault: null,
    } as const;
    expect(listRuns(ground.store.db, "sense", 9)).toEqual([
      { id: 1, run: report.run, job: "sense", startedAt: report.startedAt, askedBy: "schedule", end },
    ]);
    expect(leases()).toStrictEqual([]);
  });

  test("ends when it began where the clock was set back meanwhile; runs before a row are listed without it", async () => {
    const jobs = jobsOf(ground);
    const back = pulling(async () => void ground.clock.advance(-5_000));
    const { startedAt, finishedAt } = await jobs.runEntry(back, "schedule");
    expect(finishedAt).toBe(startedAt);
    await jobs.runEntry(back, "schedule");
    expect(listRuns(ground.store.db, "sense", 9, 2).map(({ id }) => id)).toEqual([1]);
  });

  test("that throws has failed, whatever came before; neither row, log nor report repeats what the error said", async () => {
    const log = captureLog();
    const report = await runs(async (run) => {
      run.count("changed");
      throw new TypeError("GET https://example.test/?apikey=canary-5d1 went wrong");
    });
    log.end();
    expect(report).toMatchObject({ outcome: "failed", reports: { changed: 1 } });
    expect(report.fault).toMatch(/^TypeError at jobs_test\.ts:\d+$/);
    await ground.writer.settled();
    const [failure] = listMonitoringFailures(ground.store.db, { kind: "job" });
    expect(failure).toMatchObject({ subject: "sense", reason: `It broke off: ${report.fault}.` });
    expect(JSON.stringify([log.lines, report, failure])).not.toContain("canary");
    expect(findRun(ground.store.db, report.run)?.end?.fault).toBe("error");
  });

  test("is a monitoring failure while it throws, noted once, until it comes off again, also over a restart", async () => {
    const failing = pulling(() => Promise.reject(new TypeError("x")));
    const failures = async () => {
      await ground.writer.settled();
      return listMonitoringFailures(ground.store.db, { kind: "job" }).length;
    };
    const jobs = jobsOf(ground);
    for (let i = 0; i < 3; i++) await jobs.runEntry(failing, "schedule");
    expect(await failures()).toBe(1);
    expect(rows("monitoring_event")).toBe(1);
    await jobsOf(ground).runEntry(nothing, "schedule");
    expect(await failures()).toBe(0);
  });

  test("that came to nothing because every provider failed is no failure of the watching", async () => {
    await runs(async (run) => run.count("failed"));
    await ground.writer.settled();
    expect(listMonitoringFailures(ground.store.db, { kind: "job" })).toStrictEqual([]);
  });
});

describe("two runs of one job (reliability T3)", () => {
  test("in one process: the second is busy at once, and leaves no row", async () => {
    const jobs = jobsOf(ground);
    const first = lasting();
    const running = jobs.runEntry(first.entry, "schedule");
    await first.begun;
    for (const by of ["command", "operator:ada", "schedule"] as const) {
      const report = await jobs.runEntry(first.entry, by);
      expect(report).toMatchObject({ job: "sense", outcome: "busy", reports: {} });
    }
    expect(jobs.running()).toMatchObject([{ job: "sense", id: 1, askedBy: "schedule", isStopping: false }]);
    first.end();
    expect((await running).outcome).toBe("done");
    expect([rows("job_run"), rows("job_end"), jobs.running().length]).toEqual([1, 1, 0]);
  });

  test("at the same moment, a thousand times: one works", async () => {
    const jobs = jobsOf(ground);
    const { entry, end } = lasting();
    const asked = Array.from({ length: 1_000 }, () => jobs.runEntry(entry, "command"));
    end();
    const outcomes = (await Promise.all(asked)).map(({ outcome }) => outcome);
    expect(outcomes.filter((outcome) => outcome === "done")).toHaveLength(1);
    expect(outcomes.filter((outcome) => outcome === "busy")).toHaveLength(999);
    expect(rows("job_run")).toBe(1);
  });

  test("of two processes: the lease is the truth where no memory is shared", async () => {
    const first = lasting();
    const running = jobsOf(ground).runEntry(first.entry, "schedule");
    await first.begun;
    expect((await jobsOf(ground).runEntry(first.entry, "command")).outcome).toBe("busy");
    expect(rows("job_run")).toBe(1);
    first.end();
    await running;
    expect((await jobsOf(ground).runEntry(nothing, "command")).outcome).toBe("done");
  });

  test("of two jobs run side by side", async () => {
    const jobs = jobsOf(ground);
    const [sense, tools] = [lasting("sense"), lasting("webmaster-tools")];
    const both = [jobs.runEntry(sense.entry, "schedule"), jobs.runEntry(tools.entry, "schedule")];
    await Promise.all([sense.begun, tools.begun]);
    expect(jobs.running().map(({ job }) => job)).toEqual(["sense", "webmaster-tools"]);
    sense.end();
    tools.end();
    expect((await Promise.all(both)).map(({ outcome }) => outcome)).toEqual(["done", "done"]);
  });
});

describe("a run that its process did not survive", () => {
  test("is ended by the next start as cut off, with the attempts that were stored, and its job is free", async () => {
    const dead = lasting();
    void jobsOf(ground).runEntry(dead.entry, "schedule");
    const { id } = await dead.begun;
    ground.clock.advance(60_000);

    const next = jobsOf(ground, () => ({ changed: 2, failed: 1 }));
    expect((await next.runEntry(dead.entry, "command")).outcome).toBe("busy");
    await next.recover();
    expect(findRun(ground.store.db, id)?.end).toEqual({
      finishedAt: ground.clock.now(),
      outcome: "failed",
      reports: { changed: 2, failed: 1 },
      fault: "cut_off",
    });
    expect(leases()).toStrictEqual([]);
    expect((await next.runEntry(nothing, "start")).outcome).toBe("done");
    await next.recover();
    expect([rows("job_run"), rows("job_end")]).toEqual([2, 2]);
  });

  test("never ends before it began, though the clock was set back", async () => {
    const dead = lasting();
    void jobsOf(ground).runEntry(dead.entry, "schedule");
    const { id } = await dead.begun;
    ground.clock.advance(-86_400_000);
    await jobsOf(ground).recover();
    const run = findRun(ground.store.db, id);
    expect(run?.end?.finishedAt).toBe(run?.startedAt);
  });

  test("and its late end, if it lives after all, changes nothing of that", async () => {
    const slow = lasting();
    const running = jobsOf(ground).runEntry(slow.entry, "schedule");
    const { id } = await slow.begun;
    await jobsOf(ground).recover();
    slow.end();
    await running;
    expect(findRun(ground.store.db, id)?.end?.fault).toBe("cut_off");
    expect(rows("job_end")).toBe(1);
  });
});

describe("stopping", () => {
  test("tells every run, waits for it, and takes up nothing more", async () => {
    const log = captureLog();
    const jobs = jobsOf(ground);
    const sense = lasting();
    const running = jobs.runEntry(sense.entry, "schedule");
    await sense.begun;
    await jobs.stop(10_000);
    log.end();
    expect(log.lines).toStrictEqual([]);
    expect(await running).toMatchObject({ outcome: "failed", fault: "it was stopped" });
    expect(findRun(ground.store.db, 1)?.end).toMatchObject({ outcome: "failed", fault: "stopped" });
    expect(jobs.runEntry(sense.entry, "schedule")).rejects.toThrow("stopping");
    await ground.writer.settled();
    expect(listMonitoringFailures(ground.store.db, { kind: "job" })).toStrictEqual([]);
  });

  test("of a run that came to nothing yet makes a failed one of it, however many were left", async () => {
    const jobs = jobsOf(ground);
    const abort = new AbortController();
    const report = await jobs.runEntry(
      pulling(async (run) => {
        abort.abort();
        for (let at = 0; at < 16; at++) run.count("given_up");
      }),
      "command",
      abort.signal,
    );
    expect(report).toMatchObject({ outcome: "failed", reports: { given_up: 16 } });
  });

  test("keeps what a run had done: it is partial where something came", async () => {
    const jobs = jobsOf(ground);
    const begun = Promise.withResolvers<void>();
    const running = runs(async (run) => {
      run.count("changed");
      begun.resolve();
      await new Promise((resolve) => run.signal.addEventListener("abort", resolve));
    }, jobs);
    await begun.promise;
    await jobs.stop(10_000);
    expect(await running).toMatchObject({ outcome: "partial", reports: { changed: 1 } });
  });

  test("is not held up by one that hangs, whose run the next start ends", async () => {
    const log = captureLog();
    const jobs = jobsOf(ground);
    const begun = Promise.withResolvers<void>();
    void runs(() => {
      begun.resolve();
      return new Promise(() => undefined);
    }, jobs);
    await begun.promise;
    await jobs.stop(20);
    log.end();
    expect(log.lines).toMatchObject([{ level: "error", properties: { jobs: "sense" } }]);
    await jobsOf(ground).recover();
    expect(findRun(ground.store.db, 1)?.end?.fault).toBe("cut_off");
  });

  test("of one run, by whoever asked for it or by its id", async () => {
    const jobs = jobsOf(ground);
    const asker = new AbortController();
    const first = lasting();
    const running = jobs.runEntry(first.entry, "command", asker.signal);
    await first.begun;
    asker.abort();
    expect(await running).toMatchObject({ fault: "it was stopped" });

    const second = lasting();
    const again = jobs.runEntry(second.entry, "operator:ada");
    await second.begun;
    const [run] = jobs.running();
    const by = { actor: "operator:bea", now: ground.clock.now() };
    expect([await jobs.cancel("nope", by), await jobs.cancel(run?.run ?? "", by)]).toEqual([false, true]);
    expect(acts()).toEqual([
      ["operator:ada", "job.run", "sense"],
      ["operator:bea", "job.stop", "sense"],
    ]);
    expect(await again).toMatchObject({ fault: "it was stopped" });
    expect((await jobs.runEntry(lasting().entry, "command", asker.signal)).fault).toBe("it was stopped");
  });
});

const acts = () =>
  listAudit(ground.store.db, { limit: 9 })
    .filter(({ act }) => act.startsWith("job."))
    .map(({ actor, act, target }) => [actor, act, target])
    .reverse();

test("a run that a button asks for goes on by itself; asked again, it is the same one", async () => {
  const jobs = jobsOf(ground);
  const { entry, end, begun } = lasting();
  jobs.register([entry]);
  const first = await jobs.start("sense", "operator:ada");
  await begun;
  expect(first).toEqual({ run: jobs.running()[0]?.run ?? "", isNew: true });
  expect(await jobs.start("sense", "operator:bea")).toEqual({ run: first.run, isNew: false });
  expect(acts()).toEqual([["operator:ada", "job.run", "sense"]]);
  end();
  await until(
    async () => findRun(ground.store.db, first.run)?.end?.outcome,
    (outcome) => outcome !== undefined,
  );
  expect(findRun(ground.store.db, first.run)).toMatchObject({
    askedBy: "operator:ada",
    end: { outcome: "done" },
  });
  expect(jobs.start("nope", "operator:ada")).rejects.toThrow("there is no job nope");
});

test("a run that gets no further for an hour is told while it lasts; one that does is not", async () => {
  const jobs = jobsOf(ground);
  const hanging = Promise.withResolvers<void>();
  let further: () => void = () => undefined;
  jest.useFakeTimers();
  const running = jobs.runEntry(
    {
      ...pulling((run) => {
        further = () => run.progress(4, 40, "harbor");
        return hanging.promise;
      }),
      recorded: false,
    },
    "schedule",
  );
  jest.advanceTimersByTime(3_599_000);
  further();
  jest.advanceTimersByTime(3_599_000);
  further();
  expect(jobs.health.failing()).toStrictEqual([]);
  jest.advanceTimersByTime(1_000);
  expect(jobs.health.failing()).toEqual(["sense"]);
  jest.useRealTimers();
  hanging.resolve();
  await running;
  expect(jobs.health.failing()).toStrictEqual([]);
  await ground.writer.settled();
});

describe("storage that takes nothing", () => {
  test("no run begins without its row", async () => {
    const jobs = jobsOf(ground);
    ground.store.raw.run("PRAGMA query_only = ON");
    let isBegun = false;
    await expect(
      runs(async () => {
        isBegun = true;
      }, jobs),
    ).rejects.toThrow();
    expect(isBegun).toBe(false);
    ground.store.raw.run("PRAGMA query_only = OFF");
    expect((await jobs.runEntry(nothing, "schedule")).outcome).toBe("done");
  });

  test("the end of a run that storage refuses is deferred, and stored ahead of the next run", async () => {
    const writer = new Writer(ground.store);
    const jobs = jobsOf({ ...ground, writer });
    const first = await runs(async () => void ground.store.raw.run("PRAGMA query_only = ON"), jobs);
    expect(first.outcome).toBe("done");
    expect(findRun(ground.store.db, 1)?.end).toBeUndefined();
    ground.store.raw.run("PRAGMA query_only = OFF");
    expect((await jobs.runEntry(nothing, "schedule")).outcome).toBe("done");
    expect(listRuns(ground.store.db, "sense", 9).map(({ end }) => end?.outcome)).toEqual(["done", "done"]);
  });
});

describe("a tick that finds nobody to ask", () => {
  let asks = false;
  const idle = (work: JobEntry["work"] = () => undefined): JobEntry => ({
    ...pulling(work),
    asks: () => asks,
  });
  const kept = () => [rows("job_run"), rows("job_end"), rows("job_lease")];

  test.each(["schedule", "start", "command"] as const)(
    "leaves nothing, by %s, and tells what it came to",
    async (by) => {
      const report = await jobsOf(ground).runEntry(idle(), by);
      expect(report).toMatchObject({ job: "sense", outcome: "done", reports: {} });
      expect(kept()).toEqual([0, 0, 0]);
    },
  );

  test("is a run as soon as there is somebody, and where an operator asked for it", async () => {
    const jobs = jobsOf(ground);
    await jobs.runEntry(idle(), "operator:ada");
    expect(kept()).toEqual([1, 1, 0]);
    asks = true;
    await jobs.runEntry(idle(), "schedule");
    asks = false;
    expect(kept()).toEqual([2, 2, 0]);
  });

  test("still does its work: what an account's last failure left open ends with the account", async () => {
    let worked = 0;
    await jobsOf(ground).runEntry(
      idle(async () => void worked++),
      "schedule",
    );
    expect(worked).toBe(1);
  });
});

describe("a small job of the service's own", () => {
  const runsSmall = (jobs: ReturnType<typeof jobsOf>, work: JobEntry["work"]) =>
    jobs.runEntry({ name: "bodies", at: "50 * * * * *", recorded: false, work }, "schedule");

  test("passes the same guard and leaves no row", async () => {
    const jobs = jobsOf(ground);
    const { promise, resolve } = Promise.withResolvers<void>();
    const running = runsSmall(jobs, () => promise);
    expect((await runsSmall(jobs, () => promise)).outcome).toBe("busy");
    resolve();
    expect((await running).outcome).toBe("done");
    expect([rows("job_run"), rows("job_end"), rows("job_lease")]).toEqual([0, 0, 0]);
  });

  test("that fails tells why, as a monitoring failure that ends with it", async () => {
    const jobs = jobsOf(ground);
    const failed = await runsSmall(jobs, () => Promise.reject(new Error("no room")));
    expect(failed).toMatchObject({ outcome: "failed", fault: "no room" });
    await ground.writer.settled();
    expect(listMonitoringFailures(ground.store.db)).toMatchObject([
      { kind: "job", subject: "bodies", reason: "It broke off: no room." },
    ]);
    await runsSmall(jobs, () => undefined);
    await ground.writer.settled();
    expect(listMonitoringFailures(ground.store.db)).toStrictEqual([]);
  });
});

test("a job is known by its name; a name that nothing has is refused", async () => {
  const jobs = jobsOf(ground);
  jobs.register([pulling(async (run) => run.progress(3, 10, "harbor"))]);
  expect((await jobs.run("sense", "command")).outcome).toBe("done");
  expect(jobs.run("nope", "command")).rejects.toThrow("there is no job nope");
});

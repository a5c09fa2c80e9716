import { describe, expect, test } from "bun:test";
import { JOBS } from "../../src/app/schedule.ts";
import { findLatestPulse } from "../../src/reports/pulse.ts";
import { openFolder } from "../support/data_folder.ts";
import { temporaryFolder } from "../support/folder.ts";
import { run } from "./run.ts";

describe("job run (decisions 2, command line)", () => {
  test("runs a job of the schedule, and what it sent is judged when it ends", async () => {
    using folder = temporaryFolder();
    const opened = await openFolder(folder.path);
    expect(await run(opened, "job run own-pulse")).toMatchObject({ exitCode: 0, stderr: "own-pulse ran" });
    expect(findLatestPulse(opened.deps.store.db, "tower", Date.now())).toBeDefined();
    expect((await run(opened, "rules run")).stdout).toStartWith("judged 0 nightly reports");
    opened.close();
  });

  test("the run's outcome is one line of JSON; a job that fails says so and ends with 1", async () => {
    using folder = temporaryFolder();
    const opened = await openFolder(folder.path);
    const ran = await run(opened, "job run freshness");
    const instant = expect.stringMatching(/^\d{4}-\d{2}-\d{2}T[\d:.]+Z$/);
    const line = { run: expect.any(String), started_at: instant, finished_at: instant, reports: {} };
    expect(JSON.parse(ran.stdout)).toEqual({ job: "freshness", ...line, outcome: "done" });

    const writer = { writeOrDefer: () => Promise.reject(new Error("the disk is full")) };
    const deps = { ...opened.deps, writer } as unknown as typeof opened.deps;
    const failed = await run({ ...opened, deps }, "job run heartbeat");
    expect(failed).toMatchObject({ exitCode: 1, stderr: "heartbeat failed: the disk is full" });
    expect(JSON.parse(failed.stdout)).toEqual({ job: "heartbeat", ...line, outcome: "failed" });
    opened.close();
  });

  test("an unknown name ends with 2 and names every job", async () => {
    using folder = temporaryFolder();
    const opened = await openFolder(folder.path);
    for (const words of ["job run nope", "job run", "job run own-pulse own-pulse"]) {
      const { exitCode, stderr } = await run(opened, words);
      expect(exitCode).toBe(2);
      if (words === "job run nope") for (const { name } of JOBS) expect(stderr).toContain(name);
    }
    opened.close();
  });
});

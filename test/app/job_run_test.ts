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
    await run(opened, "job run own-pulse");
    expect(findLatestPulse(opened.deps.store.db, "tower", Date.now())).toBeDefined();
    await run(opened, "rules run");
    opened.close();
  });

  test("the run's outcome is one line of JSON; a job that fails says so and ends with 1", async () => {
    using folder = temporaryFolder();
    const opened = await openFolder(folder.path);
    await run(opened, "job run freshness");
    const writer = { writeOrDefer: () => Promise.reject(new Error("the disk is full")) };
    const deps = { ...opened.deps, writer } as unknown as typeof opened.deps;
    await run({ ...opened, deps }, "job run heartbeat");
    opened.close();
  });

  test("an unknown name ends with 2 and names every job", async () => {
    using folder = temporaryFolder();
    const opened = await openFolder(folder.path);
    for (const words of ["job run nope", "job run", "job run own-pulse own-pulse"]) {
      const { stderr } = await run(opened, words);
      if (words === "job run nope") for (const { name } of JOBS) expect(stderr).toContain(name);
    }
    opened.close();
  });
});

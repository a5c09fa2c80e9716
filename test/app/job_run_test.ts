import { expect, test } from "bun:test";
import { findLatestPulse } from "../../src/reports/pulse.ts";
import { openNewFolder } from "../support/data_folder.ts";
import { run } from "./run.ts";

test("what a job sent is judged when it ends; one that fails says so in its line of JSON and ends with 1", async () => {
  using opened = await openNewFolder();
  await run(opened, "job run own-pulse");
  expect(findLatestPulse(opened.deps.store.db, "tower", Date.now())).toBeDefined();
  await run(opened, "rules run");
  const writer = { writeOrDefer: () => Promise.reject(new Error("the disk is full")) };
  const deps = { ...opened.deps, writer } as unknown as typeof opened.deps;
  await run({ deps }, "job run heartbeat");
  for (const words of ["job run", "job run own-pulse own-pulse"]) await run(opened, words);
});

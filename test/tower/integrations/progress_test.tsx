import { expect, test } from "bun:test";
import type { RunningJob } from "../../../src/store/job_runs.ts";
import { RunProgress } from "../../../src/tower/integrations/jobs.tsx";
import { renderDocument, type Safe } from "../../../src/tower/jsx/jsx-runtime.ts";
import { parsed, textOf } from "../../support/html.ts";
import { inPage } from "../../support/tower_data.ts";

const words = (isStopping: boolean) => {
  const running = {
    id: 1,
    run: "run-1",
    job: "analysis",
    startedAt: Date.UTC(2026, 10, 20, 12, 15),
    askedBy: "schedule",
    progress: { done: 813, of: 893, what: "" },
    isStopping,
  } as const satisfies RunningJob;
  return textOf(parsed(renderDocument(inPage(() => <RunProgress running={running} />) as Safe)));
};

test("a run that is told to stop counts as asked nothing that it gives up, and ends not since it began", () => {
  expect(words(false)).toContain("813 of 893 asked");
  expect(words(true)).toContain("Stopping, running since 12:15:00 UTC");
  expect(words(true)).toContain("The rest is skipped.");
  expect(words(true)).not.toContain("813");
});

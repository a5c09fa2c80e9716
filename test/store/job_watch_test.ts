import { describe, expect, test } from "bun:test";
import { listMonitoringFailures, noteFailure } from "../../src/health/monitoring.ts";
import type { JobEntry } from "../../src/store/job_runs.ts";
import { JobWatch } from "../../src/store/job_watch.ts";
import { patternOf } from "../../src/store/timetable.ts";
import { testGround } from "../support/deps.ts";
import { fresh } from "../support/fresh.ts";
import { jobsOf } from "../support/jobs.ts";

const MINUTE = 60_000;
const PATIENCE = { lateMs: 30 * MINUTE, longestMs: 60 * MINUTE };

const ground = fresh(testGround);

/** The jobs of a process of its own, and their watch: what it does not know is what a restart does not. */
function process(options: { readonly brokeOff?: boolean; readonly name?: string } = {}) {
  const { brokeOff = false, name = "sense" } = options;
  const jobs = jobsOf(ground);
  const pattern = patternOf("*/15 * * * *");
  const job = { name, pattern, patience: PATIENCE, missed: false, brokeOff, isExcused: () => false };
  const watch = new JobWatch({ jobs, clock: ground.clock }, [job]);
  return { jobs, watch };
}

const entry = (work: JobEntry["work"]): JobEntry => ({
  name: "sense",
  at: "*/15 * * * *",
  recorded: true,
  work,
});

/** So many minutes go by, each with a look. */
function pass(watch: JobWatch, minutes: number): void {
  for (let minute = 0; minute < minutes; minute++) {
    ground.clock.advance(MINUTE);
    watch.look();
  }
}

async function failures() {
  await ground.writer.settled();
  return listMonitoringFailures(ground.store.db, { kind: "job" }).map(
    ({ subject, reason }) => `${subject}: ${reason}`,
  );
}

describe("a job that is watched", () => {
  test("and does not begin is noted once, also over a restart, until it comes off", async () => {
    const { watch } = process();
    pass(watch, 90);
    expect(await failures()).toEqual(["sense: It was due and did not begin."]);
    const again = process();
    again.watch.start();
    again.watch.stop();
    pass(again.watch, 90);
    expect(await failures()).toEqual(["sense: It was due and did not begin."]);
    expect(ground.store.raw.query("SELECT * FROM monitoring_event").all()).toHaveLength(1);
    await again.jobs.runEntry(
      entry(async () => undefined),
      "schedule",
    );
    expect(await failures()).toEqual([]);
  });

  test("and hangs is noted while it does; stopped, it is none any more", async () => {
    const { jobs, watch } = process();
    const hanging = Promise.withResolvers<void>();
    const running = jobs.runEntry(
      entry((run) => {
        run.progress(3, 40, "harbor");
        return hanging.promise;
      }),
      "schedule",
    );
    await ground.writer.write(() => null);
    pass(watch, 50);
    expect(await failures()).toEqual([]);
    pass(watch, 20);
    expect(await failures()).toEqual([
      "sense: It has been running for more than 1 hour without getting any further.",
    ]);
    hanging.resolve();
    await running;
    expect(await failures()).toEqual([]);
  });

  test("whose last run before the start broke off says so where nothing was kept of it", async () => {
    const { watch } = process({ brokeOff: true });
    watch.start();
    watch.stop();
    expect(await failures()).toEqual(["sense: Its last run broke off. It is tried again when it is due."]);
  });

  test("what lasts of a job that is no more ends with the next start", async () => {
    await ground.writer.write((tx) =>
      noteFailure(
        tx,
        { kind: "job", asset: "", source: "", subject: "of-before" },
        { reason: "It broke off.", now: 0 },
      ),
    );
    const { watch } = process();
    watch.start();
    watch.stop();
    expect(await failures()).toEqual([]);
  });
});

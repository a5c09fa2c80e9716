/** /readyz says what is accepted and not judged, and is not ready once storage keeps the rules from judging. */

import { afterAll, expect, spyOn, test } from "bun:test";
import { createTower } from "../../src/app/tower_app.ts";
import { StorageUnavailable } from "../../src/base/storage_fault.ts";
import { formatInstant } from "../../src/base/time.ts";
import { FlowFollower } from "../../src/rules/rules.ts";
import { FakeClock } from "../support/clock.ts";
import { acceptNow, openNewFolder } from "../support/data_folder.ts";
import { writerWith } from "../support/deps.ts";
import { DEFAULT_FLOW_THRESHOLDS } from "../support/thresholds.ts";
import { until } from "../support/until.ts";

const opened = await openNewFolder();
afterAll(() => opened[Symbol.dispose]());

test("waiting reports are told with their age; a minute of storage that fails is not ready", async () => {
  const clock = new FakeClock(formatInstant(opened.deps.clock.now()));
  const follower = new FlowFollower({
    ...opened.deps,
    clock,
    writer: writerWith(opened.deps.writer, {
      write: () => Promise.reject(new StorageUnavailable("the disk is full")),
    }),
    thresholdsOf: () => DEFAULT_FLOW_THRESHOLDS,
    isJudgedElsewhere: () => false,
  });
  const deps = { ...opened.deps, clock, follower };
  const ready = async (other: Partial<typeof deps> = {}): Promise<Record<string, unknown>> => {
    const tower = createTower({ ...deps, ...other }, () => ({ ingest: 4610, tower: 4611 }));
    const response = await tower(
      new Request("http://127.0.0.1:4611/readyz", { headers: { host: "127.0.0.1:4611" } }),
    );
    return { code: response.status, ...((await response.json()) as Record<string, unknown>) };
  };
  const healthRead = spyOn(opened.deps.health, "follow");
  const quiet = { reports_waiting: 0, oldest_waiting_seconds: null, monitoring_failures: 0 };
  expect(await ready()).toEqual({ code: 200, status: "ready", ...quiet });

  const generatedAt = formatInstant(clock.now());
  await acceptNow(opened, { asset: "harbor", generatedAt, metrics: { signups: { last24h: 1 } } });
  follower.kick();
  await until(
    async () => follower.restingSince,
    (since) => since !== undefined,
  );
  clock.advance(-60_000);
  expect(await ready()).toMatchObject({ oldest_waiting_seconds: 0 });
  clock.advance(120_000);
  expect(await ready()).toMatchObject({
    code: 200,
    reports_waiting: 1,
    oldest_waiting_seconds: expect.any(Number),
  });
  const queued = (many: number) => ({ writer: writerWith(deps.writer, { queued: many }) });
  expect(await ready(queued(3_000))).toMatchObject({ code: 200 });
  expect(await ready(queued(3_001))).toMatchSnapshot();
  const unready = () => {
    throw new Error("no such table");
  };
  expect(
    await ready({ machine: Object.create(deps.machine, { unready: { value: unready } }) }),
  ).toMatchSnapshot();
  clock.advance(1_000);
  expect(await ready()).toMatchSnapshot();
  // At ten thousand sites the first read takes seconds.
  expect(healthRead).not.toHaveBeenCalled();
  await follower.stop();
});

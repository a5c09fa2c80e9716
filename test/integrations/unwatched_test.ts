/** A recorder that failed for one thing says nothing of another, and its failure ends with what it was for. */

import { afterEach, expect, test } from "bun:test";
import { listMonitoringFailures, noteFailure } from "../../src/health/monitoring.ts";
import { flushRefusals } from "../../src/health/refusals.ts";
import { run as command } from "../app/run.ts";
import { readHealth } from "../support/health.ts";
import { type Pulled, pulledTower, pulledWorld } from "../support/pulled.ts";

const SITE = "harbor.example";
const MINUTE = 60_000;

let pulled: Pulled;
afterEach(() => pulled.close());

const raw = () => pulled.tower.deps.store.raw;

/** Does something while nothing can be recorded. */
async function unrecorded(act: () => Promise<unknown>): Promise<void> {
  for (const verb of ["INSERT", "UPDATE"]) {
    raw().run(
      `CREATE TRIGGER broken_${verb} BEFORE ${verb} ON health_state BEGIN SELECT RAISE(ABORT, 'broken'); END`,
    );
  }
  await act();
  for (const verb of ["INSERT", "UPDATE"]) raw().run(`DROP TRIGGER broken_${verb}`);
}

const failures = () =>
  listMonitoringFailures(pulled.tower.deps.store.db).map(
    ({ kind, asset, subject }) => `${kind} ${subject} ${asset || "-"}`,
  );

const tower = (words: string) => command({ deps: pulled.tower.deps }, words);

/** As the schedule does it each minute. */
async function minute(): Promise<void> {
  pulled.clock.advance(MINUTE);
  expect((await pulled.tower.deps.jobs.run("freshness", "schedule")).outcome).toBe("done");
}

async function post(token: string, ref: string): Promise<number> {
  pulled.clock.advance(1_000);
  const annotation = { asset: SITE, at: "2026-11-20T10:00:00Z", kind: "deploy", ref };
  const answer = await pulled.tower.report("/api/annotations", annotation, token);
  await pulled.tower.deps.writer.settled();
  return answer.status;
}

async function sender(name: string): Promise<string> {
  return (await tower(`token issue --operator ${name} --scopes annotations`)).stdout.trim();
}

const sendersStand = async () =>
  (await readHealth(pulled.tower)).capabilities
    .filter(({ capability }) => capability === "annotations.post")
    .flatMap(({ targets }) => targets.map(({ state }) => state))
    .toSorted();

test("what is not recorded of one sender is known of no other, and is over with an outcome of its own alone", async () => {
  pulled = await pulledTower();
  const [one, other] = [await sender("one"), await sender("other")];
  for (const token of [one, other]) expect(await post(token, token)).toBe(201);
  await unrecorded(() => post(one, "unrecorded"));
  expect(await sendersStand()).toEqual(["unknown", "working"]);
  await post(other, "recorded");
  expect([await sendersStand(), failures()]).toEqual([
    ["unknown", "working"],
    ["recorder annotations.post -"],
  ]);
  await post(one, "recorded too");
  expect([await sendersStand(), failures()]).toEqual([["working", "working"], []]);
});

test("a failure to record ends with what it was for: a site's connection, an account, a token", async () => {
  pulled = await pulledTower({ world: pulledWorld([SITE, "quay.example"]) });
  const { google } = pulled.credentials;
  const token = await sender("ci");
  await unrecorded(async () => {
    await pulled.run("sense");
    await tower(`credential test ${google}`);
    await post(token, "unrecorded");
  });
  const all = failures();
  expect(all).toHaveLength(7);
  await minute();
  expect(failures()).toEqual(all);
  await tower(`property detach ${SITE} --property 1001`);
  await minute();
  expect(failures()).toEqual(all.filter((one) => one !== `recorder analytics.daily ${SITE}`));
  await tower(`credential remove ${google}`);
  await minute();
  expect(failures()).toEqual(["recorder annotations.post -"]);
  await tower("operator remove ci");
  await minute();
  expect([failures(), (await readHealth(pulled.tower)).coverage.state]).toEqual([[], "complete"]);
});

test("a failure to record what ended a site's refusals is over with them: a good report is known without a record", async () => {
  pulled = await pulledTower({ world: pulledWorld([SITE, "quay.example"]) });
  const { deps } = pulled.tower;
  const route = "/api/pulse";
  const flush = () => flushRefusals(deps.writer, deps.refusals, deps.config.workspace);
  const refused = {
    route,
    status: 422,
    code: "broken-contract",
    faults: [],
    more: 0,
    at: pulled.clock.now(),
  };
  // Of another kind, and of a fault in Tower itself.
  const others = [
    ["job", "panels"],
    ["recorder", ""],
  ] as const;
  await deps.writer.write((tx) => {
    for (const [kind, subject] of others)
      noteFailure(
        tx,
        { kind, asset: "", source: "", subject },
        { reason: "broken", now: pulled.clock.now() },
      );
  });
  const stay = failures();
  // Another site's refusals go on, and say nothing of this one.
  for (const asset of ["quay.example", SITE]) {
    deps.refusals.note({ ...refused, asset });
    if (asset === SITE) await unrecorded(flush);
    else await flush();
  }
  await minute();
  expect(failures()).toEqual([...stay, `recorder ingest.nightly ${SITE}`]);
  deps.refusals.accepted({ asset: SITE, route }, pulled.clock.now());
  await unrecorded(flush);
  await minute();
  expect(failures()).toEqual(stay);
});

/** What only a person can put right is looked at again every six hours, and at once where a person asks; a provider's limit is kept. */

import { expect, test } from "bun:test";
import type { Fault } from "../../src/demo/simulator/script.ts";
import { askAccount } from "../../src/signals/account_check.ts";
import type { AskedBy } from "../../src/store/job_runs.ts";
import { fresh } from "../support/fresh.ts";
import { pulledTower, pulledWorld } from "../support/pulled.ts";

const QUARTER = 15 * 60_000;
const SLOW = 6 * 60 * 60_000;

const pulled = fresh(() => pulledTower({ world: pulledWorld(["harbor.example", "orchard.example"]) }));

const refusal = (status: number, message: string): Fault => ({
  kind: "answer",
  answer: {
    status,
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ error: { code: status, message, status: "PERMISSION_DENIED" } }),
  },
});
const DENIED = refusal(403, "User does not have sufficient permissions for this property.");

/** What came of a run: how many were answered, refused, and not asked. */
async function came(by?: AskedBy, job: "sense" | "webmaster-tools" = "sense") {
  const { changed = 0, unchanged = 0, failed = 0, held = 0 } = (await pulled.run(job, by)).reports;
  return { answered: changed + unchanged, failed, held };
}

/** The same one quarter of an hour on. */
function next(by?: AskedBy, job?: "webmaster-tools") {
  pulled.clock.advance(QUARTER);
  return came(by, job);
}

for (const by of ["command", "operator:ada"] as const) {
  test(`a property that was refused is asked again at once where ${by} asks, and left alone by the schedule`, async () => {
    pulled.simulators.script(DENIED, { server: "analyticsData", times: 99 });
    expect(await came()).toEqual({ answered: 2, failed: 2, held: 0 });
    expect(pulled.attempts().map(({ wait }) => wait)).toContain(SLOW);
    expect(await next()).toEqual({ answered: 2, failed: 0, held: 2 });
    expect(await next(by)).toEqual({ answered: 2, failed: 2, held: 0 });
    pulled.simulators.calm();
    expect(await next()).toEqual({ answered: 2, failed: 0, held: 2 });
    expect(await next(by)).toEqual({ answered: 4, failed: 0, held: 0 });
    expect(await next()).toEqual({ answered: 4, failed: 0, held: 0 });
  });
}

test("where a whole account was refused, a person's run asks until it is refused again, and one that is answered frees the schedule", async () => {
  pulled.simulators.script({ kind: "error", error: "bad-token" }, { server: "searchConsole", times: 99 });
  expect(await came()).toEqual({ answered: 2, failed: 1, held: 1 });
  expect(await next()).toEqual({ answered: 2, failed: 0, held: 2 });
  expect(await next("command")).toEqual({ answered: 2, failed: 1, held: 1 });
  pulled.simulators.calm();
  expect(await next("command")).toEqual({ answered: 4, failed: 0, held: 0 });
  expect(await next()).toEqual({ answered: 4, failed: 0, held: 0 });
});

test("an account that a failure of another kind left held is asked by a person all the same", async () => {
  pulled.simulators.script({ kind: "error", error: "bad-token" }, { server: "searchConsole", times: 99 });
  await came();
  pulled.simulators.script({ kind: "html", status: 503 }, { server: "searchConsole", times: 99 });
  const { deps } = pulled.tower;
  const credential = pulled.credentials.google;
  await askAccount(deps, {
    job: "connection-test",
    credential,
    providers: ["search-console"],
    by: "command",
  });
  pulled.simulators.calm();
  expect(await next()).toEqual({ answered: 2, failed: 0, held: 2 });
  expect(await next("command")).toEqual({ answered: 4, failed: 0, held: 0 });
});

for (const error of ["too-many-requests", "daily-limit"]) {
  test(`a hold that the provider asked for (${error}) is kept, whoever asks`, async () => {
    const fault = { kind: "error", error, retryAfter: "3600" } as const;
    pulled.simulators.script(fault, { server: "analyticsData", times: 99 });
    expect((await came()).answered).toBe(2);
    pulled.simulators.calm();
    expect(await next("command")).toEqual({ answered: 2, failed: 0, held: 2 });
    expect(await next("operator:ada")).toEqual({ answered: 2, failed: 0, held: 2 });
    pulled.clock.advance(4 * QUARTER);
    expect(await came()).toEqual({ answered: 4, failed: 0, held: 0 });
  });
}

test("the nightly pull asks a refused account again at once where a person asks", async () => {
  const body = JSON.stringify({ ErrorCode: 3, Message: "ERROR!!! InvalidApiKey" });
  const answer = { status: 400, headers: { "content-type": "application/json" }, body };
  pulled.simulators.script({ kind: "answer", answer }, { server: "webmasterTools", times: 99 });
  expect(await came("schedule", "webmaster-tools")).toEqual({ answered: 0, failed: 1, held: 0 });
  pulled.simulators.calm();
  expect(await next("schedule", "webmaster-tools")).toEqual({ answered: 0, failed: 0, held: 1 });
  expect(await next("command", "webmaster-tools")).toEqual({ answered: 3, failed: 0, held: 0 });
});

/** `GET /api/archive/manifest` (decisions, Reading over the API). */

import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { type NewReport, recordReport } from "../../src/archive/manifest.ts";
import { HARBOR_PAGES, reportOf } from "../support/archive.ts";
import { PROXY, type TestTower, testTower } from "../support/test_tower.ts";

let service: TestTower;
beforeEach(async () => {
  service = await testTower({ settings: PROXY });
  for (const run of ["run-1", "run-2"]) {
    service.deps.store.raw.run("INSERT INTO job_run (run, job, started_at) VALUES (?, 'analysis', 0)", [run]);
  }
});
afterEach(() => service.close());

interface Row {
  readonly id: number;
  readonly [field: string]: unknown;
}

const ask = (query = "", headers?: Readonly<Record<string, string>>) =>
  service.ask(`/api/archive/manifest${query}`, headers === undefined ? {} : { as: "", headers });

async function list(query = ""): Promise<{ items: Row[]; next: string | null }> {
  const response = await ask(query);
  expect(response.status).toBe(200);
  return (await response.json()) as { items: Row[]; next: string | null };
}

const record = (changes: Partial<NewReport> = {}) =>
  service.deps.writer.write((tx) => recordReport(tx, reportOf(changes)));

describe("a row", () => {
  test("tells what is stored, with every field", async () => {
    await record({ notes: ["top_rows"], date: 20_776, attemptedAt: Date.parse("2026-11-21T12:15:04.118Z") });
    expect((await list()).items).toMatchSnapshot();
  });

  test("of which nothing is stored says so, and never 0; a report over days tells them", async () => {
    const target = { ...HARBOR_PAGES, provider: "analytics", family: "events-28d" } as const;
    const fault = { category: "rate_limit", failureCode: "rate_limited" } as const;
    await record({ target, date: 20_776, rangeFrom: 20_749, outcome: "failed", ...fault });
    expect((await list()).items).toMatchSnapshot();
  });
});

test("nobody reads it without the right to", async () => {
  expect((await ask("", {})).status).toBe(401);
});

/** `GET /api/archive/manifest` (decisions, Reading over the API). */

import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { type NewReport, recordReport } from "../../src/archive/manifest.ts";
import { HARBOR_PAGES, objectNumbered, reportOf } from "../support/archive.ts";
import { PROXY, type TestTower, testTower } from "../support/test_tower.ts";
import { words } from "../support/words.ts";

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

test("every filter narrows the list, pages make it up, and what is not understood is refused by its name", async () => {
  for (let place = 0; place < 9; place++) {
    await record({
      run: 1 + (place % 2),
      date: 20_770 + place,
      target: { ...HARBOR_PAGES, asset: place < 4 ? "harbor.example" : "orchard.example" },
      object: objectNumbered(place % 3),
      ...(place === 4 && { outcome: "failed", category: "access", object: null }),
    });
  }
  const ids = async (query: string) => (await list(query)).items.map(({ id }) => id);
  expect(await ids("?asset=orchard.example&from=2026-11-18&to=2026-11-20")).toEqual([8, 7, 6]);
  expect(await ids("?run=run-2&family=page")).toEqual([8, 6, 4, 2]);
  expect(await ids("?run=elsewhere")).toStrictEqual([]);
  expect(await ids(`?object=${objectNumbered(2).sha256}`)).toEqual([9, 6, 3]);
  expect(await ids("?outcome=failed")).toEqual([5]);
  expect(await ids("?category=access&run=run-1")).toEqual([5]);
  expect(await ids("?category=access&run=run-2")).toStrictEqual([]);
  expect(await ids("?provider=analytics")).toStrictEqual([]);
  const paged: number[] = [];
  for (let next: string | null = ""; next !== null; ) {
    const page = await list(`?limit=4${next === "" ? "" : `&cursor=${next}`}`);
    paged.push(...page.items.map(({ id }) => id));
    next = page.next;
  }
  expect(paged).toEqual([9, 8, 7, 6, 5, 4, 3, 2, 1]);
  for (const query of words("?object=abc ?family=pages-and-more ?outcome=skipped ?from=soon ?dates=1")) {
    const response = await ask(query);
    const { errors } = (await response.json()) as { errors: { pointer: string }[] };
    const name = query.slice(1).split("=")[0];
    expect([query, response.status, errors[0]?.pointer]).toEqual([query, 400, `/${name}`]);
  }
});

test("nobody reads it without the right to", async () => {
  expect((await ask("", {})).status).toBe(401);
});

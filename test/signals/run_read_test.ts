import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { readAttempts } from "../../src/signals/attempt_list.ts";
import { packSettled } from "../../src/signals/attempt_packs.ts";
import { type AttemptRow, PULL_OUTCOMES } from "../../src/signals/attempts.ts";
import { fresh } from "../support/fresh.ts";
import { attemptOf, recordRun } from "../support/quarters.ts";
import { PROXY, testTower } from "../support/test_tower.ts";

const QUARTER = 15 * 60_000;

const service = fresh(() => testTower({ settings: PROXY }));

interface Row {
  readonly id: number;
  readonly [field: string]: unknown;
}

const ask = (query = "", as = "ada") => service.ask(`/api/runs${query}`, { as });

async function list(query = ""): Promise<{ items: Row[]; next: string | null }> {
  const response = await ask(query);
  expect(response.status).toBe(200);
  return (await response.json()) as { items: Row[]; next: string | null };
}

/** Quarters of an hour over two jobs, three sites and every outcome; what is older than a day is packed, but for the last few. */
async function fill(quarters = 130): Promise<string[]> {
  const { clock } = service.deps;
  const ids: string[] = [];
  for (let tick = 0; tick < quarters; tick++) {
    const now = clock.now();
    const outcome = PULL_OUTCOMES[tick % 11] ?? "unchanged";
    const limited = { outcome: "failed", category: "rate_limit", nextRetryAt: now + 300_000 } as const;
    const attempts = [
      attemptOf(now, outcome === "failed" ? limited : { outcome }),
      attemptOf(
        now + 5,
        {},
        { asset: "orchard", provider: "search-console", property: "sc-domain:orchard.example" },
      ),
    ];
    ids.push(await recordRun(service.deps, attempts));
    if (tick % 20 === 0) {
      const account = { asset: "", provider: "webmaster-tools", property: "", timeZone: "" } as const;
      ids.push(
        await recordRun(
          service.deps,
          [attemptOf(now, { outcome: "failed", category: "access" }, account)],
          "webmaster-tools",
        ),
      );
    }
    clock.advance(QUARTER);
  }
  await packSettled(service.deps, 16);
  return ids;
}

const packed = () =>
  service.deps.store.raw.query<{ n: number }, []>("SELECT count(*) AS n FROM pull_attempt_pack").all()[0]
    ?.n ?? 0;

describe("GET /api/runs (decisions 3)", () => {
  test("goes on without a gap where attempts are packed between two pages", async () => {
    const { clock } = service.deps;
    await fill(40);
    expect(packed()).toBe(0);
    const first = await list("?limit=20");
    clock.advance(3 * 86_400_000);
    await packSettled(service.deps, 16);
    expect(packed()).toBe(5);
    const rest = await list(`?limit=500&cursor=${first.next}`);
    const ids = [...first.items, ...rest.items].map(({ id }) => id);
    expect(ids).toEqual(Array.from({ length: 82 }, (_, at) => 82 - at));
  });

  test("a damaged pack spoils the pages that lie in it, and nothing else", async () => {
    await fill();
    const { raw } = service.deps.store;
    raw.run("DROP TRIGGER pull_attempt_pack_stays");
    raw.run("UPDATE pull_attempt_pack SET data = x'00' WHERE id = 1");
    expect((await ask("?limit=100")).status).toBe(200);
    const response = await ask("?limit=500");
    expect(response.status).toBe(500);
    expect(await response.text()).toContain("Stored data is damaged: pull_attempt_pack, row 1");
  });
});

test("the list of attempts is, for any filter and any length of a page, what a walk over all of them gives", async () => {
  await fill();
  const { db, raw } = service.deps.store;
  const all = (await readAttempts(db, {}, { limit: 1_000 })).rows;
  expect(all).toHaveLength(267);
  const loose = raw.query<AttemptRow, []>(`SELECT * FROM pull_attempt WHERE id > 200 ORDER BY id DESC`).all();
  expect(all.slice(0, 67)).toEqual(loose);
  const optional = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined });
  const moment = fc
    .integer({ min: 0, max: 130 })
    .map((tick) => Date.parse("2026-03-01T12:00:00Z") + tick * QUARTER);
  const filter = fc.record({
    targets: optional(fc.array(fc.integer({ min: 1, max: 4 })).map((some) => new Set(some))),
    run: optional(fc.integer({ min: 1, max: 140 })),
    outcome: optional(fc.nat({ max: 5 })),
    category: optional(fc.nat({ max: 8 })),
    from: optional(moment),
    to: optional(moment),
  });
  await fc.assert(
    fc.asyncProperty(
      filter,
      fc.integer({ min: 1, max: 90 }),
      fc.integer({ min: 1, max: 5 }),
      async (by, limit, turns) => {
        const wanted = all.filter(
          (row) =>
            (by.targets === undefined || by.targets.has(row.target)) &&
            (by.run === undefined || row.run === by.run) &&
            (by.outcome === undefined || row.outcome === by.outcome) &&
            (by.category === undefined || row.category === by.category) &&
            (by.from === undefined || row.started_at >= by.from) &&
            (by.to === undefined || row.started_at < by.to),
        );
        const found: AttemptRow[] = [];
        for (let before: number | undefined = Number.MAX_SAFE_INTEGER; before !== undefined; ) {
          const stretch = await readAttempts(db, by, { limit, before, turns, turnMs: 0 });
          expect(stretch.rows.length).toBeLessThanOrEqual(limit);
          if (stretch.next !== undefined) expect(stretch.next).toBeLessThan(before);
          found.push(...stretch.rows);
          before = stretch.next;
        }
        expect(found).toEqual(wanted);
      },
    ),
    { numRuns: 60 },
  );
});

import { expect, test } from "bun:test";
import fc from "fast-check";
import { addDays, parseUtcDay, type UtcDay } from "../../src/base/time.ts";
import { acceptReport, findComparison } from "../../src/reports/codebase.ts";
import { testGround } from "../support/deps.ts";
import { codebaseReport } from "../support/make/codebase_report.ts";
import { DEFAULT_CODEBASE_THRESHOLDS } from "../support/thresholds.ts";

const LATEST = parseUtcDay("2026-11-20") as UtcDay;

/** The rule as the specification says it, over every stored age: nearest 30, between 28 and 45, the older at equal distance. */
function searched(ages: readonly number[]): number | undefined {
  return ages
    .filter((age) => age >= 28 && age <= 45)
    .sort((one, other) => Math.abs(one - 30) - Math.abs(other - 30) || other - one)[0];
}

test("comparison 3: what is read from the store is what a search over every report finds, at its newest revision", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(fc.integer({ min: 20, max: 52 }), fc.integer({ min: 1, max: 3 })), { maxLength: 12 }),
      async (reports) => {
        const ground = await testGround();
        const revisions = new Map<number, number>();
        for (const [age, count] of reports) {
          for (let i = 0; i < count; i++) {
            const revision = (revisions.get(age) ?? 0) + 1;
            revisions.set(age, revision);
            const report = codebaseReport({
              asset: "harbor",
              generatedAt: `${addDays(LATEST, -age)}T02:00:00Z`,
              measures: { code_lines: revision },
            });
            await ground.writer.write((tx) =>
              acceptReport(tx, {
                report,
                body: JSON.stringify(report),
                receivedAt: 0,
                thresholds: DEFAULT_CODEBASE_THRESHOLDS,
                newId: () => crypto.randomUUID(),
              }),
            );
          }
        }
        const age = searched([...revisions.keys()]);
        const found = findComparison(ground.store.db, "harbor", LATEST);
        ground.store.close();
        expect(found?.date).toBe(age === undefined ? undefined : addDays(LATEST, -age));
        expect(found?.measures.code_lines).toBe(age === undefined ? undefined : revisions.get(age));
      },
    ),
    { numRuns: 150 },
  );
});

import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { pulseRevisionFaults } from "../../src/reports/pulse.ts";
import { type TestGround, testGround } from "../support/deps.ts";
import { accept } from "../support/nightly.ts";

let ground: TestGround;
beforeEach(async () => {
  ground = await testGround();
  for (const hour of ["03", "04"]) {
    await accept(ground, { asset: "harbor", generatedAt: `2026-03-01T${hour}:00:00Z`, metrics: {} });
  }
});
afterEach(() => ground.store.close());

const insert = (date: string, revision: number, generatedAt: string) =>
  ground.store.raw.run(
    "INSERT INTO pulse (asset, date, revision, received_at, generated_at) VALUES ('harbor', ?, ?, 0, ?)",
    [date, revision, Date.parse(generatedAt)],
  );

describe("nightly reports as they are stored (reliability D1)", () => {
  test("accepted reports have no gap in their revisions and stand on their own day", () => {
    expect(pulseRevisionFaults(ground.store.db)).toEqual([]);
  });

  test("a gap in the revisions of a day is found", () => {
    insert("2026-03-01", 4, "2026-03-01T05:00:00Z");
    expect(pulseRevisionFaults(ground.store.db)).toEqual([
      "harbor on 2026-03-01: 3 nightly reports, but revision 4",
    ]);
  });

  test("a report that is filed under another day than its own is found, also at the edge of the day", () => {
    insert("2026-03-02", 1, "2026-03-01T23:59:59.999Z");
    insert("2026-03-03", 1, "2026-03-03T00:00:00Z");
    expect(pulseRevisionFaults(ground.store.db)).toEqual([
      "harbor on 2026-03-02, revision 1: generated on another day",
    ]);
  });
});

import { describe, expect, test } from "bun:test";
import type { FailureCategory } from "../../src/providers/faults.ts";
import { lastTimeZone, type PullOutcome, pullStanding, recordAttempt } from "../../src/signals/attempts.ts";
import { testGround } from "../support/deps.ts";
import { attemptOf } from "../support/quarters.ts";

const OF = { asset: "harbor", provider: "analytics", connectionRevision: "r-1", property: "412" } as const;

/** A database with attempts of a site, or of its whole account where `asset` is ''. */
async function attempts(
  ...made: readonly (readonly [
    asset: string,
    at: number,
    outcome: PullOutcome,
    category?: FailureCategory | null,
    timeZone?: string,
  ])[]
) {
  const { store, writer } = await testGround();
  await writer.write((tx): void => {
    for (const [asset, startedAt, outcome, category = null, timeZone = "Europe/Paris"] of made) {
      const isOfAccount = asset === "";
      const target = { ...OF, asset, ...(isOfAccount ? { property: "", timeZone: "" } : { timeZone }) };
      recordAttempt(tx, 1, attemptOf(startedAt, { outcome, category }, target));
    }
  });
  return store.db;
}

describe("how the pulls of a site's figures go", () => {
  test("a test of the account that went well collects nothing of a site", async () => {
    expect(pullStanding(await attempts(["", 10, "unchanged"]), OF)).toMatchSnapshot();
  });

  test("what another property told is not collected from the one that is attached now", async () => {
    const db = await attempts(["harbor", 10, "changed"], ["harbor", 20, "failed", "access"]);
    expect(pullStanding(db, { ...OF, property: "413" })).toMatchSnapshot();
    // The days that are there are still of its calendar.
    expect(lastTimeZone(db, OF)).toBe("Europe/Paris");
  });

  test("the calendar is the one that was told last; an attempt that told none takes none away", async () => {
    const paris = ["harbor", 10, "changed", null, "Europe/Paris"] as const;
    const tokyo = ["harbor", 20, "changed", null, "Asia/Tokyo"] as const;
    const failed = ["harbor", 40, "failed", "network", ""] as const;
    expect(lastTimeZone(await attempts(paris, tokyo, failed), OF)).toBe("Asia/Tokyo");
    expect(lastTimeZone(await attempts(paris, tokyo, paris, failed), OF)).toBe("Europe/Paris");
    expect(lastTimeZone(await attempts(failed), OF)).toBeUndefined();
  });

  test("what fails for the whole account stands for each of its sites, from its first failure on", async () => {
    const db = await attempts(
      ["harbor", 10, "changed"],
      ["", 20, "unchanged"],
      ["", 30, "failed", "access"],
      ["", 40, "failed", "access"],
    );
    expect(pullStanding(db, OF)).toMatchSnapshot();
  });

  test("a report that came after it ends the failure, and a site's own failure counts from its first", async () => {
    const ended = await attempts(["", 10, "failed", "network"], ["harbor", 20, "unchanged"]);
    expect(pullStanding(ended, OF)).toMatchObject({ reportedAt: 20, failingSince: undefined });
    const failing = await attempts(
      ["harbor", 10, "changed"],
      ["harbor", 20, "failed", "network"],
      ["", 25, "unchanged"],
      ["harbor", 30, "incomplete", "incomplete_report"],
    );
    expect(pullStanding(failing, OF)).toMatchSnapshot();
  });
});

import { describe, expect, test } from "bun:test";
import { dayRuleOf } from "../../src/tower/tower.tsx";

const NOW = Date.parse("2026-11-21T14:02:10Z");
const at = (time: string): number => Date.parse(`2026-11-21T${time}Z`);

describe("the day rule", () => {
  test("shows nothing while no site ever reported", () => {
    expect(dayRuleOf([], NOW)).toBeNull();
  });

  test("marks what arrived today, and leaves out what arrived before", () => {
    const heard = [
      { asset: "a", receivedAt: at("02:15:30") },
      { asset: "b", receivedAt: at("02:17:00") },
      { asset: "c", receivedAt: at("04:00:00") },
      { asset: "d", receivedAt: Date.parse("2026-11-20T23:59:59Z") },
    ];
    const rule = dayRuleOf(heard, NOW);
    expect(rule?.marks.map(({ title }) => title)).toEqual([
      "02:15 2 nightly reports",
      "04:00 1 nightly report",
    ]);
    expect(rule?.words).toBe("Today in UTC. Nightly reports of 3 sites arrived between 02:15 and 04:00.");
  });

  test("says so when nothing arrived yet, which is not an all-clear", () => {
    const rule = dayRuleOf([{ asset: "d", receivedAt: Date.parse("2026-11-20T02:00:00Z") }], NOW);
    expect(rule?.marks).toEqual([]);
    expect(rule?.words).toContain("No nightly report arrived yet.");
  });

  test("a thousand sites share at most a mark for each five minutes", () => {
    const heard = Array.from({ length: 1000 }, (_, i) => ({
      asset: `s${i}`,
      receivedAt: at("01:00:00") + i * 1000,
    }));
    expect(dayRuleOf(heard, NOW)?.marks.length).toBeLessThanOrEqual(4);
  });
});

import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { type EpisodeAlert, episodesOf } from "../../src/codebase/episodes.ts";

const alert = (rule: string, raisedAt: number, resolvedAt: number | null): EpisodeAlert => ({
  rule,
  raisedAt,
  resolvedAt,
});

describe("lasting conditions", () => {
  test("alerts of a rule that follow each other at one instant are one", () => {
    expect(episodesOf([alert("a", 3, null), alert("a", 1, 2), alert("a", 2, 3)])).toEqual([
      { ...alert("a", 3, null), heldSince: 1, heldReports: 3 },
    ]);
  });

  test("a pause between them makes two, and another rule never joins", () => {
    const found = episodesOf([alert("a", 1, 2), alert("a", 5, null), alert("b", 2, null)]);
    expect(found.map(({ rule, heldSince }) => [rule, heldSince])).toEqual([
      ["a", 5],
      ["b", 2],
      ["a", 1],
    ]);
  });

  test("every alert is counted once", () => {
    const times = fc
      .uniqueArray(fc.nat(50), { maxLength: 20 })
      .map((list) => list.sort((one, other) => one - other));
    fc.assert(
      fc.property(times, fc.infiniteStream(fc.boolean()), (raised, joins) => {
        const alerts = raised.map((at, index) => {
          const next = raised[index + 1];
          return alert("a", at, next === undefined ? null : joins.next().value === true ? next : at);
        });
        const counted = episodesOf(alerts).reduce((sum, held) => sum + held.heldReports, 0);
        expect(counted).toBe(alerts.length);
      }),
    );
  });
});

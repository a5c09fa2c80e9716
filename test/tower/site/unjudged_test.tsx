import { expect, test } from "bun:test";
import { backlogWords } from "../../../src/tower/site/unjudged.tsx";

const NOW = Date.parse("2026-03-01T12:00:00Z");
const words = (reports: number, ms: number) => backlogWords({ reports, since: NOW - ms }, NOW);

test("a backlog is told with its number and its age, once it is older than judging takes", () => {
  expect(backlogWords({ reports: 0, since: undefined }, NOW)).toBeUndefined();
  expect(words(3, 4_999)).toBeUndefined();
  expect(words(1, 5_000)).toBe("1 nightly report waits to be checked, for 5 s");
  expect(words(217, 40_000)).toBe("217 nightly reports wait to be checked, the oldest for 40 s");
  expect(words(4_000, 600_000)).toBe("4,000 nightly reports wait to be checked, the oldest for 10 min");
});

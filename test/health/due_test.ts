import { expect, test } from "bun:test";
import fc from "fast-check";
import { dueOf } from "../../src/health/state.ts";
import { isSilent, silenceLimit } from "../../src/rules/freshness.ts";

const HOUR = 3_600_000;

test("what a site sends is stale at the very moment at which the rule on silent sites holds", () => {
  const offset = fc.integer({ min: -40 * HOUR, max: 40 * HOUR });
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 80 }),
      fc.option(offset, { nil: undefined }),
      offset,
      (silentHours, live, passed) => {
        const receivedAt = Date.parse("2026-11-18T04:00:00Z");
        const now = receivedAt + Math.abs(passed);
        const wentLiveAt = live === undefined ? undefined : receivedAt + live;
        const site = { wentLiveAt, receivedAt, silentHours };
        const silence = { kind: "silence", hours: silentHours, liveSince: wentLiveAt } as const;
        const { staleAt } = dueOf(silence, receivedAt, now);
        expect(staleAt).toBe(receivedAt + silenceLimit(site, now));
        expect(now >= (staleAt ?? 0)).toBe(isSilent(site, now));
      },
    ),
  );
});

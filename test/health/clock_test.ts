/** A clock that was wrong for a while leaves nothing stuck until the time that it showed. */

import { expect, test } from "bun:test";
import { CAPABILITIES } from "../../src/health/catalogue.ts";
import { standingOf } from "../../src/health/state.ts";
import type { Provider } from "../../src/providers/adapter.ts";
import { pulledTower } from "../support/pulled.ts";

const QUARTER = 15 * 60_000;
const YEAR = 365 * 24 * 3_600_000;

test("what was pulled under a clock a year ahead is unknown, until the next pull under the right one", async () => {
  const pulled = await pulledTower();
  const standing = (provider: Provider) => {
    const obligation = CAPABILITIES.find(({ id }) => id === `${provider}.daily`)?.obligation;
    if (obligation === undefined || obligation === "silent_hours") throw new Error("no such read");
    const { state, cause } = standingOf({
      configuration: { isConnected: true, isPaused: false, isObserved: true },
      evidence: pulled.health(provider),
      sourceAttemptAt: undefined,
      obligation,
      now: pulled.clock.now(),
    });
    return [state, cause];
  };
  try {
    await pulled.run("sense");
    expect(standing("analytics")).toEqual(["working", undefined]);
    pulled.clock.advance(YEAR);
    await pulled.run("sense");
    pulled.clock.advance(QUARTER - YEAR);
    expect(standing("analytics")).toEqual(["unknown", "ahead"]);
    expect(standing("search-console")).toEqual(["unknown", "ahead"]);
    await pulled.run("sense");
    expect(standing("analytics")).toEqual(["working", undefined]);
    expect(standing("search-console")).toEqual(["working", undefined]);
  } finally {
    await pulled.close();
  }
});

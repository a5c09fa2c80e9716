/** The catalogue holds what is built, with the cadence at which it really comes. */

import { describe, expect, test } from "bun:test";
import { JOBS } from "../../src/app/schedule.ts";
import { CAPABILITIES, capabilityOf } from "../../src/health/catalogue.ts";
import { dueOf } from "../../src/health/state.ts";
import { PROVIDERS } from "../../src/providers/adapter.ts";

const ids = CAPABILITIES.map(({ id }) => id);

describe("the catalogue", () => {
  test("lists what is built with its kind, whether it can be paused, and when it is due, recorded; each is found by its id", () => {
    const rows = CAPABILITIES.map(({ id, label, kind, pausable, obligation }) => {
      if (obligation !== "silent_hours") dueOf(obligation, 1, 1);
      return [
        `${id}: ${label}, ${kind}${pausable ? ", can be paused" : ""}`,
        JSON.stringify(obligation),
      ].join(", ");
    });
    expect(rows.sort().join("\n")).toMatchSnapshot();
    expect(ids.map((id) => capabilityOf(id)?.id)).toEqual(ids);
    const none = ["", "analytics", "analytics.figures", "toString"];
    expect(none.filter((id) => capabilityOf(id) !== undefined)).toStrictEqual([]);
  });

  test("reads are due when their jobs run", () => {
    const jobAt = (name: string) => JOBS.find((job) => job.name === name)?.at;
    const jobOf = { analytics: "sense", "search-console": "sense", "webmaster-tools": "webmaster-tools" };
    for (const provider of PROVIDERS) {
      expect(capabilityOf(`${provider}.daily`)?.obligation).toMatchObject({
        kind: "ticks",
        at: jobAt(jobOf[provider]),
      });
    }
  });

  test("a label names one capability", () => {
    expect(new Set(CAPABILITIES.map(({ label }) => label)).size).toBe(CAPABILITIES.length);
  });
});

/** The catalogue holds what is built, with the cadence at which it really comes. */

import { describe, expect, test } from "bun:test";
import { JOBS } from "../../src/app/schedule.ts";
import { CAPABILITIES, capabilityOf } from "../../src/health/catalogue.ts";
import { PROVIDERS } from "../../src/providers/adapter.ts";
import { words } from "../support/words.ts";

const ids = CAPABILITIES.map(({ id }) => id);

describe("the catalogue", () => {
  test("calls each by a name of its own, recorded", () => {
    expect(CAPABILITIES.map(({ id, label }) => `${id}: ${label}`).join("\n")).toMatchSnapshot();
  });

  test("lists what is built, each once, and finds it by its id", () => {
    expect([...ids].sort()).toEqual([
      "analytics.archive",
      "analytics.connection-test",
      "analytics.daily",
      "analytics.hourly",
      "analytics.realtime",
      "analytics.site-discovery",
      "annotations.post",
      "calendars.read",
      "ingest.codebase",
      "ingest.nightly",
      ...["mail", "ntfy", "slack", "webhook"].flatMap((kind) => [`notices.${kind}`, `notices.${kind}.test`]),
      "search-console.archive",
      "search-console.connection-test",
      "search-console.daily",
      "search-console.site-discovery",
      "serp.connection-test",
      "serp.panels",
      "webmaster-tools.archive",
      "webmaster-tools.connection-test",
      "webmaster-tools.daily",
      "webmaster-tools.site-discovery",
    ]);
    expect(ids.map((id) => capabilityOf(id)?.id)).toEqual(ids);
    const none = ["", "analytics", "analytics.figures", "toString"];
    expect(none.filter((id) => capabilityOf(id) !== undefined)).toEqual([]);
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

  test("a check of a connection, a list of sites and a read are three things, and nothing else is paused than what is asked for figures", () => {
    const kinds = PROVIDERS.map((provider) =>
      CAPABILITIES.filter((one) => one.provider === provider).map(({ kind }) => kind),
    );
    for (const of of kinds) {
      expect(of).toContain("connection_test");
      expect(of).toContain("discovery");
      expect(of).toContain("production_read");
    }
    expect(
      CAPABILITIES.filter(({ pausable }) => pausable)
        .map(({ id }) => id)
        .sort(),
    ).toEqual(
      words(`
      analytics.archive analytics.daily analytics.hourly analytics.realtime calendars.read
      search-console.archive search-console.daily serp.panels webmaster-tools.archive webmaster-tools.daily
    `),
    );
  });

  test("a label names one capability", () => {
    expect(new Set(CAPABILITIES.map(({ label }) => label)).size).toBe(CAPABILITIES.length);
  });
});

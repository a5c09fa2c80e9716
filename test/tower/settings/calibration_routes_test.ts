import { describe, expect, test } from "bun:test";
import type { UtcDay } from "../../../src/base/time.ts";
import { parsed, rowsOf, textOf } from "../../support/html.ts";
import { judgeNightly, sendNightly } from "../../support/send_nightly.ts";
import { SettingsWalk } from "../../support/settings_walk.ts";
import { DEFAULT_FLOW_THRESHOLDS } from "../../support/thresholds.ts";

const PATH = "/settings/calibration";
const TODAY = "2026-03-01" as UtcDay;

describe("the calibration page", () => {
  test("before any test it says so and shows no figure", async () => {
    using walk = await SettingsWalk.start();
    const html = await walk.page(PATH);
    expect(html).toContain("No test has run yet");
    expect(html).not.toContain("expected by chance");
    expect(html).not.toContain("Metrics to tune");
  });

  test("tests, flags, chance, tuned share, noisiest sites and dispersion stand in tables (decided: a calibration panel)", async () => {
    using walk = await SettingsWalk.start();
    const counts = (back: number) => (back === 0 ? 0 : 40);
    await sendNightly(walk.deps, "shop", TODAY, 80, { signups: counts, rare: () => 0 });
    await judgeNightly(walk.deps, () => DEFAULT_FLOW_THRESHOLDS);
    const page = parsed(await walk.page(PATH));
    const [, week = [], ...longer] = rowsOf(page, "Calibration");
    expect([week, ...longer].map(([days]) => days)).toEqual(["7 days", "30 days", "90 days"]);
    expect([week, ...longer].map((row) => row[2])).toEqual(["1", "1", "1"]);
    expect(week[5]).toBe("0 of 1 (0%)");
    expect(Number(week[1])).toBeGreaterThan(40);
    expect(rowsOf(page, "Noisiest sites")[1]?.slice(0, 2)).toEqual(["shop", "1"]);
    expect(rowsOf(page, "Metrics that are not tested")[1]).toEqual(["too few events", "1"]);
    const spreads = rowsOf(page, "Metrics to tune").map(([metric]) => metric);
    expect(spreads).toEqual(expect.arrayContaining(["signups", "rare"]));
    expect(textOf(page)).toContain("At an alpha of 0.01 about 2 of 100 tests raise a flag by chance");
  });

  test("the list of metrics is filtered by site and paged; any page number is answered", async () => {
    using walk = await SettingsWalk.start();
    const metrics = Object.fromEntries(Array.from({ length: 60 }, (_, i) => [`metric-${i}`, () => 5]));
    await sendNightly(walk.deps, "shop", TODAY, 1, metrics);
    await judgeNightly(walk.deps, () => DEFAULT_FLOW_THRESHOLDS);
    const rows = async (query: string) =>
      rowsOf(parsed(await walk.page(`${PATH}${query}`)), "Metrics to tune").length - 1;
    expect(await rows("")).toBe(50);
    expect(await rows("?page=2")).toBe(10);
    expect(await rows("?q=SHO")).toBe(50);
    expect(await walk.page(`${PATH}?q=other`)).toContain("No metric matches");
    for (const page of ["0", "-3", "x", "99", "1e9"])
      expect((await walk.get(`${PATH}?page=${page}`)).status).toBe(200);
  });
});

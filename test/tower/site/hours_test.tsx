import { describe, expect, test } from "bun:test";
import { dayNumber, type UtcDay } from "../../../src/base/time.ts";
import { render } from "../../../src/tower/jsx/jsx-runtime.ts";
import { TodayByHour } from "../../../src/tower/site/live_panel.tsx";
import { inPage } from "../../support/tower_data.ts";

const TODAY = dayNumber("2026-11-20" as UtcDay);
/** 13:30 in Paris. */
const NOW = Date.UTC(2026, 10, 20, 12, 30);
const hour = (day: number, at: number, activeUsers: number) => ({
  day,
  hour: at,
  activeUsers,
  sessions: activeUsers,
  pageViews: 2 * activeUsers,
  eventCount: 5 * activeUsers,
});
const shown = (hours: readonly ReturnType<typeof hour>[]) =>
  render(
    inPage(
      () => (
        <TodayByHour counts={{ timeZone: "Europe/Paris", from: TODAY - 1, to: TODAY, hours, notes: [] }} />
      ),
      { now: NOW },
    ),
  );
const count = (html: string, sign: string) => html.split(`class="${sign}"`).length - 1;

describe("today by the hour", () => {
  test("counts in the property's time zone: an hour told is open, nobody is a tick, untold is a slot, later is blank", () => {
    const html = shown([hour(TODAY - 1, 23, 99), hour(TODAY, 0, 1), hour(TODAY, 9, 0), hour(TODAY, 13, 4)]);
    expect([count(html, "prov"), count(html, "zero"), count(html, "none")]).toEqual([2, 1, 14 - 3]);
    expect(html).toContain("<title>13:00: 4 visitors, 4 sessions, 8 page views</title>");
    expect(html).not.toContain("99");
    const bars = [...html.matchAll(/<[^>]*class="prov"[^>]*>/g)].map(([bar]) =>
      ["y", "height"].map((name) => Number(new RegExp(` ${name}="([\\d.]+)`).exec(bar)?.[1])),
    );
    const [one = [], four = []] = bars;
    expect(new Set(bars.map(([y = 0, height = 0]) => y + height)).size).toBe(1);
    expect(four[1]).toBeCloseTo(4 * (one[1] ?? 0));
  });

  test("adds up only what may be added up, and says that none of it is settled", () => {
    const html = shown([hour(TODAY, 8, 2), hour(TODAY, 9, 3)]);
    expect(html).toContain(
      "So far 10 page views and 25 events. Hours in Europe/Paris; today is not final yet.",
    );
    expect(html).toContain("3 visitors");
    expect(shown([])).toContain("No data of today yet");
  });
});

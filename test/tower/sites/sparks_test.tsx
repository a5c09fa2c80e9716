import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { dayNumber, type UtcDay } from "../../../src/base/time.ts";
import { addSeries, putDays } from "../../../src/reports/series.ts";
import { render } from "../../../src/tower/jsx/jsx-runtime.ts";
import { DayBars, newestSettled } from "../../../src/tower/kit/plot.tsx";
import { readSparks, settledValue, weekChange } from "../../../src/tower/sites/portfolio.ts";
import { SparkCell } from "../../../src/tower/sites/portfolio_page.tsx";
import { testGround } from "../../support/deps.ts";
import { fresh } from "../../support/fresh.ts";
import { inPage } from "../../support/tower_data.ts";

const TODAY = dayNumber("2026-11-20" as UtcDay);
const NOW = Date.UTC(2026, 10, 20, 14);

const ground = fresh(testGround);

type State = "final" | "provisional" | "excluded" | "missing";

/** Stores days of a series, as `[days back, value, state]`. */
async function told(
  asset: string,
  source: string,
  metric: string,
  days: readonly (readonly [number, number, State?])[],
) {
  await ground.writer.write((tx): void => {
    const id = addSeries(tx, { asset, source, metric }, TODAY);
    const changes = days
      .map(([back, value, state = "final"]) => ({
        day: TODAY - back,
        to: { state, basis: "reported" as const, value: state === "missing" ? null : value, total: null },
      }))
      .sort((one, other) => one.day - other.day);
    putDays(tx, id, changes);
  });
}

const sparksOf = (asset: string) => readSparks(ground.store.db, ["harbor", "orchard"], NOW).get(asset);

describe("the figures of a site's row", () => {
  test("a site without a source has none of them: its cell is empty", () => {
    expect(sparksOf("harbor")).toEqual({});
    expect(render(inPage(() => <SparkCell spark={undefined} />, { now: NOW }))).toBe("");
  });

  test("visitors are analytics' active users, clicks are search console's, else webmaster tools'", async () => {
    await told("harbor", "analytics", "active_users", [[1, 7]]);
    await told("harbor", "search-console", "clicks", [[3, 2]]);
    await told("harbor", "webmaster-tools", "clicks", [[2, 1]]);
    await told("orchard", "search-console", "clicks", [[60, 2]]);
    await told("orchard", "webmaster-tools", "clicks", [[5, 4]]);
    expect(sparksOf("harbor")).toMatchObject({
      visitors: { source: "analytics" },
      clicks: { source: "search-console" },
    });
    expect(sparksOf("orchard")?.visitors).toBeUndefined();
    expect(sparksOf("orchard")?.clicks?.source).toBe("webmaster-tools");
  });

  test("the sent metric is the one that was sent first, of those that are still sent", async () => {
    await ground.writer.write((tx): void => {
      addSeries(tx, { asset: "harbor", source: "pulse", metric: "gone" }, TODAY - 90);
    });
    await told("harbor", "pulse", "orders", [[1, 5]]);
    await told("harbor", "pulse", "errors", [[1, 1]]);
    expect(sparksOf("harbor")?.first?.metric).toBe("orders");
  });

  test("the number is that of the newest settled day, not of one that is open", async () => {
    await told("harbor", "analytics", "active_users", [
      [3, 41],
      [2, 38],
      [1, 12, "provisional"],
      [0, 3, "provisional"],
    ]);
    const html = render(inPage(() => <SparkCell spark={sparksOf("harbor")?.visitors} />, { now: NOW }));
    expect(html).toContain('<b title="18 Nov, settled">38</b>');
    expect(html).toContain('aria-label="3 to 41 a day on 4 days, 2 not settled"');
  });

  test("days of which none is settled have no number, and say so", async () => {
    await told("harbor", "analytics", "active_users", [[0, 3, "provisional"]]);
    expect(render(inPage(() => <SparkCell spark={sparksOf("harbor")?.visitors} />, { now: NOW }))).toContain(
      ">open</small>",
    );
  });
});

describe("a bar a day", () => {
  const states = fc.array(
    fc.record({ state: fc.constantFrom(0, 1, 2, 3), value: fc.integer({ min: 0, max: 5_000 }) }),
    { minLength: 28, maxLength: 28 },
  );

  /** A stretch of these days. */
  const stretch = (days: readonly { readonly state: number; readonly value: number }[]) => ({
    firstDay: 0,
    values: Float64Array.from(days, ({ state, value }) => (state === 0 ? Number.NaN : value)),
    states: Uint8Array.from(days, ({ state }) => state),
    totals: new Float64Array(days.length),
    lastDay: days.length - 1,
  });

  test("every day with a value has one mark of its state, none without has any, and all lie within the drawing", () => {
    fc.assert(
      fc.property(states, (days) => {
        const html = render(<DayBars days={stretch(days)} />);
        const marks = (name: string) =>
          [
            ...(new RegExp(`class="${name}" d="([^"]*)"`).exec(html)?.[1] ?? "").matchAll(
              /M(\d+) (-?\d+)v?(-?\d+)?/g,
            ),
          ].length;
        const count = (state: number) => days.filter((day) => day.state === state && day.value > 0).length;
        expect([marks("b"), marks("p"), marks("x")]).toEqual([count(1), count(2), count(3)]);
        expect(marks("c")).toBe(days.filter(({ state }) => state === 3).length);
        expect(marks("z")).toBe(days.filter(({ state, value }) => state !== 0 && value === 0).length);
        for (const [, height] of html.matchAll(/v-(\d+)/g)) {
          expect(Number(height)).toBeGreaterThanOrEqual(1);
          expect(Number(height)).toBeLessThanOrEqual(19);
        }
        const newest = days.findLastIndex(({ state }) => state === 1);
        expect(newestSettled(stretch(days))).toBe(newest);
      }),
    );
  });

  test("the change compares the last seven settled days with the seven before, and is none where a day of them is open", () => {
    const day = (value: number, state = 1) => ({ state, value });
    const weeks = [...Array(7).fill(day(10)), ...Array(7).fill(day(8)), day(99, 2)];
    const of = (days: readonly { readonly state: number; readonly value: number }[]) =>
      weekChange({ days: stretch(days) });
    expect(of(weeks)).toBeCloseTo(-0.2);
    expect(of(weeks.slice(1))).toBeNull();
    expect(of(weeks.with(3, day(10, 2)))).toBeNull();
    expect(of(weeks.map((one, place) => (place < 7 ? day(0) : one)))).toBeNull();
    expect(settledValue({ days: stretch(weeks) })).toBe(8);
    expect(settledValue({ days: stretch([day(9, 2)]) })).toBeNull();
  });

  test("no day with a value draws nothing", () => {
    expect(
      render(<DayBars days={stretch(Array.from({ length: 28 }, () => ({ state: 0, value: 0 })))} />),
    ).toBe("");
  });
});

import { expect, test } from "bun:test";
import { dayNumber, dayOfNumber } from "../../../src/base/time.ts";
import { addSeries } from "../../../src/reports/series.ts";
import { render } from "../../../src/tower/jsx/jsx-runtime.ts";
import { readSparks, settledValue, weekChange } from "../../../src/tower/sites/portfolio.ts";
import { SparkCell } from "../../../src/tower/sites/portfolio_page.tsx";
import { testGround } from "../../support/deps.ts";
import { plantSeries } from "../../support/series.ts";
import { told } from "../../support/signals.ts";
import { inPage, NOW, TODAY } from "../../support/tower_data.ts";

test("visitors are analytics' active users, clicks are search console's, else webmaster tools', the sent metric is the first that is still sent; the number is the newest settled day's", async () => {
  const ground = await testGround();
  const today = dayNumber(TODAY);
  const days = (...states: readonly (readonly [number, number, "final" | "provisional"])[]) =>
    states.map(([back, value, state]) => [dayOfNumber(today - back), told(value, state)] as const);
  await ground.writer.write((tx): void => {
    addSeries(tx, { asset: "harbor", source: "pulse", metric: "gone" }, today - 90);
    for (const [asset, source, metric, told] of [
      [
        "harbor",
        "analytics",
        "active_users",
        days([3, 41, "final"], [2, 38, "final"], [1, 12, "provisional"], [0, 3, "provisional"]),
      ],
      ["harbor", "search-console", "clicks", days([3, 2, "final"])],
      ["harbor", "webmaster-tools", "clicks", days([2, 1, "final"])],
      ["harbor", "pulse", "orders", days([1, 5, "final"])],
      ["harbor", "pulse", "errors", days([1, 1, "final"])],
      ["orchard", "search-console", "clicks", days([60, 2, "final"])],
      ["orchard", "webmaster-tools", "clicks", days([5, 4, "final"])],
      ["quay", "analytics", "active_users", days([0, 3, "provisional"])],
    ] as const)
      plantSeries(tx, { asset, source, metric }, told);
  });
  const sparks = readSparks(ground.store.db, ["harbor", "orchard", "quay", "pier"], NOW);
  const said = [...sparks].map(([asset, of]) => [
    asset,
    ...Object.entries(of).map(([name, spark]) => [
      `${name}: ${spark?.source} ${spark?.metric}`,
      String(render(inPage(() => <SparkCell spark={spark} />))),
    ]),
  ]);
  expect(said).toMatchSnapshot();
  expect(render(inPage(() => <SparkCell spark={undefined} />))).toBe("");
  ground.store.close();
});

test("the change compares the last seven settled days with the seven before, and is none where a day of them is open", () => {
  const day = (value: number, state = 1) => ({ state, value });
  const stretch = (days: readonly ReturnType<typeof day>[]) => ({
    firstDay: 0,
    values: Float64Array.from(days, ({ value }) => value),
    states: Uint8Array.from(days, ({ state }) => state),
    totals: new Float64Array(days.length),
    lastDay: days.length - 1,
  });
  const weeks = [...Array(7).fill(day(10)), ...Array(7).fill(day(8)), day(99, 2)];
  const of = (days: typeof weeks) => weekChange({ days: stretch(days) });
  expect(of(weeks)).toBeCloseTo(-0.2);
  const none = [
    weeks.slice(1),
    weeks.with(3, day(10, 2)),
    weeks.map((one, place) => (place < 7 ? day(0) : one)),
  ];
  expect(none.map(of)).toEqual([null, null, null]);
  expect([weeks, [day(9, 2)]].map((days) => settledValue({ days: stretch(days) }))).toEqual([8, null]);
});

import { describe, expect, test } from "bun:test";
import { listFlags } from "../../src/flags/queries.ts";
import { findLatestPulse, listFreshness } from "../../src/reports/pulse.ts";
import { instant } from "../support/clock.ts";
import { testGround } from "../support/deps.ts";
import { fresh } from "../support/fresh.ts";
import { pulse } from "../support/make/pulse.ts";
import { accept } from "../support/nightly.ts";

const ground = fresh(testGround);

const on = (day: string, changes = {}) =>
  accept(ground, pulse({ generatedAt: `${day}T02:30:00Z`, ...changes }));
const flag = (metric: string, msg = `${metric} fell`) =>
  ({ severity: "warn", kind: "anomaly", metric, msg }) as const;

describe("revisions of a UTC day (spec, Endpoints 2)", () => {
  test("the first report of a day is revision 1, every further one the next", async () => {
    expect(await on("2026-03-01")).toMatchObject({ date: "2026-03-01", revision: 1 });
    expect(await on("2026-03-01")).toMatchObject({ date: "2026-03-01", revision: 2 });
  });

  test("the day is the UTC day of generatedAt, whatever its offset", async () => {
    expect(await accept(ground, pulse({ generatedAt: "2026-03-01T23:30:00-02:00" }))).toMatchObject({
      date: "2026-03-02",
    });
    expect(await accept(ground, pulse({ generatedAt: "2026-03-01T01:30:00+02:00" }))).toMatchObject({
      date: "2026-02-28",
    });
  });

  test("a report for an older day is its own day's revision and leaves the latest alone", async () => {
    await on("2026-03-05", { metrics: { signups: {} } });
    expect(await on("2026-03-02")).toMatchObject({ date: "2026-03-02", revision: 1 });
    expect(findLatestPulse(ground.store.db, "harbor", instant("2026-04-01T00:00:00Z"))).toMatchObject({
      date: "2026-03-05",
      metrics: 1,
    });
  });
});

test("freshness is that of the report accepted last, whatever its day: a clock that was set back is believed again", async () => {
  const now = 20_000;
  for (const [day, receivedAt] of [
    ["05", 5_000],
    ["02", 9_000],
    ["06", 7_000],
  ] as const) {
    await accept(ground, pulse({ generatedAt: `2026-03-${day}T02:30:00Z` }), receivedAt);
    expect(listFreshness(ground.store.db, now)).toEqual([
      { asset: "harbor", receivedAt, isNewlyAhead: false },
    ]);
  }
});

describe("flags a report carries", () => {
  const open = () => listFlags(ground.store.db, { asset: "harbor", status: "open" }, 20);

  test("their ids are answered in the order sent, and each row says what was sent", async () => {
    const sent = ["signups", "refunds", "exports"].map((metric) => flag(metric));
    const { flags } = await on("2026-03-01", { flags: sent });
    const rows = new Map(open().map((row) => [row.id, row]));
    expect(flags.map((id) => rows.get(id)?.metric)).toEqual(["signups", "refunds", "exports"]);
    expect(rows.get(flags[0] ?? "")).toMatchObject({ origin: "site", rule: null, message: "signups fell" });
  });

  test("they are those of their day and revision: repeated, ended, superseded, and of an older day none is opened", async () => {
    const first = await on("2026-03-01", { flags: [flag("signups"), flag("refunds")] });
    const second = await on("2026-03-02", { flags: [flag("signups")] });
    expect(second.flags).toEqual([first.flags[0] ?? ""]);
    const older = pulse({ generatedAt: "2026-03-01T02:30:00Z", flags: [flag("refunds")] });
    await accept(ground, older, instant("2026-03-05T09:00:00Z"));
    expect(open().map(({ id }) => id)).toEqual([...second.flags]);
    const third = await on("2026-03-03", { flags: [flag("exports")] });
    const again = await on("2026-03-03", { flags: [flag("exports")] });
    expect(again.flags).not.toEqual([...third.flags]);
    expect(open()).toMatchObject([
      { id: again.flags[0], rule_inputs: { report: { date: "2026-03-03", revision: 2 } } },
    ]);
  });
});

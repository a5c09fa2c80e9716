import { describe, expect, test } from "bun:test";
import { performAct } from "../../src/flags/acts.ts";
import { noticeWorld } from "./world.ts";

const HOUR_MS = 3_600_000;
const by = { name: "kim", id: "operator:kim" };

describe("what a channel is told", () => {
  test("one message for a site and run, worst first, and no flag twice", async () => {
    await using world = await noticeWorld();
    await world.channel("ops");
    await world.raise({ asset: "a.example", message: "slow" });
    await world.raise({ asset: "a.example", message: "gone", severity: "error" });
    await world.raise({ asset: "b.example", message: "odd" });
    await world.raise({ asset: "c.example", message: "nice", severity: "info" });
    expect(await world.run()).toEqual(["a.example: gone, and 1 more", "b.example: odd"]);
    expect(world.arrived[0]?.notice.flags.map(({ message }) => message)).toEqual(["gone", "slow"]);
    world.clock.advance(10_000);
    expect(await world.run()).toStrictEqual([]);
  });

  test("nothing of flags that began before the channel was made, until they ended and begin again", async () => {
    await using world = await noticeWorld();
    const old = await world.raise({ asset: "a.example" });
    world.clock.advance(1_000);
    await world.channel("ops");
    await world.resolve(old, "renewed", "flag-2");
    const renewed = await world.raise({ asset: "a.example" }, old);
    expect(await world.run()).toStrictEqual([]);
    await world.resolve(renewed);
    world.clock.advance(HOUR_MS);
    await world.raise({ asset: "a.example", message: "odd again" }, renewed);
    expect(await world.run()).toEqual(["a.example: odd again"]);
  });

  test("a renewal is no news, one of higher severity is", async () => {
    await using world = await noticeWorld();
    await world.channel("ops");
    const first = await world.raise({ asset: "a.example", message: "odd" });
    expect(await world.run()).toEqual(["a.example: odd"]);
    await world.resolve(first, "renewed", "flag-2");
    const second = await world.raise({ asset: "a.example", message: "odd" }, first);
    expect(await world.run()).toStrictEqual([]);
    await world.resolve(second, "renewed", "flag-3");
    await world.raise({ asset: "a.example", message: "odd", severity: "error" }, second);
    expect(await world.run()).toEqual(["a.example: odd"]);
  });

  test("nothing of flags that are snoozed, acknowledged or over before their message goes out", async () => {
    await using world = await noticeWorld();
    await world.channel("ops");
    world.answer = () => ({ ok: false, category: "network", code: "receiver_silent", permanent: false });
    const [snoozed, acked, over] = [
      await world.raise({ asset: "a.example" }),
      await world.raise({ asset: "b.example" }),
      await world.raise({ asset: "c.example" }),
    ];
    const { deps } = world.tower;
    const now = world.clock.now();
    await deps.writer.write((tx) => {
      performAct(tx, "snooze", { id: snoozed, by, now, until: now + HOUR_MS });
      performAct(tx, "acknowledge", { id: acked, by, now });
    });
    await world.resolve(over);
    await world.run();
    expect(world.stored()).toStrictEqual([]);
  });

  test("that a site is back to normal, once the last flag it was told of ends, where it wishes so", async () => {
    await using world = await noticeWorld();
    await world.channel("ops", { resolved: true });
    await world.channel("quiet");
    const one = await world.raise({ asset: "a.example", message: "slow" });
    const two = await world.raise({ asset: "a.example", message: "odd" });
    await world.run();
    await world.resolve(one);
    expect(await world.run()).toStrictEqual([]);
    world.clock.advance(49 * HOUR_MS);
    await world.resolve(two);
    expect(await world.run()).toEqual(["a.example: back to normal after 2 days"]);
    expect(world.arrived.at(-1)).toMatchObject({ channel: "ops", notice: { type: "flags.resolved" } });
    expect(await world.run()).toStrictEqual([]);
    // What comes back after that is news again.
    await world.raise({ asset: "a.example", message: "odd" }, two);
    expect(await world.run()).toEqual(["a.example: odd"]);
  });

  test.each(["threshold_changed", "paused", "not_live", "went_live"])(
    "nothing of a silence that an operator's act ended (%s): no report came",
    async (resolution) => {
      await using world = await noticeWorld();
      await world.channel("ops", { resolved: true });
      const silent = await world.raise({ asset: "tower", rule: "stale-ingest", subject: "a.example" });
      expect(await world.run()).toHaveLength(1);
      await world.resolve(silent, resolution);
      expect(await world.run()).toStrictEqual([]);
    },
  );

  test("that a site is back to normal only where nothing else began on it, in the same run or in quiet hours", async () => {
    await using world = await noticeWorld();
    const quiet = { from: "22:00", to: "07:00" };
    await world.channel("ops", { resolved: true, quiet });
    const one = await world.raise({ asset: "a.example", message: "slow" });
    const two = await world.raise({ asset: "b.example", message: "odd" });
    await world.run();
    world.clock.at("2026-11-20T23:00:00Z");
    await world.resolve(one);
    await world.resolve(two);
    const three = await world.raise({ asset: "a.example", message: "gone", severity: "error" });
    expect(await world.run()).toEqual(["a.example: gone"]);
    world.clock.advance(HOUR_MS);
    const four = await world.raise({ asset: "b.example", message: "gone", severity: "error" });
    expect(await world.run()).toEqual(["b.example: gone"]);
    world.clock.at("2026-11-21T07:00:00Z");
    expect(await world.run()).toStrictEqual([]);
    await world.resolve(three);
    await world.resolve(four);
    expect(await world.run()).toEqual([
      "a.example: back to normal after 1 day",
      "b.example: back to normal after 1 day",
    ]);
    const { text, flags } = world.arrived.at(-1)?.notice ?? {};
    expect(flags?.map(({ id }) => id)).toEqual([four, two]);
    expect(text).not.toContain("Snooze");
  });

  test("the end of what was on its way as it ended; never that of what ended untold long before", async () => {
    await using world = await noticeWorld();
    await world.channel("ops", { resolved: true });
    const untold = await world.raise({ asset: "a.example", message: "slow" });
    await world.run();
    await world.pause("ops", true);
    await world.resolve(untold);
    await world.run();
    await world.pause("ops", false);
    world.clock.advance(30 * 24 * HOUR_MS);
    world.answer = () => ({ ok: false, category: "network", code: "receiver_silent", permanent: false });
    const late = await world.raise({ asset: "a.example", message: "odd" });
    await world.run();
    await world.resolve(late);
    await world.run();
    world.answer = () => ({ ok: true, receipt: "200" });
    world.clock.advance(HOUR_MS);
    expect(await world.run()).toEqual(["a.example: odd", "a.example: back to normal after less than a day"]);
    expect(world.arrived.at(-1)?.notice.flags.map(({ id }) => id)).toEqual([late]);
  });

  test("of its own sites alone, by id or by group; Tower's own problems go to who has all", async () => {
    await using world = await noticeWorld();
    await world.channel("of-b", { sites: ["b.example"] });
    await world.channel("all");
    await world.raise({ asset: world.tower.deps.config.serviceAsset, message: "disk is full" });
    await world.raise({ asset: "b.example", message: "odd" });
    await world.raise({
      asset: world.tower.deps.config.serviceAsset,
      rule: "stale-ingest",
      subject: "b.example",
      message: "b.example: no nightly report for 26 hours",
    });
    await world.run();
    expect(
      world.arrived.map(({ channel, notice }) => `${channel} ${notice.subject}`).sort(),
    ).toMatchSnapshot();
  });
});

describe("quiet hours", () => {
  test("hold back all but errors, and let go of it as one message when they end", async () => {
    await using world = await noticeWorld("2026-11-20T21:30:00Z");
    await world.channel("ops", { quiet: { from: "22:00", to: "07:00" }, zone: "Europe/Berlin" }, "mail");
    await world.raise({ asset: "a.example", message: "slow" });
    await world.raise({ asset: "b.example", message: "gone", severity: "error" });
    expect(await world.run()).toEqual(["b.example: gone"]);
    world.clock.advance(HOUR_MS);
    await world.raise({ asset: "c.example", message: "odd" });
    expect(await world.run()).toStrictEqual([]);
    expect(world.stored({ outcome: "held" })).toMatchObject([{ type: "digest", attempts: 0 }]);
    world.clock.at("2026-11-21T05:59:50Z");
    expect(await world.run()).toStrictEqual([]);
    world.clock.at("2026-11-21T06:00:00Z");
    expect(await world.run()).toEqual(["News of 2 sites"]);
    expect(world.stored({ outcome: "held" })).toStrictEqual([]);
  });

  test("of the constants document are those of a channel that has none of its own", async () => {
    await using world = await noticeWorld("2026-11-20T21:30:00Z");
    const { constants } = world.tower.deps;
    const { digest } = constants.document();
    const night =
      '[notifications]\nquiet_from = "22:00"\nquiet_until = "07:00"\ntime_zone = "Europe/Berlin"\n';
    expect((await constants.save(night, { author: "ada" }, digest)).ok).toBe(true);
    await world.channel("ops");
    await world.channel("noon", { quiet: { from: "12:00", to: "13:00" } });
    await world.raise({ asset: "a.example", message: "slow" });
    await world.raise({ asset: "b.example", message: "gone", severity: "error" });
    await world.run();
    const told = world.arrived.map(({ channel, notice }) => `${channel}: ${notice.subject}`);
    expect(told.toSorted()).toMatchSnapshot();
    expect(world.stored({ outcome: "held" })).toMatchObject([{ channel: "ops" }]);
    world.clock.at("2026-11-21T06:00:00Z");
    expect(await world.run()).toEqual(["a.example: slow"]);
  });

  test("tell what became an error at once, and not again when they end", async () => {
    await using world = await noticeWorld("2026-11-20T22:30:00Z");
    await world.channel("ops", { quiet: { from: "22:00", to: "07:00" } });
    const first = await world.raise({ asset: "a.example", message: "odd" });
    expect(await world.run()).toStrictEqual([]);
    await world.resolve(first, "renewed", "flag-2");
    await world.raise({ asset: "a.example", message: "odd", severity: "error" }, first);
    expect(await world.run()).toEqual(["a.example: odd"]);
    world.clock.at("2026-11-21T07:00:00Z");
    expect(await world.run()).toStrictEqual([]);
    expect(world.stored()).toHaveLength(1);
  });
});

test("a clock that was ahead and went back holds up no retry, no heartbeat and no news", async () => {
  await using world = await noticeWorld();
  await world.channel("old");
  await world.run();
  world.clock.advance(48 * HOUR_MS);
  await world.channel("alive", { heartbeat: true });
  await world.channel("ops");
  world.answer = ({ id }) =>
    id === "old"
      ? { ok: false, category: "network", code: "receiver_silent", permanent: false }
      : { ok: true, receipt: "200" };
  await world.raise({ asset: "a.example", message: "slow" });
  expect((await world.run()).sort()).toEqual(["Tower runs", "a.example: slow"]);
  world.answer = () => ({ ok: true, receipt: "200" });
  world.clock.advance(-48 * HOUR_MS);
  const clock = "Notices by webhook: The last attempt has a time in the future, so it does not count";
  expect((await world.run()).sort()).toEqual([clock, clock, "Tower runs", "a.example: slow"]);
  await world.raise({ asset: "b.example", message: "odd" });
  expect(await world.run()).toEqual(["b.example: odd", "b.example: odd"]);
});

describe("a delivery", () => {
  test("is tried again under its own id within two minutes, later ones of the channel wait, other channels do not", async () => {
    await using world = await noticeWorld();
    await world.channel("broken");
    await world.channel("well");
    const asked: string[] = [];
    let isDown = true;
    world.answer = ({ id }, notice) => {
      if (id === "broken") asked.push(notice.id);
      return id === "broken" && isDown
        ? { ok: false, category: "network", code: "receiver_silent", permanent: false }
        : { ok: true, receipt: "204" };
    };
    await world.raise({ asset: "a.example", message: "slow" });
    expect(await world.run()).toEqual(["a.example: slow"]);
    await world.raise({ asset: "b.example", message: "odd" });
    expect(await world.run()).toEqual(["b.example: odd"]);
    isDown = false;
    world.clock.advance(120_000);
    expect(await world.run()).toEqual(["a.example: slow", "b.example: odd"]);
    expect(asked[0]).toBe(asked[1] ?? "");
    expect(world.stored({ channel: "broken" })).toMatchObject([
      { attempts: 1, receipt: "204", outcome: "delivered" },
      { attempts: 2, receipt: "204", outcome: "delivered" },
    ]);
    // What can never succeed is told over the other, and whose it is.
    world.answer = ({ id }) =>
      id === "broken"
        ? { ok: false, category: "configuration", code: "receiver_gone", permanent: true }
        : { ok: true, receipt: "204" };
    await world.raise({ asset: "c.example", message: "late" });
    expect(await world.run()).toEqual(["c.example: late"]);
    expect(await world.run()).toEqual([
      "broken: Notices by webhook: Nothing accepts notices at the receiver's address",
    ]);
  });

  test("is given up after a day, or at once where it can never succeed", async () => {
    await using world = await noticeWorld();
    await world.channel("ops");
    let permanent = false;
    let attempts = 0;
    world.answer = () => {
      attempts++;
      return { ok: false, category: "network", code: "receiver_silent", permanent };
    };
    await world.raise({ asset: "a.example" });
    // Each minute of the first hour, then every ten.
    for (let minute = 0; minute < 26 * 60; ) {
      await world.run();
      const step = minute < 60 ? 1 : 10;
      world.clock.advance(step * 60_000);
      minute += step;
    }
    expect(world.stored()).toMatchObject([{ outcome: "failed", code: "receiver_silent" }]);
    expect(attempts).toBeGreaterThan(20);
    expect(attempts).toBeLessThan(60);
    permanent = true;
    await world.raise({ asset: "b.example" });
    await world.run();
    expect(world.stored()[0]).toMatchObject({ outcome: "failed", attempts: 1 });
  });

  test("keeps its receipt where the recorder of health fails, and is not sent again", async () => {
    await using world = await noticeWorld();
    await world.channel("ops");
    const { store } = world.tower.deps;
    store.raw.run(
      "CREATE TRIGGER no_health BEFORE INSERT ON health_state BEGIN SELECT RAISE(ABORT, 'no'); END",
    );
    await world.raise({ asset: "a.example", message: "odd" });
    expect(await world.run()).toEqual(["a.example: odd"]);
    expect(world.stored()).toMatchObject([{ outcome: "delivered", receipt: "200" }]);
    world.clock.advance(HOUR_MS);
    expect(await world.run()).toStrictEqual([]);
    expect(store.raw.query("SELECT kind FROM monitoring_failure").all()).toContainEqual({ kind: "recorder" });
  });

  test("waits for nothing while its channel is paused, and what happened meanwhile is old news", async () => {
    await using world = await noticeWorld();
    await world.channel("ops", { digest: "08:00" });
    await world.run();
    await world.pause("ops", true);
    await world.raise({ asset: "a.example" });
    await world.run();
    world.clock.advance(22 * HOUR_MS);
    await world.run();
    await world.pause("ops", false);
    expect(await world.run()).toStrictEqual([]);
    await world.raise({ asset: "b.example", message: "odd" });
    expect(await world.run()).toEqual(["b.example: odd"]);
  });
});

test("a heartbeat goes out once an hour while all jobs run, and leaves no delivery", async () => {
  await using world = await noticeWorld();
  await world.channel("alive", { heartbeat: true, digest: "12:00" });
  await world.raise({ asset: "a.example" });
  expect(await world.run()).toEqual(["Tower runs"]);
  world.clock.advance(HOUR_MS - 10_000);
  expect(await world.run()).toStrictEqual([]);
  world.clock.advance(10_000);
  expect(await world.run()).toEqual(["Tower runs"]);
  const { jobs } = world.tower.deps;
  jobs.health.setFailure("sense", "It was due and did not begin.");
  world.clock.advance(HOUR_MS);
  expect(await world.run()).toStrictEqual([]);
  jobs.health.setFailure("sense", undefined);
  expect(await world.run()).toEqual(["Tower runs"]);
  expect(world.stored()).toStrictEqual([]);
});

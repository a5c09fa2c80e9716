import { describe, expect, test } from "bun:test";
import { feedScope } from "../../src/health/health.ts";
import { pause } from "../../src/health/pauses.ts";
import { findEvidence, listHealthEvents } from "../../src/health/state_store.ts";
import type { HourlyReport, Realtime } from "../../src/providers/adapter.ts";
import { type FaultCode, faultOf, type Outcome } from "../../src/providers/faults.ts";
import { type LiveSource, LiveTraffic } from "../../src/signals/live_traffic.ts";
import type { Store, Tx } from "../../src/store/store.ts";
import { Writer } from "../../src/store/writer.ts";
import { FakeClock } from "../support/clock.ts";
import { testStore } from "../support/database.ts";
import { seededIds } from "../support/ids.ts";
import { until } from "../support/until.ts";

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const SOURCE: LiveSource = { credential: "c-1", connectionRevision: "r-1", property: "412" };

const counts = (activeUsers: number) => ({
  activeUsers,
  pageViews: 3 * activeUsers,
  eventCount: 9 * activeUsers,
});
const realtime = (users: number): Outcome<Realtime> => ({
  ok: true,
  value: { last30: counts(users), last5: counts(Math.floor(users / 2)) },
});
const HOURLY: Outcome<HourlyReport> = {
  ok: true,
  value: {
    timeZone: "UTC",
    from: 20_512,
    to: 20_513,
    hours: [{ day: 20_513, hour: 11, sessions: 4, ...counts(3) }],
    notes: [],
  },
};
const failed = (code: FaultCode, retryAfterMs?: number): Outcome<never> => ({
  ok: false,
  fault: faultOf(code, { retryAfterMs }),
});

/** A panel over a database of its own, whose provider answers as the test says. */
function panel() {
  const store = testStore();
  const writer = new Writer(store);
  const clock = new FakeClock();
  const ids = seededIds();
  const provider = {
    realtime: realtime(12) as Outcome<Realtime>,
    hourly: HOURLY as Outcome<HourlyReport>,
    asked: { realtime: 0, hourly: 0 },
    /** How long a question about traffic now takes. */
    tookMs: 0,
    source: SOURCE as LiveSource | "retired" | null,
  };
  const traffic = () =>
    new LiveTraffic({
      store,
      writer,
      clock,
      ids,
      config: { workspace: "default" },
      sourceOf: () => provider.source,
      ask: {
        realtime: async () => {
          provider.asked.realtime++;
          clock.advance(provider.tookMs);
          return provider.realtime;
        },
        hourly: async () => {
          provider.asked.hourly++;
          return provider.hourly;
        },
      },
    });
  let live = traffic();
  const look = () => {
    const view = live.look("harbor");
    if (view.state !== "watched") throw new Error(`not watched: ${view.state}`);
    return view;
  };
  return {
    store,
    clock,
    provider,
    writer,
    /** What is shown at once. */
    look,
    /** Looks, waits for what that began, and looks again. */
    seen: async () => {
      look();
      await writer.settled();
      return look();
    },
    view: () => live.look("harbor"),
    /** Until so many questions about traffic now are on their way. */
    isAsked: (times = 1) =>
      until(
        async () => provider.asked.realtime,
        (asked) => asked >= times,
      ),
    restart: () => {
      live = traffic();
    },
    stop: () => live.stop(),
  };
}

const leasesIn = (store: Store) =>
  store.raw.query<{ kind: string; holder: string }, []>("SELECT kind, holder FROM live_lease").all();

describe("traffic right now (spec, Limits)", () => {
  test("the first look has no value and does not wait; the next one has it", async () => {
    const { look, seen, clock } = panel();
    expect(look().realtime).toMatchObject({ value: null, seenAt: null, asking: true });
    const { realtime: now } = await seen();
    expect(now).toMatchObject({ value: { last30: { activeUsers: 12 } }, seenAt: clock.now(), asking: false });
  });

  test("an answer is shared: 30 seconds of the realtime counts, 15 minutes of the hourly report, whoever looks", async () => {
    const { seen, provider, clock } = panel();
    await seen();
    for (let second = 1; second < 30; second += 7) {
      clock.at("2026-03-01T12:00:00Z");
      clock.advance(second * SECOND);
      await seen();
    }
    expect(provider.asked).toEqual({ realtime: 1, hourly: 1 });
    clock.at("2026-03-01T12:00:30Z");
    await seen();
    expect(provider.asked).toEqual({ realtime: 2, hourly: 1 });
    clock.at("2026-03-01T12:15:00Z");
    await seen();
    expect(provider.asked).toEqual({ realtime: 3, hourly: 2 });
  });

  test("a pause that comes before a question has begun keeps it from being asked", async () => {
    const { look, seen, provider, store } = panel();
    look();
    // Written before the question takes its lease, which it does in the next transaction.
    pause(
      store.main as Tx,
      { capability: "analytics.realtime", asset: "harbor", until: null },
      { actor: "test", now: 0 },
    );
    expect((await seen()).realtime).toMatchObject({ isPaused: true, asking: false, value: null });
    expect(provider.asked).toEqual({ realtime: 0, hourly: 1 });
    expect(leasesIn(store).map(({ kind }) => kind)).toEqual(["hourly"]);
  });

  test("the cooldown of a 429 holds five minutes, or as long as the provider asks, and outlives a restart", async () => {
    for (const [retryAfterMs, hold] of [
      [undefined, 5 * MINUTE],
      [90 * SECOND, 90 * SECOND],
      [5 * SECOND, 30 * SECOND],
    ] as const) {
      const { seen, provider, clock, restart } = panel();
      provider.realtime = failed("rate_limited", retryAfterMs);
      await seen();
      clock.advance(hold - 1);
      await seen();
      restart();
      const { realtime: now } = await seen();
      expect(now).toMatchObject({
        value: null,
        failure: { category: "rate_limit" },
        nextAt: clock.now() + 1,
      });
      expect(provider.asked.realtime).toBe(1);
      clock.advance(1);
      provider.realtime = realtime(7);
      expect((await seen()).realtime).toMatchObject({ value: { last30: { activeUsers: 7 } }, failure: null });
      expect(provider.asked.realtime).toBe(2);
    }
  });

  test("a restart within the shared time asks nothing: the moment of the lost answer is still known", async () => {
    const { seen, provider, clock, restart } = panel();
    const first = await seen();
    clock.advance(29 * SECOND);
    restart();
    const after = await seen();
    expect(after.realtime).toMatchObject({ value: null, seenAt: first.realtime.seenAt, failure: null });
    expect(provider.asked).toEqual({ realtime: 1, hourly: 1 });
  });

  test("a failure takes no value away, of its own kind or of the other", async () => {
    const { seen, provider, clock } = panel();
    const first = await seen();
    provider.realtime = failed("connection_lost");
    provider.hourly = failed("provider_failed");
    clock.advance(15 * MINUTE);
    const then = await seen();
    expect(then.realtime).toMatchObject({
      value: first.realtime.value,
      seenAt: first.realtime.seenAt,
      failure: { at: clock.now(), category: "network" },
    });
    expect(then.hourly).toMatchObject({ value: first.hourly.value, failure: { category: "provider_error" } });
    provider.realtime = realtime(9);
    clock.advance(30 * SECOND);
    const later = await seen();
    expect(later.realtime).toMatchObject({ value: { last30: { activeUsers: 9 } }, failure: null });
    expect(later.hourly).toMatchObject({
      value: first.hourly.value,
      failure: { category: "provider_error" },
    });
  });

  test("another connection or property begins anew, and is held by nothing of the one before", async () => {
    const { seen, look, provider } = panel();
    await seen();
    provider.source = { ...SOURCE, connectionRevision: "r-2" };
    expect(look().realtime).toMatchObject({ value: null, seenAt: null });
    await seen();
    provider.source = { ...provider.source, property: "413" };
    await seen();
    expect(provider.asked).toEqual({ realtime: 3, hourly: 3 });
  });

  test("what began under another connection is never shown as the new one's, and does not end the new one's lease", async () => {
    const { look, seen, isAsked, provider, writer, clock, restart } = panel();
    const { promise, resolve: answer } = Promise.withResolvers<Outcome<Realtime>>();
    provider.realtime = promise as never;
    look();
    await isAsked();
    provider.source = { ...SOURCE, connectionRevision: "r-2" };
    provider.realtime = failed("rate_limited");
    look();
    await isAsked(2);
    answer(realtime(99));
    await writer.settled();
    expect(look().realtime).toMatchObject({ value: null, failure: { category: "rate_limit" } });
    clock.advance(4 * MINUTE);
    restart();
    await seen();
    expect(provider.asked.realtime).toBe(2);
  });

  test("the health of a feed goes by when a question began, however long its answer took", async () => {
    const { seen, provider, clock, store } = panel();
    const begun = clock.now();
    provider.tookMs = 4 * SECOND;
    await seen();
    const told = findEvidence(
      store.db,
      feedScope("default", { asset: "harbor", kind: "realtime", source: SOURCE }),
    );
    expect(told?.latest.startedAt).toBe(begun);
    expect(told?.recordedAt).toBeGreaterThan(begun);
  });

  test("what each question came to is told to the health of its feed, by its lease, as it ends", async () => {
    const { seen, provider, clock, store } = panel();
    const told = (kind: "realtime" | "hourly") =>
      findEvidence(store.db, feedScope("default", { asset: "harbor", kind, source: SOURCE }));
    provider.hourly = failed("daily_quota", 60 * MINUTE);
    await seen();
    const { realtime: lease } = Object.fromEntries(leasesIn(store).map(({ kind, holder }) => [kind, holder]));
    expect(told("realtime")).toMatchObject({
      latest: { attempt: `live:${lease}`, startedAt: clock.now(), category: null },
      success: { coveredDate: null },
    });
    expect(told("hourly")?.latest).toMatchObject({
      category: "exhausted_budget",
      code: "daily_quota",
      nextRetryAt: clock.now() + 60 * MINUTE,
    });
    provider.hourly = HOURLY;
    clock.advance(60 * MINUTE);
    await seen();
    const events = listHealthEvents(store.db, { limit: 9, isShown: () => true });
    expect(events.map(({ scope, change }) => `${scope.capability} ${change}`)).toEqual([
      "analytics.hourly recovery",
      "analytics.hourly first_failure",
    ]);
  });

  test("an answer of a connection that is no more is told of that one alone", async () => {
    const { look, isAsked, provider, writer, store } = panel();
    const answer = Promise.withResolvers<Outcome<Realtime>>();
    provider.realtime = answer.promise as never;
    look();
    await isAsked();
    const source = { ...SOURCE, connectionRevision: "r-2" };
    provider.source = source;
    answer.resolve(realtime(99));
    await writer.settled();
    const told = (of: LiveSource) =>
      findEvidence(store.db, feedScope("default", { asset: "harbor", kind: "realtime", source: of }));
    expect([told(SOURCE)?.latest.category, told(source)]).toEqual([null, undefined]);
  });

  test("retired sites and sites without a property are not asked about", async () => {
    const { view, provider, writer } = panel();
    for (const source of ["retired", null] as const) {
      provider.source = source;
      expect(view()).toEqual({ state: source ?? "not-connected" });
    }
    await writer.settled();
    expect(provider.asked).toEqual({ realtime: 0, hourly: 0 });
  });

  test("a question that died with its process holds for a minute, and a clock that was set back holds nothing", async () => {
    const { look, isAsked, provider, clock, restart, stop } = panel();
    const isOver = () =>
      until(
        async () => look().realtime.asking,
        (asking) => !asking,
      );
    provider.realtime = new Promise<never>(() => undefined) as never;
    look();
    await isAsked();
    stop();
    restart();
    clock.advance(59 * SECOND);
    await isOver();
    expect(provider.asked.realtime).toBe(1);
    provider.realtime = realtime(3);
    clock.advance(-24 * 60 * MINUTE);
    await isOver();
    expect(provider.asked.realtime).toBe(2);
  });

  test("a question that is given up as the service stops says nothing of the provider", async () => {
    const { store, look, isAsked, provider, writer, stop } = panel();
    const answer = Promise.withResolvers<Outcome<Realtime>>();
    provider.realtime = answer.promise as never;
    look();
    await isAsked();
    stop();
    answer.resolve(failed("timed_out"));
    await writer.settled();
    const scope = feedScope("default", { asset: "harbor", kind: "realtime", source: SOURCE });
    expect(findEvidence(store.db, scope)).toBeUndefined();
    expect(look().realtime.failure).toBeNull();
  });

  test("nothing is asked where the lease cannot be taken: nobody would know of the cooldown", async () => {
    const { look, provider, writer, clock } = panel();
    writer.close();
    look();
    await writer.settled();
    expect(look().realtime).toMatchObject({ value: null, asking: false, nextAt: clock.now() + 30 * SECOND });
    expect(provider.asked).toEqual({ realtime: 0, hourly: 0 });
  });
});

import { describe, expect, test } from "bun:test";
import { readConfig } from "../../src/base/config.ts";
import { feedScope } from "../../src/health/health.ts";
import { pause } from "../../src/health/pauses.ts";
import { findEvidence, listHealthEvents } from "../../src/health/state_store.ts";
import type { HourlyReport, Realtime } from "../../src/providers/adapter.ts";
import { type FaultCode, faultOf, type Outcome } from "../../src/providers/faults.ts";
import { type LiveSource, LiveTraffic } from "../../src/signals/live_traffic.ts";
import type { Tx } from "../../src/store/store.ts";
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
    hours: [{ day: 20_513, hour: 11, sessions: 4, ...counts(3) }],
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
      config: readConfig({}),
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
  const at = (moment: number | null) =>
    moment === null ? null : new Date(moment).toISOString().slice(11, 23);
  const shown: string[] = [];
  /** Notes what is shown at once, and what was asked so far. */
  const note = (when: string) => {
    const { realtime: now, hourly } = look();
    const users = [now.value?.last30.activeUsers ?? null, hourly.value?.hours[0]?.activeUsers ?? null];
    const kinds = [now, hourly].map(({ seenAt, asking, isPaused, failure, nextAt }, place) =>
      JSON.stringify({
        users: users[place],
        ...{ seen: at(seenAt), asking, isPaused, next: at(nextAt) },
        failure: failure && `${failure.category} ${at(failure.at)}`,
      }),
    );
    shown.push(`${when}: ${at(clock.now())} asked ${Object.values(provider.asked)}`, ...kinds);
  };
  return {
    store,
    clock,
    provider,
    writer,
    look,
    note,
    shown,
    /** Looks, waits for what that began, and notes what is shown then. */
    seen: async (when: string) => {
      look();
      await writer.settled();
      note(when);
    },
    view: () => live.look("harbor"),
    /** Looks, and waits until so many questions about traffic now are on their way. */
    asking: async (times = 1) => {
      look();
      await until(
        async () => provider.asked.realtime,
        (asked) => asked >= times,
      );
    },
    restart: () => {
      live = traffic();
    },
    stop: () => live.stop(),
    told: (kind: "realtime" | "hourly", source = SOURCE) =>
      findEvidence(store.db, feedScope("default", { asset: "harbor", kind, source })),
    leases: () =>
      store.raw.query<{ kind: string; holder: string }, []>("SELECT kind, holder FROM live_lease").all(),
  };
}

describe("traffic right now (spec, Limits); what is shown and asked at each look is recorded", () => {
  test("the first look has no value and does not wait; an answer is shared 30 seconds, the hourly report 15 minutes, whoever looks", async () => {
    const { note, seen, shown, clock } = panel();
    note("first look");
    const begun = clock.now();
    for (const seconds of [0, 1, 29.999, 30, 59.999, 60, 899.999, 900]) {
      clock.at(new Date(begun + seconds * SECOND).toISOString());
      await seen(`after ${seconds} s`);
    }
    expect(shown).toMatchSnapshot();
  });

  test("a pause that comes before a question has begun keeps it from being asked", async () => {
    const { look, seen, shown, store, leases } = panel();
    look();
    // Written before the question takes its lease, which it does in the next transaction.
    pause(
      store.main as Tx,
      { capability: "analytics.realtime", asset: "harbor", until: null },
      { actor: "test", now: 0 },
    );
    await seen("paused");
    expect([shown, leases().map(({ kind }) => kind)]).toMatchSnapshot();
  });

  test("the cooldown of a 429 holds five minutes, or as long as the provider asks, a refusal that needs a person fifteen; both outlive a restart", async () => {
    for (const [code, retryAfterMs, hold] of [
      ["rate_limited", undefined, 5 * MINUTE],
      ["rate_limited", 90 * SECOND, 90 * SECOND],
      ["rate_limited", 5 * SECOND, 30 * SECOND],
      ["property_denied", undefined, 15 * MINUTE],
    ] as const) {
      const { seen, shown, provider, clock, restart } = panel();
      provider.realtime = failed(code, retryAfterMs);
      await seen("refused");
      clock.advance(hold - 1);
      await seen("a millisecond before its end");
      restart();
      await seen("started again");
      clock.advance(1);
      provider.realtime = realtime(7);
      await seen("over");
      expect(shown).toMatchSnapshot();
    }
  });

  test("a restart within the shared time asks nothing: the moment of the lost answer is still known", async () => {
    const { seen, shown, clock, restart } = panel();
    await seen("answered");
    clock.advance(29 * SECOND);
    restart();
    await seen("started again");
    expect(shown).toMatchSnapshot();
  });

  test("a failure takes no value away, of its own kind or of the other", async () => {
    const { seen, shown, provider, clock } = panel();
    await seen("answered");
    provider.realtime = failed("connection_lost");
    provider.hourly = failed("provider_failed");
    clock.advance(15 * MINUTE);
    await seen("both fail");
    provider.realtime = realtime(9);
    clock.advance(30 * SECOND);
    await seen("one is answered");
    expect(shown).toMatchSnapshot();
  });

  test("another connection or property begins anew, and is held by nothing of the one before", async () => {
    const { seen, note, shown, provider } = panel();
    await seen("answered");
    provider.source = { ...SOURCE, connectionRevision: "r-2" };
    note("another connection");
    await seen("asked over it");
    provider.source = { ...provider.source, property: "413" };
    await seen("another property");
    expect(shown).toMatchSnapshot();
  });

  test("what began under another connection is never shown as the new one's, and does not end the new one's lease", async () => {
    const { asking, note, seen, shown, provider, writer, clock, restart } = panel();
    const { promise, resolve: answer } = Promise.withResolvers<Outcome<Realtime>>();
    provider.realtime = promise as never;
    await asking();
    provider.source = { ...SOURCE, connectionRevision: "r-2" };
    provider.realtime = failed("rate_limited");
    await asking(2);
    answer(realtime(99));
    await writer.settled();
    note("both answered");
    clock.advance(4 * MINUTE);
    restart();
    await seen("started again");
    expect(shown).toMatchSnapshot();
  });

  test("what each question came to is told to the health of its feed, by its lease, as it ends, and by when it began", async () => {
    const { seen, provider, clock, store, told, leases } = panel();
    provider.tookMs = 4 * SECOND;
    provider.hourly = failed("daily_quota", 60 * MINUTE);
    await seen("one fails");
    const { realtime: lease } = Object.fromEntries(leases().map(({ kind, holder }) => [kind, holder]));
    expect(told("realtime")?.latest.attempt).toBe(`live:${lease}`);
    expect([told("realtime"), told("hourly")]).toMatchSnapshot();
    provider.hourly = HOURLY;
    clock.advance(60 * MINUTE);
    await seen("both are answered");
    const events = listHealthEvents(store.db, { limit: 9, isShown: () => true });
    expect(events.map(({ scope, change }) => `${scope.capability} ${change}`)).toEqual([
      "analytics.hourly recovery",
      "analytics.hourly first_failure",
    ]);
  });

  test("an answer of a connection that is no more is told of that one alone", async () => {
    const { asking, provider, writer, told } = panel();
    const answer = Promise.withResolvers<Outcome<Realtime>>();
    provider.realtime = answer.promise as never;
    await asking();
    const source = { ...SOURCE, connectionRevision: "r-2" };
    provider.source = source;
    answer.resolve(realtime(99));
    await writer.settled();
    expect([told("realtime")?.latest.category, told("realtime", source)]).toEqual([null, undefined]);
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
    const { look, asking, provider, clock, restart, stop } = panel();
    const isOver = () =>
      until(
        async () => look().realtime.asking,
        (asking) => !asking,
      );
    provider.realtime = new Promise<never>(() => undefined) as never;
    await asking();
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
    const { look, asking, provider, writer, stop, told } = panel();
    const answer = Promise.withResolvers<Outcome<Realtime>>();
    provider.realtime = answer.promise as never;
    await asking();
    stop();
    answer.resolve(failed("timed_out"));
    await writer.settled();
    expect([told("realtime"), look().realtime.failure]).toEqual([undefined, null]);
  });

  test("nothing is asked where the lease cannot be taken: nobody would know of the cooldown", async () => {
    const { seen, shown, writer } = panel();
    writer.close();
    await seen("no lease");
    expect(shown).toMatchSnapshot();
  });
});

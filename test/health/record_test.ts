/** Outcomes in a real database: what is written, what is told again, and what becomes of a result whose outcome cannot be recorded. */

import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { type HealthChange, type Observation, opaqueId, type Scope } from "../../src/health/health.ts";
import { listMonitoringFailures } from "../../src/health/monitoring.ts";
import { after, recordBeside, recordOutcome, recordRead } from "../../src/health/record.ts";
import { findEvidence, isSound, listHealthEvents, listHealthStates } from "../../src/health/state_store.ts";
import { putServiceState, type Store } from "../../src/store/store.ts";
import { Writer } from "../../src/store/writer.ts";
import { testStore } from "../support/database.ts";
import { endingOfEvidence, eventsOf } from "../support/health_reference.ts";

const NOW = Date.parse("2026-11-20T12:00:00Z");
const MINUTE = 60_000;

const SCOPE: Scope = {
  workspace: "default",
  provider: "analytics",
  connectionRevision: "0199-first",
  capability: "analytics.daily",
  asset: "harbour.example",
  target: opaqueId("analytics", "properties/1"),
  family: "",
};

const usable = (minute: number, attempt = `pull:${minute}`): Observation => ({
  attempt,
  startedAt: NOW + minute * MINUTE,
  observedAt: NOW + minute * MINUTE + 900,
  result: { ok: true, coveredDate: "2026-11-18" },
});
const failed = (
  minute: number,
  category: "access" | "network" | "incomplete_report" = "network",
): Observation => ({
  ...usable(minute),
  result: { ok: false, category, code: "timed_out", nextRetryAt: null },
});

function ground() {
  const store = testStore();
  const writer = new Writer(store);
  const record = (observation: Observation, scope = SCOPE) =>
    writer.write((tx): HealthChange | "" => recordOutcome(tx, scope, observation) ?? "");
  const recordAll = async (observations: readonly Observation[]) => {
    for (const one of observations) await record(one);
  };
  /** A write that stores a result and records its outcome, and how often it ran. */
  const operate = async (result: string, observation: Observation) => {
    let ran = 0;
    const isTold = await writer.write((tx) => {
      ran++;
      putServiceState(tx, "result", result, observation.observedAt);
      return recordBeside(tx, SCOPE, observation);
    });
    return { isTold, ran };
  };
  return { store, writer, record, recordAll, operate };
}

const stored = ({ db }: Store) => listHealthEvents(db, { limit: 100, isShown: () => true }).reverse();
const rows = ({ raw }: Store, table: string) =>
  raw.query<{ n: number }, []>(`SELECT count(*) AS n FROM ${table}`).get()?.n;
const result = ({ raw }: Store) =>
  raw.query<{ value: string }, []>("SELECT value FROM service_state WHERE name = 'result'").get()?.value;
const recorderFailures = ({ db }: Store) => listMonitoringFailures(db, { kind: "recorder" });

describe("what is written", () => {
  test("one row a target, the latest attempt and the latest success, an event for what changed", async () => {
    const { store, record } = ground();
    const told = [usable(0), usable(1), failed(2), failed(3), failed(4, "access"), usable(5), usable(6)];
    const changes = [];
    for (const one of told) changes.push(await record(one));
    expect(changes).toEqual(["", "", "first_failure", "", "category_change", "recovery", ""]);
    expect(rows(store, "health_target")).toBe(1);
    expect(listHealthStates(store.db)).toMatchObject([
      {
        scope: SCOPE,
        evidence: { latest: { attempt: "pull:6", category: null }, success: { attempt: "pull:6" } },
      },
    ]);
    expect(
      stored(store).map(({ change, category, categoryBefore }) => [change, category, categoryBefore]),
    ).toEqual([
      ["first_failure", "network", null],
      ["category_change", "access", "network"],
      ["recovery", "access", null],
    ]);
    expect(stored(store).map(({ at }) => at)).toEqual([2, 4, 5].map((minute) => NOW + minute * MINUTE));
  });

  test("another connection revision is another target: what was seen before stays, and confirms nothing", async () => {
    const { store, record } = ground();
    await record(failed(0, "access"));
    const replaced = { ...SCOPE, connectionRevision: "0199-second" };
    expect(findEvidence(store.db, replaced)).toBeUndefined();
    // An attempt that began under the old connection, and whose answer comes after the new one was made.
    await record(usable(9), SCOPE);
    expect(findEvidence(store.db, replaced)).toBeUndefined();
    await record(usable(10), replaced);
    expect(findEvidence(store.db, SCOPE)?.latest.attempt).toBe("pull:9");
    expect(findEvidence(store.db, replaced)?.latest.attempt).toBe("pull:10");
  });

  test("states are listed of all, of one site, and of whole connections", async () => {
    const { store, record } = ground();
    await record(usable(0));
    await record(usable(0), { ...SCOPE, asset: "quay.example" });
    await record(usable(0), { ...SCOPE, asset: "" });
    const assets = (asset?: string) =>
      listHealthStates(store.db, asset === undefined ? {} : { asset }).map(({ scope }) => scope.asset);
    expect(assets()).toEqual(["harbour.example", "quay.example", ""]);
    expect(["quay.example", "", "none.example"].map(assets)).toEqual([["quay.example"], [""], []]);
  });

  test("the newest events of the scopes that are asked for, however many others came since", async () => {
    const { store, writer, record } = ground();
    await record(failed(0));
    await writer.write((tx) => {
      for (let other = 0; other < 600; other++) {
        recordOutcome(tx, { ...SCOPE, asset: `other-${other}` }, failed(1 + other));
      }
    });
    // Others of the same moments, and of earlier ones, that came later.
    await writer.write((tx) => {
      for (let minute = 600; minute > 0; minute--) {
        recordOutcome(tx, { ...SCOPE, asset: `late-${minute}` }, failed(minute));
      }
    });
    const of = (asset: RegExp, limit: number) =>
      listHealthEvents(store.db, { limit, isShown: (scope) => asset.test(scope.asset) }).map(
        ({ scope }) => scope.asset,
      );
    expect(of(/^harbour/, 100)).toEqual(["harbour.example"]);
    expect(of(/^other/, 3)).toEqual(["other-599", "other-598", "other-597"]);
    expect(new Set(of(/./, 5_000)).size).toBe(1_201);
    const all = listHealthEvents(store.db, { limit: 5_000, isShown: () => true });
    expect(all.length).toBe(1_201);
    expect(all.map(({ at }) => at)).toEqual(all.map(({ at }) => at).toSorted((a, b) => b - a));
    expect(of(/nobody/, 5)).toStrictEqual([]);
  });
});

describe("what is told again", () => {
  const six = fc.array(
    fc.record({
      minute: fc.nat(3),
      category: fc.constantFrom(null, "access", "network", "incomplete_report"),
    }),
    { minLength: 1, maxLength: 6 },
  );

  test("leaves the rows as they are, and tells no event twice, in any order of arrival", async () => {
    await fc.assert(
      fc.asyncProperty(six, fc.array(fc.nat(5), { maxLength: 8 }), async (drawn, again) => {
        const { store, recordAll } = ground();
        const all = drawn.map(({ minute, category }, place): Observation => {
          const one = category === null ? usable(minute) : failed(minute, category);
          return { ...one, attempt: `pull:${place}` };
        });
        await recordAll(all);
        const told = stored(store);
        expect(told.map(({ change, attempt }) => ({ change, attempt }))).toEqual(eventsOf(all));
        await recordAll(again.flatMap((place) => all[place] ?? []));
        expect(stored(store)).toEqual(told);
        const known = all.reduce<ReturnType<typeof after> | undefined>(
          (sum, one) => after(sum, one),
          undefined,
        );
        expect(endingOfEvidence(findEvidence(store.db, SCOPE))).toEqual(endingOfEvidence(known) as never);
        store.close();
      }),
      { numRuns: 60 },
    );
  });

  test("in the order in which it came is not even written", async () => {
    const { store, recordAll } = ground();
    const all = [usable(0), failed(1), failed(2, "access"), usable(3)];
    await recordAll(all);
    const changes = () => store.raw.query<{ n: number }, []>("SELECT total_changes() AS n").get()?.n;
    const before = changes();
    await recordAll(all);
    expect(changes()).toBe(before as number);
  });

  test("after what was known of it is lost begins anew, and tells no event twice", async () => {
    const { store, record, recordAll } = ground();
    await recordAll([usable(0), failed(1)]);
    store.raw.run("DELETE FROM health_state");
    expect(await record(failed(1))).toBe("first_failure");
    expect(stored(store).map(({ change }) => change)).toEqual(["first_failure"]);
  });

  test("an event has one id, made of its scope, its connection revision and its attempt", async () => {
    const [one, other] = [ground(), ground()];
    for (const { recordAll } of [one, other]) await recordAll([usable(0), failed(1)]);
    expect(stored(one.store)[0]?.id).toBe(stored(other.store)[0]?.id as string);
    await one.record(failed(1), { ...SCOPE, connectionRevision: "0199-second" });
    await one.record(failed(1), { ...SCOPE, asset: "quay.example" });
    await one.record(failed(2, "access"));
    expect(new Set(stored(one.store).map(({ id }) => id)).size).toBe(4);
  });
});

describe("what was recorded while the clock was wrong", () => {
  const YEAR = 525_600;

  test("gives way to the next outcome, once the clock is right: nothing is stuck until the time that was", async () => {
    const { store, writer, recordAll } = ground();
    const now = NOW + 10 * MINUTE;
    await recordAll([usable(0), failed(YEAR)]);
    await writer.write((tx) => void recordBeside(tx, SCOPE, failed(10, "access"), now));
    expect(findEvidence(store.db, SCOPE)).toMatchObject({
      latest: { attempt: "pull:10", category: "access" },
      success: { attempt: "pull:0" },
      failingSince: now,
    });
    await writer.write((tx) => void recordBeside(tx, SCOPE, usable(20), now + 10 * MINUTE));
    expect(stored(store).map(({ change, category }) => [change, category])).toEqual([
      ["category_change", "access"],
      ["recovery", "access"],
      // By its own moment, which is yet to come.
      ["first_failure", "network"],
    ]);
  });

  test("gives way whole, where its success is of that clock, too", async () => {
    const { store, writer, recordAll } = ground();
    await recordAll([usable(YEAR)]);
    await writer.write((tx) => void recordBeside(tx, SCOPE, failed(10), NOW + 10 * MINUTE));
    expect(findEvidence(store.db, SCOPE)).toMatchObject({
      latest: { attempt: "pull:10" },
      success: undefined,
    });
  });

  test("a late outcome takes nothing away from a later one that is past", async () => {
    const { store, writer, recordAll } = ground();
    await recordAll([usable(0), failed(20)]);
    await writer.write((tx) => void recordBeside(tx, SCOPE, usable(10), NOW + 30 * MINUTE));
    expect(findEvidence(store.db, SCOPE)).toMatchObject({
      latest: { attempt: "pull:20", category: "network" },
      success: { attempt: "pull:10" },
    });
  });
});

describe("what is no outcome", () => {
  const canary = "ya29.CANARY user@example.org https://calendar.example/private";
  const failure = (change: object) => ({
    result: { ok: false, category: "access", code: null, nextRetryAt: null, ...change },
  });
  const ofScope = ["target", "connectionRevision", "asset", "capability", "provider", "workspace", "family"];
  const bad: readonly (readonly [scope: object, observation: object])[] = [
    ...ofScope.map((part) => [{ [part]: canary }, {}] as const),
    [{}, { attempt: canary }],
    [{}, failure({ code: canary })],
    [{}, failure({ category: canary })],
    [{}, failure({ nextRetryAt: Number.NaN })],
    [{}, { result: { ok: true, coveredDate: canary } }],
    [{}, { startedAt: Number.NaN }],
    [{}, { observedAt: 1.5 }],
  ];
  test.each(bad)(
    "is not recorded, and nothing of it is written anywhere: %j %j",
    async (scope, observation) => {
      const { store, writer } = ground();
      const isTold = await writer.write((tx) => {
        putServiceState(tx, "result", "kept", NOW);
        return recordBeside(tx, { ...SCOPE, ...scope }, { ...usable(0), ...observation });
      });
      expect([isTold, result(store), rows(store, "health_state")]).toEqual([false, "kept", 0]);
      expect(Buffer.from(store.raw.serialize()).includes("CANARY")).toBe(false);
      expect(recorderFailures(store).length).toBe(1);
    },
  );
});

describe("a recorder that fails", () => {
  const refusing = "BEGIN SELECT RAISE(FAIL, 'refused'); END";
  const faults = [
    [`CREATE TRIGGER broken BEFORE INSERT ON health_target ${refusing}`, "DROP TRIGGER broken"],
    ["ALTER TABLE health_event RENAME TO elsewhere", "ALTER TABLE elsewhere RENAME TO health_event"],
  ] as const;
  test.each(faults)(
    "takes nothing of the result, is noted once, and is over with the next outcome: %s",
    async (breaks, mends) => {
      const { store, operate } = ground();
      store.raw.run(breaks);
      expect(await operate("first", failed(0))).toEqual({ isTold: false, ran: 1 });
      expect(await operate("second", failed(1))).toEqual({ isTold: false, ran: 1 });
      expect(result(store)).toBe("second");
      expect(recorderFailures(store)).toMatchObject([
        { kind: "recorder", asset: SCOPE.asset, source: SCOPE.provider, subject: SCOPE.capability },
      ]);
      expect(rows(store, "monitoring_event")).toBe(1);
      expect(rows(store, "health_target")).toBe(0);

      store.raw.run(mends);
      expect(await operate("third", usable(2))).toEqual({ isTold: true, ran: 1 });
      expect([result(store), recorderFailures(store)]).toEqual(["third", []]);
      expect(findEvidence(store.db, SCOPE)?.latest.attempt).toBe("pull:2");
    },
  );

  test.each([
    ["neither", "'nobody'", true],
    ["the site's", `'${SCOPE.asset}'`, false],
    ["the connection's", "''", false],
  ])(
    "a failed read of a whole connection counts as recorded where both of its outcomes are: %s refused",
    async (_, asset, isTold) => {
      const { store } = ground();
      store.raw.run(
        `CREATE TRIGGER broken BEFORE INSERT ON health_state WHEN (SELECT asset FROM health_target WHERE id = NEW.target) = ${asset}
       BEGIN SELECT RAISE(ABORT, 'refused'); END`,
      );
      const { result, ...attempt } = failed(0, "access");
      if (result.ok) throw new Error("it failed");
      const told = await new Writer(store).write((tx) =>
        recordRead(tx, SCOPE, attempt, { ...result, isOfAccount: true }),
      );
      expect(told).toBe(isTold);
    },
  );

  test("where not even that can be noted, the result stays and the answer still says so", async () => {
    const { store, operate } = ground();
    store.raw.run("ALTER TABLE health_state RENAME TO elsewhere");
    store.raw.run("ALTER TABLE monitoring_event RENAME TO elsewhere_too");
    expect(await operate("kept", usable(0))).toEqual({ isTold: false, ran: 1 });
    expect(result(store)).toBe("kept");
  });
});

test("evidence is sound where each of its moments is one and its day is a day", () => {
  const latest = { attempt: "pull:1", startedAt: NOW, category: null, code: null, nextRetryAt: NOW };
  const success = { attempt: "pull:1", startedAt: NOW, coveredDate: "2026-11-18" };
  const sound = { latest, success, failingSince: NOW, recordedAt: NOW };
  expect(isSound(sound)).toBe(true);
  const [never, noDay] = [8.64e15 + 1, "2026-02-30"];
  const blank = { latest: { ...latest, nextRetryAt: null }, success: undefined, failingSince: undefined };
  expect(isSound({ ...sound, ...blank })).toBe(true);
  for (const broken of [
    { latest: { ...latest, startedAt: never } },
    { latest: { ...latest, nextRetryAt: never } },
    { success: { ...success, startedAt: never } },
    { success: { ...success, coveredDate: noDay } },
    { failingSince: never },
    { recordedAt: never },
  ])
    expect([broken, isSound({ ...sound, ...broken })]).toEqual([broken, false]);
});

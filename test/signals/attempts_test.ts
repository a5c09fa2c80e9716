import { beforeEach, describe, expect, test } from "bun:test";
import { faultOf } from "../../src/providers/faults.ts";
import { endSlowProbe, noteAccountFault } from "../../src/signals/answer_record.ts";
import { attemptFaults, attemptsOfPack, packSettled } from "../../src/signals/attempt_packs.ts";
import {
  type Attempt,
  type AttemptRow,
  findConnectionHold,
  findTarget,
  heldUntil,
  latestAttempt,
  noteAttempt,
  type PullTarget,
  recordAttempt,
  targetId,
  targetsById,
} from "../../src/signals/attempts.ts";
import { testGround, writerWith } from "../support/deps.ts";
import { fresh } from "../support/fresh.ts";
import { recordEach } from "../support/mixtures.ts";
import { attemptOf, HARBOR_ANALYTICS as HARBOR } from "../support/quarters.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

const ground = fresh(testGround);
beforeEach(async () => {
  // The runs that attempts name.
  for (let run = 1; run <= 20; run++) {
    ground.store.raw.run("INSERT INTO job_run (run, job, started_at) VALUES (?, 'sense', 0)", [`run-${run}`]);
  }
});

const attempt = (changes: Partial<Attempt> = {}, target: Partial<PullTarget> = {}): Attempt =>
  attemptOf(ground.clock.now(), changes, target);

const record = (one: Attempt, run = 1) => ground.writer.write((tx) => recordAttempt(tx, run, one));
const db = () => ground.store.db;
const latestOf = (target: PullTarget) => latestAttempt(db(), findTarget(db(), target) ?? 0);
const limited = (ms: number): Partial<Attempt> => ({
  outcome: "failed",
  category: "rate_limit",
  nextRetryAt: ground.clock.now() + ms,
});

test("a target has one number, whoever asks, and another for each calendar and connection", async () => {
  const ids = await ground.writer.write((tx) => [
    targetId(tx, HARBOR),
    targetId(tx, HARBOR),
    targetId(tx, { ...HARBOR, timeZone: "" }),
    targetId(tx, { ...HARBOR, connectionRevision: "second" }),
  ]);
  expect(ids).toEqual([1, 1, 2, 3]);
  expect(targetsById(db()).get(1)).toMatchObject(HARBOR);
  await ground.writer.write((tx) => targetId(tx, { ...HARBOR, asset: "orchard" }));
  expect(targetsById(db()).get(4)?.asset).toBe("orchard");
});

describe("what is held (not to be asked before its next retry)", () => {
  const held = (target: PullTarget = HARBOR) => heldUntil(db(), target, ground.clock.now());

  test("is read from the latest attempt of the target: an earlier one holds nothing any more", async () => {
    expect(held()).toBeUndefined();
    await record(attempt(limited(5 * MINUTE)));
    expect(held()).toBe(ground.clock.now() + 5 * MINUTE);
    ground.clock.advance(5 * MINUTE - 1);
    expect(held()).toBeDefined();
    ground.clock.advance(1);
    expect(held()).toBeUndefined();
    ground.clock.advance(-MINUTE);
    await record(attempt());
    expect(held()).toBeUndefined();
    expect(latestOf(HARBOR)).toMatchObject({ outcome: "unchanged", nextRetryAt: null });
  });

  test("is the same by whichever calendar it was asked; another property, site, provider or connection is free", async () => {
    await record(attempt());
    await record(attempt(limited(HOUR), { timeZone: "" }));
    expect(held()).toBeDefined();
    const others = [
      { property: "300000002" },
      { asset: "orchard" },
      { provider: "search-console" },
      { connectionRevision: "second" },
    ] as const;
    for (const other of others) expect(held({ ...HARBOR, ...other })).toBeUndefined();
  });

  test("an attempt about the whole account holds everything of its connection and provider, and nothing else", async () => {
    const account = { asset: "", property: "", timeZone: "" };
    await record(attempt(limited(6 * HOUR), account));
    // One that failed otherwise meanwhile lets it stand as it was.
    await record(attempt({ ...limited(6 * HOUR), category: "network" }, account));
    const until = ground.clock.now() + 6 * HOUR;
    expect(held()).toBe(until);
    expect(held({ ...HARBOR, asset: "orchard", property: "9" })).toBe(until);
    expect(findConnectionHold(db(), HARBOR, ground.clock.now())).toMatchObject({
      until,
      category: "rate_limit",
    });
    expect(held({ ...HARBOR, provider: "search-console" })).toBeUndefined();
    expect(held({ ...HARBOR, connectionRevision: "second" })).toBeUndefined();
    await record(attempt(limited(7 * HOUR)));
    expect(held()).toBe(ground.clock.now() + 7 * HOUR);
    await record(attempt({}, account));
    expect(findConnectionHold(db(), HARBOR, ground.clock.now())?.until).toBeUndefined();
  });

  test("an attempt that lies ahead of the clock holds nothing: else a clock that ran ahead would hold it for as long", async () => {
    ground.clock.advance(400 * DAY);
    await record(attempt(limited(6 * HOUR)));
    ground.clock.advance(-400 * DAY);
    expect(held()).toBeUndefined();
  });
});

/** So many quarters of an hour, in each of which both sites are asked; `ghost` is asked in the first one alone. */
async function quarters(many: number): Promise<void> {
  for (let tick = 0; tick < many; tick++) {
    const run = (tick % 20) + 1;
    if (tick === 0) await record(attempt(limited(HOUR), { asset: "ghost" }), run);
    for (const asset of ["harbor", "orchard"]) {
      await record(
        attempt(
          { tookMs: 80 + tick, changed: tick % 3, outcome: tick % 3 === 0 ? "unchanged" : "changed" },
          { asset },
        ),
        run,
      );
    }
    ground.clock.advance(15 * MINUTE);
  }
}

const stored = () => ground.store.raw.query<AttemptRow, []>(`SELECT * FROM pull_attempt ORDER BY id`).all();
const packs = () =>
  ground.store.raw
    .query<{ id: number; first: number; last: number }, []>("SELECT id, first, last FROM pull_attempt_pack")
    .all();
const faults = () => [...attemptFaults(db())];
const pack = () => packSettled(ground, 16);

describe("packing attempts", () => {
  test("moves whole packs of what is a day old, in the order of ids, and leaves the latest of every target", async () => {
    await quarters(120);
    const before = stored();
    await pack();
    expect(packs().map(({ first, last }) => [first, last])).toEqual(
      Array.from({ length: 3 }, (_, at) => [at * 16 + 1, at * 16 + 16]),
    );
    const loose = stored();
    expect(loose[0]).toEqual(before[0] as AttemptRow);
    expect(loose.slice(1)).toEqual(before.slice(48));
    const held = packs().flatMap(({ id }) => attemptsOfPack(db(), id));
    expect(held).toEqual(before.slice(0, 48));
    expect(latestOf({ ...HARBOR, asset: "ghost" })?.category).toBe("rate_limit");
    expect(faults()).toStrictEqual([]);
  });

  test("goes on where it ended, and takes out what a newer attempt has made an earlier one", async () => {
    await quarters(120);
    await pack();
    expect(stored()[0]?.id).toBe(1);
    await record(attempt({}, { asset: "ghost" }));
    // There is no whole pack of what is settled yet.
    await pack();
    expect(stored()[0]?.id).not.toBe(1);
    ground.clock.advance(DAY);
    await pack();
    expect(packs().map(({ first }) => first)).toEqual(
      Array.from({ length: packs().length }, (_, at) => at * 16 + 1),
    );
    expect(faults()).toStrictEqual([]);
  });

  test("leaves a fresh one alone, and does not wait a year for what was noted by a clock that was ahead", async () => {
    await quarters(20);
    await pack();
    expect(packs()).toStrictEqual([]);
    ground.clock.advance(-400 * DAY);
    await pack();
    expect(packs()).toHaveLength(2);
  });

  test("that is cut off between putting a pack in and taking out what it holds leaves attempts in both, and the next run ends it", async () => {
    await quarters(120);
    const all = stored();
    let writes = 0;
    const dying = {
      closed: false,
      write: ((job, options) => {
        if (writes++ === 1) throw new Error("killed");
        return ground.writer.write(job, options);
      }) as typeof ground.writer.write,
    };
    await expect(packSettled({ ...ground, writer: writerWith(ground.writer, dying) }, 16)).rejects.toThrow(
      "killed",
    );
    expect([packs().length, stored().length]).toEqual([1, all.length]);
    expect(faults()).toStrictEqual([]);
    await pack();
    expect(stored()).toHaveLength(all.length - 47);
    expect(faults()).toStrictEqual([]);
  });
});

/** A statement past the triggers, as damage goes. */
function unguarded(sql: string): void {
  const { raw } = ground.store;
  const triggers = raw
    .query<{ name: string; sql: string }, []>(
      "SELECT name, sql FROM sqlite_schema WHERE type = 'trigger' AND tbl_name LIKE 'pull_attempt%'",
    )
    .all();
  for (const { name } of triggers) raw.run(`DROP TRIGGER ${name}`);
  raw.run(sql);
  for (const { sql: create } of triggers) raw.run(create);
}

describe("of what is packed", () => {
  beforeEach(async () => {
    await quarters(120);
    await pack();
  });

  test("the database refuses what would lose or change it, recorded", () => {
    const acts = [
      ...["UPDATE pull_attempt SET changed = 9", "DELETE FROM pull_attempt WHERE id = 60"],
      ...["DELETE FROM pull_attempt WHERE id = 1", "UPDATE pull_attempt_pack SET data = x'00'"],
      "DELETE FROM pull_attempt_pack",
      "INSERT INTO pull_attempt_pack (first, last, first_run, last_run, began_from, began_to, outcomes, categories, data, checksum) VALUES (50, 60, 1, 1, 1, 1, 1, 1, x'00', 1)",
    ];
    recordEach(acts, (sql) => ground.store.raw.run(sql));
  });

  test.each([
    ["last_run = 99", "it does not hold what it says"],
    ["data = x'28b52ffd'", "it is not as it was written"],
  ])("check finds a pack with %s", (change, fault) => {
    unguarded(`UPDATE pull_attempt_pack SET ${change} WHERE id = 2`);
    expect(faults()).toContain(`pull_attempt_pack, row 2: ${fault}`);
  });
});

test("an attempt is noted with how long it took, and health knows it by its row", async () => {
  const went = { run: 1, target: HARBOR, startedAt: 100, finishedAt: 350, requests: 2 };
  const failed = { outcome: "failed", category: "access", nextRetryAt: 400 } as const;
  expect(await ground.writer.write((tx) => noteAttempt(tx, went, failed))).toMatchSnapshot();
  expect(ground.store.raw.query("SELECT took_ms, requests, changed FROM pull_attempt").all()).toEqual([
    { took_ms: 250, requests: 2, changed: 0 },
  ]);
});

test.each([
  [99, 6 * 3_600_000 + 100],
  [100, undefined],
])(
  "after an answer that was asked for at %d, an account that was refused at 100 and met a limit is held until %p",
  async (startedAt, expected) => {
    const met = { run: 1, target: HARBOR };
    await ground.writer.write((tx) => {
      noteAccountFault(tx, { ...met, startedAt: 10, finishedAt: 100 }, faultOf("signed_out"));
      noteAccountFault(tx, { ...met, startedAt: 11, finishedAt: 99 }, faultOf("rate_limited"));
      endSlowProbe(tx, { ...met, startedAt, finishedAt: 120 });
    });
    expect(findConnectionHold(db(), HARBOR, 130)?.until).toBe(expected);
  },
);

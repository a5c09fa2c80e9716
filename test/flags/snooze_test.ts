import { beforeEach, describe, expect, test } from "bun:test";
import { performAct } from "../../src/flags/acts.ts";
import { listSnoozes, readUntil } from "../../src/flags/flags.ts";
import { listInbox, tallySites } from "../../src/flags/inbox.ts";
import { findFlag } from "../../src/flags/queries.ts";
import { reconcileFlags } from "../../src/flags/reconcile.ts";
import { insertOpenFlag, readHistory } from "../../src/flags/store.ts";
import { instant } from "../support/clock.ts";
import { testGround } from "../support/deps.ts";
import { fresh } from "../support/fresh.ts";
import { FIRES, judgedRule, newFlag } from "../support/make/flag.ts";
import { recordEach } from "../support/mixtures.ts";
import { expectWholeFlags } from "../support/read_models.ts";

const ADA = { name: "ada", id: "operator:ada" };
const UNTIL = instant("2026-03-08T09:00:00Z");
const RULE = "codebase-growth";

const ground = fresh(testGround, expectWholeFlags);
beforeEach(async () => {
  await raise("f");
});

const raise = (id: string, changes = {}) =>
  ground.writer.write((tx): void => insertOpenFlag(tx, id, newFlag(changes), ground.clock.now(), "rule"));
const snooze = (id = "f") =>
  ground.writer.write((tx) =>
    performAct(tx, "snooze", { id, by: ADA, now: ground.clock.now(), until: UNTIL }),
  );
const renew = () =>
  ground.writer.write((tx) =>
    reconcileFlags(tx, {
      asset: "harbor",
      origin: "rule",
      judged: [judgedRule(RULE, FIRES)],
      now: ground.clock.now(),
      actor: "rule",
      newId: () => "g",
    }),
  );
const listed = (status: "open" | "snoozed") =>
  listInbox(ground.store.db, { status }, { limit: 9, offset: 0, now: ground.clock.now() }).map(
    ({ id }) => id,
  );
const snoozedUntil = (id: string) => findFlag(ground.store.db, id)?.snoozed_until;

describe("a snoozed flag stays counted and returns by itself", () => {
  test("on its instant, with nothing written", async () => {
    await snooze();
    expect([listed("open"), listed("snoozed")]).toEqual([[], ["f"]]);
    expect(tallySites(ground.store.db, ground.clock.now()).get("harbor")).toMatchObject({
      snoozed: 1,
      nextReturn: UNTIL,
    });
    ground.clock.at("2026-03-08T08:59:59Z");
    expect(listed("open")).toStrictEqual([]);
    ground.clock.at("2026-03-08T09:00:00Z");
    expect([listed("open"), listed("snoozed")]).toEqual([["f"], []]);
    expect(tallySites(ground.store.db, ground.clock.now()).get("harbor")).toMatchObject({
      snoozed: 0,
      nextReturn: null,
    });
  });

  test("at once when it is woken by hand", async () => {
    await snooze();
    await ground.writer.write((tx) => performAct(tx, "wake", { id: "f", by: ADA, now: ground.clock.now() }));
    expect(listed("open")).toEqual(["f"]);
  });
});

describe("a snooze belongs to (rule, asset, subject) (decisions 5)", () => {
  test("waking where none runs, or one has run out, changes nothing and is not in the record", async () => {
    const wake = () =>
      ground.writer.write((tx) => performAct(tx, "wake", { id: "f", by: ADA, now: ground.clock.now() }));
    expect((await wake()).state).toBe("same");
    await snooze();
    ground.clock.at("2026-03-08T09:00:00Z");
    expect((await wake()).state).toBe("same");
    expect(snoozedUntil("f")).toBe("2026-03-08T09:00:00.000Z");
    expect(readHistory(ground.store.db, "f", 9).record).toHaveLength(2);
  });

  test("waking the renewed flag ends it for those that follow", async () => {
    await snooze();
    await renew();
    await ground.writer.write((tx) => performAct(tx, "wake", { id: "g", by: ADA, now: ground.clock.now() }));
    await ground.writer.write((tx) =>
      performAct(tx, "resolve", { id: "g", by: ADA, now: ground.clock.now() }),
    );
    await raise("h");
    expect(snoozedUntil("h")).toBeNull();
  });

  test("another rule, site or subject does not carry it", async () => {
    await snooze();
    await raise("a", { rule: "codebase-unused" });
    await raise("b", { asset: "orchard" });
    await raise("c", { subject: "x" });
    for (const id of ["a", "b", "c"]) expect(snoozedUntil(id)).toBeNull();
  });

  test("waking a flag of one source leaves that of the same metric of another asleep", async () => {
    const of = { rule: "flow-drop", subject: "clicks", metric: "clicks" };
    await raise("a", { ...of, source: "search-console" });
    await raise("b", { ...of, source: "webmaster-tools" });
    await snooze("a");
    await snooze("b");
    await ground.writer.write((tx) => performAct(tx, "wake", { id: "a", by: ADA, now: ground.clock.now() }));
    expect(listSnoozes(ground.store.db).map(({ source }) => source)).toEqual(["webmaster-tools"]);
  });

  test("a flag a site sends again carries it too", async () => {
    const sent = { rule: null, origin: "site", subject: "errors", metric: "errors" };
    await raise("s", sent);
    await snooze("s");
    await raise("t", sent);
    expect(snoozedUntil("t")).toBe("2026-03-08T09:00:00.000Z");
  });
});

test("when a snooze ends, and what is no end of one, recorded", () => {
  const now = instant("2026-03-01T12:00:00Z");
  const until = [
    "",
    "2026-03-08",
    "2026-03-08T09:00",
    "2026-03-08T11:00:00+02:00",
    "2026-02-30",
    "2026-03-01",
  ];
  const late = ["2026-03-01T12:00:00Z", "2027-03-02", "2027-03-03"];
  const days = ["1", "7", "366", "367", "0", "-1", "1e2"].map((one) => ({ days: one, until: "nonsense" }));
  recordEach([{}, ...[...until, ...late].map((one) => ({ until: one })), ...days], (asked) => {
    const read = readUntil(asked, now);
    return read.ok ? new Date(read.until).toISOString() : read.message;
  });
});

import { beforeEach, describe, expect, test } from "bun:test";
import type { NewFlag } from "../../src/flags/flags.ts";
import { tallySites } from "../../src/flags/inbox.ts";
import { findFlag, listFlags } from "../../src/flags/queries.ts";
import { insertOpenFlag, resolveFlag } from "../../src/flags/store.ts";
import { testGround } from "../support/deps.ts";
import { fresh } from "../support/fresh.ts";
import { newFlag } from "../support/make/flag.ts";
import { recordEach } from "../support/mixtures.ts";
import { flagFaults } from "../support/read_models.ts";

const ground = fresh(testGround);

const raise = (id: string, changes: Partial<NewFlag> = {}) =>
  ground.writer.write((tx) => insertOpenFlag(tx, id, newFlag(changes), ground.clock.now(), "rule"));
const resolve = (id: string) =>
  ground.writer.write((tx) => resolveFlag(tx, id, "cleared", ground.clock.now(), "rule"));
const refusal = (write: Promise<unknown>) =>
  write.then(
    () => "accepted",
    (error: Error) => error.message,
  );
const tamper = (sql: string) => ground.store.raw.run(sql);

describe("at most one flag is open per rule, site and subject (decisions 5)", () => {
  test("the database refuses a second one", async () => {
    await raise("1");
    expect(await refusal(raise("2"))).toContain("UNIQUE");
    expect(listFlags(ground.store.db, {}, 9).map(({ id }) => id)).toEqual(["1"]);
  });

  test("another subject, another site and a resolved one do not stand in the way", async () => {
    await raise("1");
    await raise("2", { subject: "x" });
    await raise("3", { asset: "orchard" });
    await resolve("1");
    await raise("4");
    expect(listFlags(ground.store.db, { status: "open" }, 9)).toHaveLength(3);
  });

  test("one open flow flag per metric, whichever of the three flow rules raised it", async () => {
    const flow = { metric: "clicks", subject: "clicks" };
    await raise("1", { rule: "flow-drop", ...flow });
    expect(await refusal(raise("2", { rule: "flow-rise", ...flow }))).toContain("UNIQUE");
    expect(await refusal(raise("3", { rule: "percent-drop", ...flow }))).toContain("UNIQUE");
    await raise("4", { rule: "flow-drop", metric: "sessions", subject: "sessions" });
  });

  test("a site may send several flags of its own about one subject", async () => {
    await raise("1", { rule: null, origin: "site" });
    await raise("2", { rule: null, origin: "site" });
    expect(listFlags(ground.store.db, { origin: "site" }, 9)).toHaveLength(2);
  });
});

test("a milestone is always info (spec, Flag)", async () => {
  expect(await refusal(raise("1", { kind: "milestone", severity: "warn" }))).toContain(
    "flag_milestone_is_info",
  );
  await raise("2", { kind: "milestone", severity: "info" });
});

test("a flag is answered in snake_case, times as ISO 8601, absent as null (decisions 3)", async () => {
  await raise("1");
  ground.clock.advance(1_500);
  await resolve("1");
  expect(findFlag(ground.store.db, "1")).toEqual({
    id: "1",
    ...newFlag(),
    status: "resolved",
    raised_at: "2026-03-01T12:00:00.000Z",
    resolved_at: "2026-03-01T12:00:01.500Z",
    resolution: "cleared",
    acked_at: null,
    acked_by: null,
    snoozed_until: null,
    tuned_at: null,
    incident: null,
    hypothesis: null,
    renews: null,
  });
});

describe("lists of flags", () => {
  beforeEach(async () => {
    for (const [index, subject] of ["a", "b", "c", "d", "e"].entries()) {
      if (index === 3) ground.clock.advance(1_000);
      await raise(`f${index}`, { subject, severity: index === 0 ? "error" : "warn" });
    }
  });

  test("are newest first, and pages join without a gap or a repeat, also among equal times", () => {
    const seen: string[] = [];
    let after: { raised_at: number; id: string } | undefined;
    for (let page = 0; page < 9; page++) {
      const rows = listFlags(ground.store.db, {}, 2, after);
      const last = rows.at(-1);
      if (last === undefined) break;
      seen.push(...rows.map(({ id }) => id));
      after = { raised_at: Date.parse(last.raised_at), id: last.id };
    }
    expect(seen).toEqual(["f4", "f3", "f2", "f1", "f0"]);
  });

  test("are narrowed by every filter", async () => {
    await resolve("f1");
    const ids = (filter: Parameters<typeof listFlags>[1]) =>
      listFlags(ground.store.db, filter, 9).map(({ id }) => id);
    expect(ids({ status: "resolved" })).toEqual(["f1"]);
    expect(ids({ severity: "error" })).toEqual(["f0"]);
    expect(ids({ subject: "c" })).toEqual(["f2"]);
    expect(ids({ asset: "orchard" })).toStrictEqual([]);
    expect(ids({ from: Date.parse("2026-03-01T12:00:01Z") })).toEqual(["f4", "f3"]);
    expect(ids({ to: Date.parse("2026-03-01T12:00:01Z") })).toEqual(["f2", "f1", "f0"]);
    expect(tallySites(ground.store.db, ground.clock.now()).get("harbor")?.open).toMatchSnapshot();
  });
});

describe("flags are a read model over their records (decisions 4)", () => {
  beforeEach(async () => {
    await raise("1");
    await raise("2", { subject: "x" });
    await resolve("2");
  });

  test("what of them is damaged is found, recorded", () => {
    expect(flagFaults(ground.store.db)).toStrictEqual([]);
    tamper("DROP TRIGGER flag_record_no_delete");
    const damages = [
      "UPDATE flag SET message = 'other' WHERE id = '1'",
      "DELETE FROM flag WHERE id = '2'",
      "DELETE FROM flag_record WHERE flag = '1'",
      "DELETE FROM flag_record WHERE flag = '2' AND type = 'raised'",
    ];
    recordEach(damages, (sql) => {
      tamper("SAVEPOINT whole");
      tamper(sql);
      const faults = flagFaults(ground.store.db);
      tamper("ROLLBACK TO whole");
      return faults;
    });
  });
});

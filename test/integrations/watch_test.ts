import { describe, expect, jest, spyOn, test } from "bun:test";
import type { Machine, Room } from "../../src/base/machine.ts";
import { performAct } from "../../src/flags/acts.ts";
import { readHistory } from "../../src/flags/store.ts";
import { MachineWatch } from "../../src/integrations/machine_watch.ts";
import { ensureAssets } from "../../src/sites/site_changes.ts";
import { type TestGround, testGround } from "../support/deps.ts";

const MIB = 1024 * 1024;
const TOTAL = 2_048 * MIB;

/** A machine whose disk and descriptors a test sets. */
class FakeMachine implements Machine {
  free = 1_000 * MIB;
  open = 10;
  known = true;

  async room(): Promise<Room | undefined> {
    return this.known ? { free: this.free, total: TOTAL } : undefined;
  }

  async descriptors() {
    return this.known ? { open: this.open, limit: 100 } : undefined;
  }

  async lockHolders() {
    return [];
  }
}

async function watching(): Promise<{ ground: TestGround; machine: FakeMachine; watch: MachineWatch }> {
  const ground = await testGround();
  await ground.writer.write((tx) => void ensureAssets(tx, ["tower"], { actor: "test", now: 0 }));
  const machine = new FakeMachine();
  const watch = new MachineWatch({ ...ground, machine });
  return { ground, machine, watch };
}

const flagsOf = ({ store }: TestGround) =>
  store.raw
    .query<{ id: string; rule: string; severity: string; status: string; message: string }, []>(
      "SELECT id, rule, severity, status, message FROM flag ORDER BY raised_at",
    )
    .all();

/** Lets the database take no page more, and writes more than one. */
function overflow({ store, writer }: TestGround): Promise<void> {
  const pages = store.raw.query<{ page_count: number }, []>("PRAGMA page_count").get()?.page_count ?? 0;
  store.raw.run(`PRAGMA max_page_count = ${pages}`);
  const large = "x".repeat(100_000);
  return writer.write(() => void store.raw.run("INSERT INTO service_state VALUES ('big', ?, 0)", [large]));
}

describe("disk-space", () => {
  test("one flag is held open while the disk is low, with evidence at each change and none between, and resolved with room", async () => {
    const { ground, machine, watch } = await watching();
    await watch.look();
    expect(flagsOf(ground)).toStrictEqual([]);
    for (const mib of [200, 199, 198, 100, 99]) {
      machine.free = mib * MIB;
      await watch.look();
    }
    const [flag, ...more] = flagsOf(ground);
    expect(more).toStrictEqual([]);
    expect(flag).toMatchObject({ rule: "disk-space", severity: "warn", status: "open" });
    expect(flag?.message).toContain("less than 128 MiB");
    const evidence = readHistory(ground.store.db, flag?.id ?? "", 100).record.filter(
      ({ type }) => type === "evidence",
    );
    expect(evidence.map(({ data }) => (data["reading"] as { free: number }).free)).toEqual([
      200 * MIB,
      100 * MIB,
    ]);
    expect(watch.warnings()).toEqual([`${flag?.message}.`]);
    machine.free = 1_000 * MIB;
    await watch.look();
    expect(flagsOf(ground).map(({ status }) => status)).toEqual(["resolved"]);
    expect(watch.warnings()).toStrictEqual([]);
  });

  test("a flag that an earlier start raised is held on, not raised again", async () => {
    const { ground, machine, watch } = await watching();
    machine.free = 200 * MIB;
    await watch.look();
    const next = new MachineWatch({
      ...ground,
      machine,
    });
    await next.look();
    expect(flagsOf(ground)).toHaveLength(1);
    machine.free = 1_000 * MIB;
    await next.look();
    expect(flagsOf(ground).map(({ status }) => status)).toEqual(["resolved"]);
  });
});

test("what an operator resolved by hand is raised anew by the next look while it lasts, as every rule does", async () => {
  const { ground, machine, watch } = await watching();
  machine.free = 200 * MIB;
  await watch.look();
  const [flag] = flagsOf(ground);
  const by = { name: "ada", id: "operator:ada" };
  const outcome = await ground.writer.write((tx) =>
    performAct(tx, "resolve", { id: flag?.id ?? "", by, now: ground.clock.now() }),
  );
  expect(outcome.state).toBe("done");
  await watch.look();
  await watch.look();
  expect(
    flagsOf(ground)
      .map(({ status }) => status)
      .sort(),
  ).toEqual(["open", "resolved"]);
});

test("it looks at once and then each second, one look at a time and after one that failed too, until it is stopped", async () => {
  const { watch } = await watching();
  const slow = Promise.withResolvers<void>();
  const look = spyOn(watch, "look")
    .mockResolvedValueOnce()
    .mockRejectedValueOnce(new Error("no such file"))
    .mockReturnValueOnce(slow.promise)
    .mockResolvedValue();
  jest.useFakeTimers();
  try {
    const looks: number[] = [];
    const after = async (ms: number) => {
      if (ms > 0) jest.advanceTimersByTime(ms);
      for (let turn = 0; turn < 10; turn++) await Promise.resolve();
      looks.push(look.mock.calls.length);
    };
    watch.start(async () => undefined);
    await after(0);
    await after(999);
    await after(1);
    await after(1_000);
    // The third takes its time.
    await after(1_000);
    slow.resolve();
    await after(0);
    await after(1_000);
    await watch.stop();
    await after(5_000);
    expect(looks).toEqual([1, 1, 2, 3, 3, 3, 4, 4]);
  } finally {
    jest.useRealTimers();
  }
});

describe("readiness", () => {
  test("a disk with less room than a report needs is not ready, and ready again with room", async () => {
    const { machine, watch } = await watching();
    machine.free = MIB - 1;
    await watch.look();
    expect(watch.unready()).toBe("writes are refused: the disk is full");
    expect(watch.figures()).toMatchObject({ refusing: true, diskFree: MIB - 1 });
    machine.free = 900 * MIB;
    await watch.look();
    expect(watch.unready()).toBeUndefined();
  });

  test("a refused write makes it not ready until a write of its own is stored", async () => {
    const { ground, watch } = await watching();
    await expect(overflow(ground)).rejects.toThrow();
    expect(watch.unready()).toBe("writes are refused: the disk is full");
    ground.store.raw.run("PRAGMA max_page_count = 1000000");
    await watch.look();
    expect(watch.unready()).toBeUndefined();
  });

  test("while the disk is full no write is tried: a small one might fit where no report does", async () => {
    const { ground, machine, watch } = await watching();
    await overflow(ground).catch(() => undefined);
    ground.store.raw.run("PRAGMA max_page_count = 1000000");
    machine.free = MIB - 1;
    await watch.look();
    const probes = () =>
      ground.store.raw.query("SELECT 1 FROM service_state WHERE name = 'service.storage_probed_at'").all();
    expect(probes()).toStrictEqual([]);
    expect(watch.unready()).toBe("writes are refused: the disk is full");
    machine.free = 900 * MIB;
    await watch.look();
    expect(probes()).toHaveLength(1);
    expect(watch.unready()).toBeUndefined();
  });

  test("what the machine does not tell is absent, and no reason to refuse", async () => {
    const { machine, watch } = await watching();
    machine.known = false;
    await watch.look();
    expect(watch.figures().diskFree).toBeUndefined();
    expect(watch.unready()).toBeUndefined();
    expect(watch.warnings()).toStrictEqual([]);
  });
});

test("descriptors: running out of them renews the listeners, once for looks that follow closely, and is on every page", async () => {
  const { machine, watch } = await watching();
  let renewed = 0;
  const renew = async () => void renewed++;
  await watch.look(renew);
  expect(renewed).toBe(0);
  machine.open = 90;
  await watch.look(renew);
  await watch.look(renew);
  expect(renewed).toBe(1);
  expect(watch.figures().descriptorShortages).toBe(2);
  expect(watch.warnings()).toEqual([
    "File descriptors are running out: connections were closed to make room.",
  ]);
  machine.open = 10;
  await watch.look(renew);
  expect(watch.warnings()).toStrictEqual([]);
});

test("checkpoints: one that fails is a line on every page until one works", async () => {
  const { watch } = await watching();
  watch.noteCheckpoint({ ok: false, fault: "SQLITE_FULL" });
  expect(watch.warnings()).toEqual([
    "The database's log cannot be moved into its file (SQLITE_FULL); it is tried again and again.",
  ]);
  watch.noteCheckpoint({ ok: true, frames: 0, left: 0, moved: 0 });
  expect(watch.warnings()).toStrictEqual([]);
  expect(watch.figures().checkpointFailures).toBe(1);
});

import { afterEach, beforeEach, describe, expect, spyOn, test } from "bun:test";
import { join } from "node:path";
import { isStorageFailure, StorageUnavailable } from "../../src/base/storage_fault.ts";
import { migrateStore } from "../../src/store/migrations.ts";
import { openStore, type Store, type Tx } from "../../src/store/store.ts";
import { Writer } from "../../src/store/writer.ts";
import { testStore } from "../support/database.ts";
import { temporaryFolder } from "../support/folder.ts";
import { until } from "../support/until.ts";

let store: Store;
let writer: Writer;
beforeEach(() => {
  store = testStore();
  writer = new Writer(store);
});
afterEach(() => store.close());

function put(name: string, value = "x", into: Store = store): void {
  into.raw.run("INSERT INTO service_state (name, value, changed_at) VALUES (?, ?, 0)", [name, value]);
}

const names = (from: Store = store) =>
  from.raw
    .query<{ name: string }, []>("SELECT name FROM service_state ORDER BY name")
    .all()
    .map(({ name }) => name);

const outcome = (write: Promise<unknown>) =>
  write.then(
    (value) => value,
    (error: unknown) => error,
  );

/** Until it is disposed of, no time passes: writes of one turn share a commit however slow the machine is. */
const stoppedClock = () => spyOn(performance, "now").mockReturnValue(0);

/** Writes that run in a savepoint each, and such that share one. */
const BOTH = [
  ["", false],
  [" (writes that may run twice)", true],
] as const;

describe("group commit (decisions 3)", () => {
  test("writes of one turn share one transaction, and each promise settles with its own value", async () => {
    const commits: boolean[] = [];
    const job = (n: number) =>
      writer.write(() => {
        commits.push(store.raw.inTransaction);
        put(`n${n}`);
        return n;
      });
    expect(await Promise.all([job(1), job(2), job(3)])).toEqual([1, 2, 3]);
    expect(commits).toEqual([true, true, true]);
    expect(names()).toEqual(["n1", "n2", "n3"]);
  });

  test("writes that take long do not share one: between their commits everybody else gets a turn, and their order stays", async () => {
    const LONG_MS = 20;
    const order: (number | "other")[] = [];
    const jobs = Array.from({ length: 6 }, (_, n) =>
      writer.write(() => {
        if (n === 0) setTimeout(() => order.push("other"));
        order.push(n);
        put(`n${n}`);
        Bun.sleepSync(LONG_MS);
      }),
    );
    await Promise.all(jobs);
    expect(order.filter((one) => one !== "other")).toEqual([0, 1, 2, 3, 4, 5]);
    expect(order.slice(0, -1)).toContain("other");
    expect(names()).toHaveLength(6);
  });

  test("a promise settles only after COMMIT", async () => {
    using folder = temporaryFolder();
    const onDisk = openStore(join(folder.path, "t.db"));
    migrateStore(onDisk);
    await new Writer(onDisk).write(() => put("a", "x", onDisk));
    const seen = onDisk.rawRead.query<{ name: string }, []>("SELECT name FROM service_state").all();
    onDisk.close();
    expect(seen).toEqual([{ name: "a" }]);
  });

  test("one bad write never takes a neighbour with it, and leaves nothing of its own", async () => {
    const bad = new Error("bad");
    const results = await Promise.all([
      outcome(writer.write(() => put("a"))),
      outcome(
        writer.write(() => {
          put("half");
          throw bad;
        }),
      ),
      outcome(
        writer.write(() => {
          put("other half");
          put("a");
        }),
      ),
      outcome(writer.write(() => put("b"))),
    ]);
    expect(results[1]).toBe(bad);
    expect((results[2] as { code?: string }).code).toBe("SQLITE_CONSTRAINT_PRIMARYKEY");
    expect(isStorageFailure(results[2])).toBe(false);
    expect(names()).toEqual(["a", "b"]);
  });

  test("of writes that may run twice a bad one takes no neighbour with it either: each is stored once, in order", async () => {
    const ran: string[] = [];
    const job = (name: string, act: () => unknown = () => name) =>
      outcome(
        writer.write(
          () => {
            ran.push(name);
            put(name, String(names().length));
            return act();
          },
          { isRepeatable: true },
        ),
      );
    const bad = () => {
      throw new Error("no");
    };
    const told = await Promise.all([job("a"), job("b", bad), job("c"), job("d", () => Promise.resolve())]);
    expect(told).toEqual(["a", new Error("no"), "c", new TypeError("a write must not return a promise")]);
    expect(store.raw.query("SELECT name, value FROM service_state ORDER BY name").values()).toEqual([
      ["a", "0"],
      ["c", "1"],
    ]);
    // A slow machine may end a commit sooner; what failed in it ran twice, whoever shared it.
    expect(ran.join("")).toMatch(/^(aba|ab)b(c|cdc)d?d$/);
    ran.length = 0;
    expect(await Promise.all([job("e"), job("f")])).toEqual(["e", "f"]);
    expect(ran).toEqual(["e", "f"]);
  });

  test("a write that may run twice runs once beside one that may not, whatever becomes of it", async () => {
    let runs = 0;
    const once = () => {
      runs++;
      throw new Error("no");
    };
    await Promise.all([
      writer.write(() => put("a"), { isRepeatable: true }),
      outcome(writer.write(once)),
      writer.write(() => put("b"), { isRepeatable: true }),
    ]);
    expect([runs, names()]).toEqual([1, ["a", "b"]]);
  });

  test("a job that returns a promise is refused and rolled back: SQLite would commit before it settles", async () => {
    const async = (() => {
      put("early");
      return Promise.resolve(1);
    }) as unknown as (tx: Tx) => number;
    expect(await outcome(writer.write(async))).toBeInstanceOf(TypeError);
    expect(names()).toStrictEqual([]);
  });

  test("writes beyond one commit's share are all stored, in their order", async () => {
    const order: number[] = [];
    await Promise.all(
      Array.from({ length: 600 }, (_, i) =>
        writer.write(() => {
          put(`n${i}`);
          order.push(i);
        }),
      ),
    );
    expect(order).toEqual(Array.from({ length: 600 }, (_, i) => i));
    expect(names()).toHaveLength(600);
    expect(writer.queued).toBe(0);
  });

  test("a write of low priority shares no commit with what an answer waits for, and lets it go first", async () => {
    const order: string[] = [];
    // On a busy machine a write of low priority may have waited long enough to go first.
    writer = new Writer(store, { lowPriorityMs: Number.POSITIVE_INFINITY });
    const low = [1, 2].map((n) => writer.write(() => void order.push(`low ${n}`), { lowPriority: true }));
    const first = writer.write(() => void order.push("first")).then(() => order.push("answered"));
    expect(writer.queued).toBe(3);
    await Promise.all([...low, first]);
    expect(order).toEqual(["first", "answered", "low 1", "low 2"]);
  });

  test("a write of low priority is not put off for ever, however many always go first", async () => {
    let isDone = false;
    const low = writer
      .write(() => put("low"), { lowPriority: true })
      .then(() => {
        isDone = true;
      });
    const going = [1, 2, 3].map(async () => {
      while (!isDone) await writer.write(() => undefined);
    });
    await Promise.all([low, ...going]);
    expect(names()).toEqual(["low"]);
  });

  test("writes of low priority that waited long go in every second commit, not before every answer", async () => {
    const order: string[] = [];
    writer = new Writer(store, { lowPriorityMs: -1 });
    const long = writer.write(
      () => {
        order.push("low 1");
        Bun.sleepSync(5);
      },
      { lowPriority: true },
    );
    const next = writer.write(() => void order.push("low 2"), { lowPriority: true });
    const first = writer.write(() => void order.push("answered"));
    await Promise.all([long, next, first]);
    expect(order).toEqual(["low 1", "answered", "low 2"]);
  });

  test("closing stores writes of low priority, too", async () => {
    const low = writer.write(() => put("low"), { lowPriority: true });
    const first = writer.write(() => put("first"));
    writer.close();
    await Promise.all([low, first]);
    expect(names()).toEqual(["first", "low"]);
  });

  test("the queue is bounded: a write beyond 4,096 waiting ones is refused at once, and the others are stored", async () => {
    let stored = 0;
    const waiting = Array.from({ length: 4_096 }, () => writer.write(() => void stored++));
    expect(await outcome(writer.write(() => put("too many")))).toBeInstanceOf(StorageUnavailable);
    await Promise.all(waiting);
    expect({ stored, names: names() }).toEqual({ stored: 4_096, names: [] });
  });

  test("closing stores what waits and refuses everything after", async () => {
    const waiting = Array.from({ length: 300 }, (_, i) => writer.write(() => put(`n${i}`)));
    writer.close();
    expect(await outcome(writer.write(() => put("late")))).toBeInstanceOf(StorageUnavailable);
    await Promise.all(waiting);
    expect(names()).toHaveLength(300);
  });
});

describe("a disk that fails (decisions 3, Group commit)", () => {
  /** A store on disk that may not grow much further. */
  function nearlyFull(path: string): Store {
    const full = openStore(path);
    migrateStore(full);
    const pages = full.raw.query<{ page_count: number }, []>("PRAGMA page_count").get()?.page_count ?? 0;
    full.raw.run(`PRAGMA max_page_count = ${pages + 4}`);
    return full;
  }

  test("a full database refuses the write as storage unavailable, stores nothing of it, and goes on when there is room", async () => {
    using folder = temporaryFolder();
    const full = nearlyFull(join(folder.path, "t.db"));
    const into = new Writer(full);
    const results = await Promise.all([
      outcome(into.write(() => put("small", "x", full))),
      outcome(
        into.write(() => {
          put("half", "x", full);
          put("big", "x".repeat(200_000), full);
        }),
      ),
      outcome(into.write(() => put("after", "x", full))),
    ]);
    expect(results[1]).toBeInstanceOf(StorageUnavailable);
    const acknowledged = ["small", "half", "after"].filter((_, i) => results[i] === undefined);
    expect(names(full)).toEqual(acknowledged.sort());
    expect(full.raw.inTransaction).toBe(false);
    full.raw.run("PRAGMA max_page_count = 1000000");
    await into.write(() => put("with room", "x", full));
    expect(names(full)).toContain("with room");
    expect(full.raw.query("PRAGMA integrity_check").get()).toEqual({ integrity_check: "ok" });
    full.close();
  });

  for (const [kind, isRepeatable] of BOTH) {
    const write = <T>(job: () => T) => writer.write(job as never, { isRepeatable });
    test(`an error that ends the whole transaction refuses the whole batch, and later writes never run on in autocommit${kind}`, async () => {
      using _ = stoppedClock();
      const results = await Promise.all([
        outcome(write(() => put("before"))),
        outcome(write(() => store.raw.run("INSERT OR ROLLBACK INTO service_state VALUES ('x', NULL, 0)"))),
        outcome(write(() => put("after"))),
      ]);
      for (const result of results) expect(result).toBeInstanceOf(StorageUnavailable);
      expect(names()).toStrictEqual([]);
      await write(() => put("next"));
      expect(names()).toEqual(["next"]);
    });

    test(`a write that swallows such an error is refused, too: the batch is gone${kind}`, async () => {
      using _ = stoppedClock();
      const swallowing = write(() => {
        try {
          store.raw.run("INSERT OR ROLLBACK INTO service_state VALUES ('x', NULL, 0)");
        } catch {
          put("in autocommit");
        }
      });
      const results = await Promise.all([outcome(swallowing), outcome(write(() => put("after")))]);
      for (const result of results) expect(result).toBeInstanceOf(StorageUnavailable);
      expect(names()).not.toContain("after");
    });

    test(`a commit that fails refuses the whole batch and stores nothing${kind}`, async () => {
      store.raw.run("CREATE TABLE parent (id INTEGER PRIMARY KEY) STRICT");
      store.raw.run(
        "CREATE TABLE child (p INTEGER REFERENCES parent (id) DEFERRABLE INITIALLY DEFERRED) STRICT",
      );
      using _ = stoppedClock();
      const results = await Promise.all([
        outcome(write(() => put("a"))),
        outcome(write(() => void store.raw.run("INSERT INTO child VALUES (7)"))),
      ]);
      for (const result of results) expect(result).toBeInstanceOf(StorageUnavailable);
      expect(names()).toStrictEqual([]);
      await write(() => put("next"));
      expect(names()).toEqual(["next"]);
    });
  }

  /** A store on disk whose write lock another connection holds. */
  function lockedByAnother(path: string): { readonly locked: Store; readonly other: Store } {
    const locked = openStore(path);
    migrateStore(locked);
    const other = openStore(path);
    other.raw.run("BEGIN IMMEDIATE");
    return { locked, other };
  }

  test("a database that another connection keeps locked is storage unavailable, and free again afterwards", async () => {
    using folder = temporaryFolder();
    const { locked, other } = lockedByAnother(join(folder.path, "t.db"));
    const into = new Writer(locked, { patienceMs: 30 });
    const refused: unknown[] = [];
    into.onRefused((cause) => refused.push((cause as { code?: unknown }).code));
    const results = await Promise.all([
      outcome(into.write(() => put("a", "x", locked))),
      outcome(into.write(() => put("b", "x", locked))),
    ]);
    for (const result of results) expect(result).toBeInstanceOf(StorageUnavailable);
    expect(new Set(refused)).toEqual(new Set(["SQLITE_BUSY"]));
    other.raw.run("ROLLBACK");
    await into.write(() => put("c", "x", locked));
    expect(names(locked)).toEqual(["c"]);
    other.close();
    locked.close();
  });

  test("a foreign lock is waited for off the event loop, and the writes keep their order and share their commit", async () => {
    using folder = temporaryFolder();
    const { locked, other } = lockedByAnother(join(folder.path, "t.db"));
    const into = new Writer(locked);
    const order: string[] = [];
    const writes = ["a", "b"].map((name) => into.write(() => void order.push(name)));
    // Turns that the event loop gets while the lock is held: SQLite's own waiting would give it none.
    let turns = 0;
    const blocked = await until(
      async () => {
        turns++;
        return into.blockedMs;
      },
      (ms) => ms > 30 && turns > 2,
    );
    expect(blocked.seen).toBeGreaterThan(30);
    expect(turns).toBeGreaterThan(2);
    expect(into.queued).toBe(2);
    writes.push(into.write(() => void order.push("c")));
    other.raw.run("ROLLBACK");
    await Promise.all(writes);
    expect({ order, blockedMs: into.blockedMs }).toEqual({ order: ["a", "b", "c"], blockedMs: 0 });
    other.close();
    locked.close();
  });

  test("closing while another holds the lock refuses what waits, at once", async () => {
    using folder = temporaryFolder();
    const { locked, other } = lockedByAnother(join(folder.path, "t.db"));
    const into = new Writer(locked);
    const waiting = outcome(into.write(() => put("a", "x", locked)));
    into.close();
    expect(await waiting).toBeInstanceOf(StorageUnavailable);
    other.close();
    locked.close();
  });

  test("a deferred write is stored ahead of the first commit that storage takes", async () => {
    using folder = temporaryFolder();
    const { locked, other } = lockedByAnother(join(folder.path, "t.db"));
    const into = new Writer(locked, { patienceMs: 0 });
    expect(await into.writeOrDefer(() => put("owed", "x", locked))).toBe(false);
    expect(await outcome(into.write(() => put("refused", "x", locked)))).toBeInstanceOf(StorageUnavailable);
    other.raw.run("ROLLBACK");
    expect(await into.write(() => names(locked))).toEqual(["owed"]);
    expect(await into.writeOrDefer(() => put("at once", "x", locked))).toBe(true);
    expect(names(locked)).toEqual(["at once", "owed"]);
    other.close();
    locked.close();
  });

  test("a real I/O error (a file size limit of the system) acknowledges nothing that is not there, and the file stays whole", async () => {
    using folder = temporaryFolder();
    const path = join(folder.path, "t.db");
    const child = Bun.spawnSync(
      [
        "bash",
        "-c",
        'trap "" XFSZ; ulimit -f 1200; exec "$0" "$@"',
        process.execPath,
        join(import.meta.dir, "fill.ts"),
        path,
      ],
      { stdout: "pipe", stderr: "pipe" },
    );
    const said = child.stdout.toString().trim().split("\n");
    const acknowledged = said.filter((line) => line.startsWith("stored ")).map((line) => line.slice(7));
    expect({ code: child.exitCode, error: child.stderr.toString(), last: said.at(-1) }).toEqual({
      code: 0,
      error: "",
      last: "refused StorageUnavailable",
    });
    const after = openStore(path);
    expect(after.raw.query("PRAGMA integrity_check").get()).toEqual({ integrity_check: "ok" });
    const there = new Set(names(after));
    after.close();
    expect(acknowledged.length).toBeGreaterThan(0);
    expect(acknowledged.filter((name) => !there.has(name))).toStrictEqual([]);
  });
});

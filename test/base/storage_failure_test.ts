import { describe, expect, test } from "bun:test";
import {
  errorWords,
  isBusy,
  isDamage,
  isFull,
  isStorageFailure,
  pathFault,
  StorageUnavailable,
  storageFault,
} from "../../src/base/storage_fault.ts";
import { PlainError } from "../../src/base/text.ts";
import { testGround } from "../support/deps.ts";
import { testIngest } from "../support/ingest.ts";
import { codebaseReport } from "../support/make/codebase_report.ts";
import { recordEach } from "../support/mixtures.ts";
import { expectProblem } from "../support/problem.ts";
import { words } from "../support/words.ts";

const VALID = JSON.stringify(codebaseReport());

/** A valid report of exactly so many bytes: white space is part of the body. */
const sized = (bytes: number) => VALID.padEnd(bytes, " ");

describe("what breaks inside", () => {
  test("10: a full database answers 503 with Retry-After, stores nothing, and takes reports again when there is room", async () => {
    const ground = await testGround();
    const full = await testIngest({ ground });
    const pages =
      ground.store.raw.query<{ page_count: number }, []>("PRAGMA page_count").get()?.page_count ?? 0;
    ground.store.raw.run(`PRAGMA max_page_count = ${pages}`);
    const big = codebaseReport({ unmeasured: { files: "x".repeat(2_000) } });
    let refused = await full.post(big);
    for (let i = 0; i < 50 && refused.status === 201; i++) refused = await full.post(big);
    const stored = full.stored();
    expect(refused.headers.get("retry-after")).toMatch(/^\d+$/);
    await expectProblem(refused, "storage-unavailable");
    await expectProblem(await full.post(sized(100_000)), "storage-unavailable");
    expect(full.stored()).toBe(stored);
    const told = full.lines.map(
      ({ level, message, properties }) => `${level} ${message} ${properties["reason"]}`,
    );
    expect(told.filter((line) => line.startsWith("error storage refused a write"))).toEqual([
      "error storage refused a write SQLITE_FULL",
      "error storage refused a write SQLITE_FULL",
    ]);
    ground.store.raw.run("PRAGMA max_page_count = 1000000");
    expect((await full.post(sized(100_000))).status).toBe(201);
    await full.stop();
  });

  test("a fault answers one neutral 500, and only the log says what it was", async () => {
    const ground = await testGround();
    const broken = await testIngest({
      ground: {
        ...ground,
        siteTokens: Object.assign(Object.create(ground.siteTokens) as typeof ground.siteTokens, {
          find: () => {
            throw new Error("secret detail");
          },
        }),
      },
    });
    const response = await broken.post(VALID);
    const problem = await expectProblem(response, "internal-error");
    expect(JSON.stringify(problem)).not.toContain("secret");
    expect(broken.lines).toMatchObject([
      { level: "error", message: "a request failed", properties: { request: problem.instance } },
    ]);
    await broken.stop();
  });

  test("a stopped writer is storage unavailable", async () => {
    const ground = await testGround();
    const stopping = await testIngest({ ground });
    ground.writer.close();
    await expectProblem(await stopping.post(VALID), "storage-unavailable");
    await stopping.stop();
  });
});

describe("what a failure of storage means", () => {
  const failed = (code: string, beside: object = {}) =>
    Object.assign(new Error("as it came"), { code }, beside);

  const codes = words(`
    ENOSPC EDQUOT SQLITE_FULL SQLITE_IOERR_SHMSIZE SQLITE_IOERR_READ EIO EROFS SQLITE_READONLY_DBMOVED EACCES
    SQLITE_PERM EEXIST ENOTDIR EMFILE SQLITE_BUSY_SNAPSHOT SQLITE_CORRUPT_INDEX SQLITE_NOTADB SQLITE_NOMEM EISDIR
    SQLITE_CANTOPEN SQLITE_CONSTRAINT
  `);
  test("is told in words, and whether it is a full disk, a lock, damage, or a failure of storage at all: recorded", () => {
    recordEach(codes, (code) => {
      const error = failed(code);
      expect(storageFault(new StorageUnavailable("try again", { cause: error }))).toBe(storageFault(error));
      expect(pathFault(error)).toBe(storageFault(error));
      const is = { isFull, isBusy, isDamage, isStorageFailure };
      const those = Object.entries(is).flatMap(([name, of]) => (of(error) ? [name] : []));
      return [pathFault(failed(code, { path: "/srv/tower" })), ...those];
    });
  });

  test("a refusal without a cause says itself; what a job threw is named, never quoted, but in words of our own", () => {
    const refused = new StorageUnavailable("the queue is full");
    expect([storageFault(refused), isStorageFailure(refused)]).toEqual(["the queue is full", true]);
    expect(errorWords(failed("SQLITE_FULL"))).toBe("the disk is full");
    expect(errorWords(new PlainError("the account was removed"))).toBe("the account was removed");
    expect(errorWords("key=secret")).toBe("it threw something that is no error");
    const quoting = new TypeError("key=secret");
    expect(errorWords(quoting)).toMatch(/^TypeError at storage_failure_test\.ts:\d+$/);
    quoting.stack = "TypeError: key=secret\n    at native";
    expect(errorWords(quoting)).toBe("TypeError");
  });
});

import { beforeEach, describe, expect, test } from "bun:test";
import { Problem } from "../../src/base/problem.ts";
import { StorageUnavailable } from "../../src/base/storage_fault.ts";
import {
  answerWords,
  flushRefusals,
  listRefused,
  listStreaks,
  loadRefusals,
  MOST_KEPT,
  REPORT_ROUTES,
  type Refusal,
  type RefusedReports,
  refusalOf,
} from "../../src/health/refusals.ts";
import { testGround } from "../support/deps.ts";
import { fresh } from "../support/fresh.ts";
import { capturingLog } from "../support/log.ts";

let book: RefusedReports;
const ground = fresh(testGround);
beforeEach(async () => {
  book = loadRefusals(ground.store.db);
});

const WORKSPACE = "default";
const nightly = { asset: "harbor", route: REPORT_ROUTES.nightly };

function refusal(pointer: string, at: number, changes: Partial<Refusal> = {}): Refusal {
  const faults = [{ pointer, rule: "count", message: "must be a whole number" }];
  return { ...nightly, status: 422, code: "broken-contract", faults, more: 0, at, ...changes };
}

const flush = () => flushRefusals(ground.writer, book, WORKSPACE, capturingLog().log);
const kinds = () =>
  listRefused(ground.store.db, "harbor").map(
    ({ faults, count, firstAt, lastAt }) => `${faults[0]?.pointer} ${count} ${firstAt}-${lastAt}`,
  );
const streak = () => listStreaks(ground.store.db, "harbor").map(({ count, lastAt }) => `${count} ${lastAt}`);

describe("refused reports", () => {
  test("for the same reason are one row with their count, and first and last time, also over flushes", async () => {
    for (const at of [1, 2, 3]) book.note(refusal("/a", at));
    await flush();
    book.note(refusal("/a", 9));
    book.note(refusal("/b", 8));
    await flush();
    expect(kinds()).toEqual(["/a 4 1-9", "/b 1 8-8"]);
    expect([...book.counts]).toEqual([["broken-contract", 5]]);
  });

  test("cost no write before they are written down together, and nothing is written where nothing was refused", async () => {
    let writes = 0;
    const writer = {
      write: (job: Parameters<typeof ground.writer.write>[0]) => {
        writes++;
        return ground.writer.write(job);
      },
    } as typeof ground.writer;
    for (let at = 0; at < 50; at++) book.note(refusal(`/${at}`, at));
    expect(kinds()).toStrictEqual([]);
    expect(book.findLatest("harbor")?.lastAt).toBe(49);
    await flushRefusals(writer, book, WORKSPACE, capturingLog().log);
    await flushRefusals(writer, book, WORKSPACE, capturingLog().log);
    expect(writes).toBe(1);
  });

  test("a flood of reasons leaves the newest of each site and route, and grows nothing", async () => {
    for (let at = 0; at < 5_000; at++) {
      book.note(refusal(`/metrics/${at}`, at));
      if (at % 500 === 499) await flush();
    }
    book.note(refusal("/measures", 1, { route: REPORT_ROUTES.codebase }));
    book.note(refusal("/metrics/0", 1, { asset: "orchard" }));
    await flush();
    expect(listRefused(ground.store.db, "harbor", REPORT_ROUTES.nightly)).toHaveLength(MOST_KEPT);
    expect(kinds()[0]).toStartWith("/metrics/4999 1 ");
    expect(listRefused(ground.store.db, "harbor", REPORT_ROUTES.codebase)).toHaveLength(1);
    expect(listRefused(ground.store.db, "orchard")).toHaveLength(1);
    expect(streak()).toContain("5000 4999");
    // The oldest that is kept is refused once more, so that the one after it makes room.
    for (const at of [4_950, 5_001]) {
      book.note(refusal(`/metrics/${at}`, 5_001, { more: 7 }));
      await flush();
    }
    const nightly = listRefused(ground.store.db, "harbor", REPORT_ROUTES.nightly);
    expect(nightly.map(({ faults, more }) => `${faults[0]?.pointer} ${more}`)).toContain("/metrics/4950 7");
  });

  test("a flood between two flushes is bounded too: what has no room is counted among those of its code", async () => {
    for (let at = 0; at < 10_000; at++) book.note(refusal(`/metrics/${at}`, at));
    await flush();
    expect(listRefused(ground.store.db, "harbor")[0]).toMatchObject({ faults: [], count: 8_000 });
  });

  test("what cannot be written down waits for the next time, and is counted once", async () => {
    book.note(refusal("/a", 1));
    const full = { write: () => Promise.reject(new StorageUnavailable("disk full")) };
    await expect(flushRefusals(full, book, WORKSPACE)).rejects.toBeInstanceOf(StorageUnavailable);
    book.note(refusal("/a", 2));
    await flush();
    expect(kinds()).toEqual(["/a 2 1-2"]);
    expect(streak()).toEqual(["2 2"]);
  });
});

describe("the count since the last good report", () => {
  test("ends with the next good one of its own route and begins anew after it", async () => {
    for (const at of [1, 2]) book.note(refusal("/a", at));
    book.note(refusal("/b", 3, { route: REPORT_ROUTES.codebase }));
    await flush();
    expect(streak()).toEqual(["1 3", "2 2"]);
    book.accepted(nightly, 4);
    await flush();
    expect(streak()).toEqual(["1 3"]);
    book.note(refusal("/a", 5));
    await flush();
    expect(streak()).toEqual(["1 3", "1 5"]);
    expect(kinds()).toEqual(["/a 3 1-5", "/b 1 3-3"]);
  });

  test("counts what came after a good one between two flushes, and not what came before it", async () => {
    book.note(refusal("/a", 1));
    book.accepted(nightly, 4);
    book.note(refusal("/a", 2));
    await flush();
    expect(streak()).toEqual(["1 2"]);
  });

  test("stands where it was refused after the good one, unless that lies ahead of a clock that was set back", async () => {
    book.note(refusal("/a", 6));
    book.accepted(nightly, 4, 7);
    await flush();
    expect(streak()).toEqual(["1 6"]);
    book.accepted(nightly, 4, 5);
    await flush();
    expect(streak()).toStrictEqual([]);
  });

  test("goes on over a restart, and ends with a good report after it", async () => {
    book.note(refusal("/a", 1));
    await flush();
    book = loadRefusals(ground.store.db);
    book.note(refusal("/b", 2));
    await flush();
    expect(streak()).toEqual(["2 2"]);
    book = loadRefusals(ground.store.db);
    book.accepted(nightly, 4);
    await flush();
    expect(streak()).toStrictEqual([]);
  });

  test("a good report whose note could not be written still ends it", async () => {
    book.note(refusal("/a", 1));
    await flush();
    book.accepted(nightly, 4);
    const full = { write: () => Promise.reject(new StorageUnavailable("disk full")) };
    await expect(flushRefusals(full, book, WORKSPACE)).rejects.toBeInstanceOf(StorageUnavailable);
    await flush();
    expect(streak()).toStrictEqual([]);
  });
});

test("a report without a known token is counted of unknown senders", () => {
  book.noteUnknown({ code: "unauthenticated", at: 1 });
  expect(book.unknownSenders()).toEqual({ count: 1, code: "unauthenticated", at: 1 });
  expect(Object.fromEntries(book.counts)).toEqual({ unauthenticated: 1 });
});

test("unknown senders are logged at once, then those of a whole minute together", () => {
  const refused = (...moments: readonly number[]) => {
    for (const at of moments) book.noteUnknown({ code: "unauthenticated", at });
    return book.takeUnknown();
  };
  expect([refused(), refused(0), refused(), refused(1, 59_999)]).toMatchSnapshot();
  expect(refused(60_000)).toEqual({ count: 3, code: "unauthenticated" });
  expect(refused()).toBeUndefined();
});

test("of a refusal three broken rules are kept, none longer than a line, and how many more there were", () => {
  const rule = (at: number, length = 1) => {
    const text = String(at).repeat(length);
    return { pointer: `/${text}`, rule: "count", message: text };
  };
  const kept = (count: number, more: number, length = 1) => {
    const errors = Array.from({ length: count }, (_, at) => rule(at, length));
    return new Problem("broken-contract", "It was not stored.", { errors, more });
  };
  const refused = [
    ...[kept(0, 0), kept(1, 0), kept(3, 0), kept(4, 5), kept(1, 0, 200), kept(1, 0, 201)],
    new Problem("malformed-json", "It ends early."),
    // How long to wait differs from one to the next.
    new Problem("too-many-requests", "Wait 7 s."),
    new StorageUnavailable("disk full"),
    new Error("a fault of our own"),
  ];
  const told = refused.map((error) => {
    const refusal = refusalOf(error);
    const long = refusal?.faults.map(({ pointer, message }) => `${pointer.length} ${message.length}`);
    return JSON.stringify([refusal && answerWords(refusal), long, refusal]);
  });
  expect(told.join("\n")).toMatchSnapshot();
});

test("the latest refusal of a site that waits is the last noted of the newest moment", () => {
  book.note(refusal("/a", 5));
  book.note(refusal("/b", 5));
  book.note(refusal("/c", 4));
  book.note(refusal("/d", 9, { asset: "orchard" }));
  expect(book.findLatest("harbor")?.faults[0]?.pointer).toBe("/b");
  expect(book.findLatest("nobody")).toBeUndefined();
});

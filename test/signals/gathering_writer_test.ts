/** A writer that notes in which turn of the event loop each write came. */

import { expect, jest, test } from "bun:test";
import { GatheringWriter } from "../../src/signals/signals.ts";
import type { Tx } from "../../src/store/store.ts";
import type { Writer } from "../../src/store/writer.ts";

function noting() {
  const turns: number[] = [];
  let turn = 0;
  const write: Writer["write"] = (job) => {
    turns.push(turn);
    setImmediate(() => turn++);
    return new Promise((resolve, reject) => {
      try {
        resolve(job({} as Tx) as never);
      } catch (error) {
        reject(error);
      }
    });
  };
  return { writer: { write }, turns };
}

test("what comes one by one is passed on in one turn of the event loop, each with its own outcome", async () => {
  const { writer, turns } = noting();
  const gathering = new GatheringWriter(writer, 1);
  const first = gathering.write(() => "first");
  await new Promise((resolve) => setImmediate(resolve));
  const second = gathering.write((): string => {
    throw new Error("second");
  });
  expect(await first).toBe("first");
  await expect(second).rejects.toThrow("second");
  expect(new Set(turns).size).toBe(1);
});

test("what is gathered has a bound, and without a wait everything goes on as it comes", async () => {
  const { writer, turns } = noting();
  const gathering = new GatheringWriter(writer, 3_600_000);
  await Promise.all(Array.from({ length: 64 }, (_, place) => gathering.write(() => place)));
  await Promise.all(Array.from({ length: 64 }, (_, place) => gathering.write(() => place)));
  expect(turns).toHaveLength(128);
  expect(await new GatheringWriter(writer, 0).write(() => 7)).toBe(7);
});

test("each gathering waits for its own time, also after one that was full before", () => {
  jest.useFakeTimers();
  try {
    const { writer, turns } = noting();
    const gathering = new GatheringWriter(writer, 100);
    const passed = (ms: number) => {
      jest.advanceTimersByTime(ms);
      return turns.length;
    };
    for (let place = 0; place < 64; place++) void gathering.write(() => place);
    expect(passed(50)).toBe(64);
    void gathering.write(() => "next");
    expect([passed(90), passed(10)]).toEqual([64, 65]);
  } finally {
    jest.useRealTimers();
  }
});

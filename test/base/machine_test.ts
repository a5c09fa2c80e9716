import { expect, test } from "bun:test";
import { parseLocks, systemMachine } from "../../src/base/machine.ts";

test("the locks of a file are read from the system's table, and who only waits for one is left out", () => {
  const table = [
    "1: POSIX  ADVISORY  READ  812 08:01:1311 124 124",
    "2: FLOCK  ADVISORY  WRITE 813 08:01:1311 0 EOF",
    "3: POSIX  ADVISORY  WRITE 814 fe:00:77 0 EOF",
    "3: -> POSIX  ADVISORY  WRITE 815 fe:00:77 0 EOF",
    "",
  ].join("\n");
  expect(parseLocks(table)).toEqual([
    { pid: 812, device: "08:01", inode: 1_311, first: 124, last: 124 },
    { pid: 814, device: "fe:00", inode: 77, first: 0, last: Number.POSITIVE_INFINITY },
  ]);
});

test("room is told for a path that is there; for another it is unknown", async () => {
  const room = await systemMachine.room(import.meta.dir);
  expect(room?.total).toBeGreaterThan(room?.free ?? Number.POSITIVE_INFINITY);
  expect(await systemMachine.room("/no/such/path")).toBeUndefined();
});

/** A part of a write that must not take the rest with it. */

import { describe, expect, test } from "bun:test";
import { StorageUnavailable } from "../../src/base/storage_fault.ts";
import { putServiceState } from "../../src/store/store.ts";
import { savepoint, Writer } from "../../src/store/writer.ts";
import { testStore } from "../support/database.ts";

function ground() {
  const store = testStore();
  const writer = new Writer(store);
  const names = () =>
    store.raw
      .query<{ name: string }, []>("SELECT name FROM service_state ORDER BY name")
      .all()
      .map(({ name }) => name);
  return { store, writer, names };
}

describe("a part of a write", () => {
  test("that comes off is stored with the rest", async () => {
    const { writer, names } = ground();
    const failed = await writer.write((tx) => {
      putServiceState(tx, "rest", "1", 1);
      return savepoint(tx, () => putServiceState(tx, "part", "1", 1)) ?? "";
    });
    expect([failed, names()]).toEqual(["", ["part", "rest"]]);
  });

  test("that throws is taken back whole, and hands its error out; what is written before and after stays", async () => {
    const { writer, names } = ground();
    const wrong = new RangeError("no");
    const failed = await writer.write((tx) => {
      putServiceState(tx, "before", "1", 1);
      const came = savepoint(tx, () => {
        putServiceState(tx, "part", "1", 1);
        throw wrong;
      });
      putServiceState(tx, "after", "1", 1);
      return { came };
    });
    expect(failed).toEqual({ came: { error: wrong } });
    expect(names()).toEqual(["after", "before"]);
  });

  test("inside of another is taken back alone, and with the one around it", async () => {
    const { writer, names } = ground();
    await writer.write((tx) => {
      savepoint(tx, () => {
        putServiceState(tx, "outer", "1", 1);
        savepoint(tx, () => {
          putServiceState(tx, "inner", "1", 1);
          throw new Error("no");
        });
      });
      savepoint(tx, () => {
        savepoint(tx, () => putServiceState(tx, "kept no more", "1", 1));
        throw new Error("no");
      });
    });
    expect(names()).toEqual(["outer"]);
  });

  test("that storage refuses is refused with all of it; one that meets damage is not", async () => {
    const { writer, names } = ground();
    const coded = (code: string) => Object.assign(new Error(code), { code });
    const operate = (code: string) =>
      writer.write((tx) => {
        putServiceState(tx, code, "1", 1);
        return (
          savepoint(tx, () => {
            throw coded(code);
          }) !== undefined
        );
      });
    expect(await operate("SQLITE_FULL").catch((error: unknown) => error)).toBeInstanceOf(StorageUnavailable);
    expect(await operate("SQLITE_CORRUPT")).toBe(true);
    expect(names()).toEqual(["SQLITE_CORRUPT"]);
  });
});

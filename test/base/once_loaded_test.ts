import { describe, expect, test } from "bun:test";
import { onceLoaded } from "../../src/base/concurrency.ts";

describe("a part that is loaded when it is needed", () => {
  test("is loaded once, however many need it at the same time", async () => {
    let loads = 0;
    const part = onceLoaded(async () => ++loads);
    expect(await Promise.all([part(), part(), part()])).toEqual([1, 1, 1]);
    expect(await part()).toBe(1);
  });

  test("that failed to load is tried again by the next that needs it", async () => {
    let tries = 0;
    const part = onceLoaded(async () => {
      if (++tries === 1) throw new Error("EMFILE");
      return "pages";
    });
    await expect(part()).rejects.toThrow("EMFILE");
    expect(await part()).toBe("pages");
  });
});

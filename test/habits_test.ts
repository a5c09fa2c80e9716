/**
 * Habits of the tests themselves: nothing waits for a time to pass, nothing is answered by chance, and no number is drawn that could
 * not be drawn again.
 */

import { expect, test } from "bun:test";
import { Glob } from "bun";

const ROOT = `${import.meta.dir}/`;
const TESTS = [...new Glob("**/*.{ts,tsx}").scanSync(ROOT)]
  .filter((path) => !path.startsWith("bench/"))
  .sort();
const texts = new Map(
  await Promise.all(TESTS.map(async (path) => [path, await Bun.file(ROOT + path).text()] as const)),
);
const where = (words: RegExp) => TESTS.filter((path) => words.test(texts.get(path) ?? ""));

test("time is waited for only where time is the matter: a condition is waited for by `until`", () => {
  expect(where(/\bBun\.sleep\(/)).toEqual([
    // The moments at which something is killed or its power is cut.
    "fault/first_start_test.ts",
    // How often a page is asked for while nothing can be written.
    "fault/foreign_process_test.ts",
    "fault/kills_test.ts",
    // Another process is looked at from outside until it did something.
    "measure/interrupt_test.ts",
    // That nothing is asked while the queue is full is seen only by waiting.
    "signals/ask_account_test.ts",
    "support/loop_mount.ts",
    "support/power_cut.ts",
    "support/soak.ts",
    // How fast a storm sends.
    "support/storm.ts",
    "support/until.ts",
  ]);
});

test("what a test answers for a page is answered from the next request on", () => {
  const held = where(/\bsteadyRoutes\b/);
  expect(where(/\bpage\.route\(/).filter((path) => !held.includes(path))).toStrictEqual([]);
});

test("numbers are drawn from a seed that is fixed, or printed", () => {
  const drawn = where(/\bMath\.random\(|\bgetRandomValues\b|\brandomBytes\(/);
  // The test of the imports names what the service itself may not use.
  expect(drawn.filter((path) => path !== "architecture_test.ts")).toEqual(["support/random_counts.ts"]);
});

test("a list is none where nothing is in it: `toEqual` takes one of undefined for empty", () => {
  expect(where(/\.toEqual\(\[\]\)/)).toStrictEqual([]);
});

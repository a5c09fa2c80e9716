/**
 * What the tests of a file stand on, made before them and ended after them; used as if it were the thing itself:
 *
 *     const ground = fresh(testGround);                    // anew for each test
 *     const simulators = shared(() => startSimulators({})) // one for all tests of the file, or of its `describe`
 *     const ground = fresh(testGround, expectWholeFlags);  // with what holds after each test, whatever it did
 */

import { afterAll, afterEach, beforeAll, beforeEach } from "bun:test";

type Made = object & {
  [Symbol.dispose]?(): void;
  close?(): unknown;
  stop?(): unknown;
  readonly store?: { close(): void };
};

type Make<T> = () => T | Promise<T>;

/** Ends whatever has an end of its own; of a ground, its store. */
async function end(made: Made): Promise<void> {
  const ending = made[Symbol.dispose] ?? made.close ?? made.stop;
  if (ending === undefined) made.store?.close();
  else await ending.call(made);
}

function standIn<T extends object>(
  before: typeof beforeEach,
  after: typeof afterEach,
  make: Make<T>,
  expectOf: (made: T) => void = () => undefined,
): T {
  let made: T;
  before(async () => {
    made = await make();
  });
  after(async () => {
    try {
      expectOf(made);
    } finally {
      await end(made);
    }
  });
  return new Proxy({} as T, {
    get: (_, key) => {
      const value: unknown = Reflect.get(made, key, made);
      return typeof value === "function" ? value.bind(made) : value;
    },
    set: (_, key, value) => Reflect.set(made, key, value, made),
    has: (_, key) => Reflect.has(made, key),
    ownKeys: () => Reflect.ownKeys(made),
    getOwnPropertyDescriptor: (_, key) => ({
      ...Reflect.getOwnPropertyDescriptor(made, key),
      configurable: true,
    }),
  });
}

/** One for each test. */
export const fresh = <T extends object>(make: Make<T>, expectOf?: (made: T) => void): T =>
  standIn(beforeEach, afterEach, make, expectOf);

/** One for all tests. */
export const shared = <T extends object>(make: Make<T>): T => standIn(beforeAll, afterAll, make);

/** What the acts of operators work with: a database, a clock and ids of the test's own, and hashes that cost next to nothing. */

import type { OperatorDeps } from "../../src/access/access.ts";
import { type ApiTokenBook, loadApiTokenBook } from "../../src/access/api_tokens.ts";
import { PasswordHasher } from "../../src/access/passwords.ts";
import { readConfig } from "../../src/base/config.ts";
import { Writer } from "../../src/store/writer.ts";
import { FakeClock } from "./clock.ts";
import { testStore } from "./database.ts";
import { seededIds } from "./ids.ts";

export function operatorDeps() {
  const store = testStore();
  return {
    config: readConfig({ DATA_DIR: "/nowhere" }),
    store,
    writer: new Writer(store),
    clock: new FakeClock(),
    ids: seededIds(),
    passwords: new PasswordHasher({ memoryKib: 8, passes: 1 }),
    apiTokens: loadApiTokenBook(store.db),
  } satisfies OperatorDeps & { apiTokens: ApiTokenBook };
}

/** A password that passes every rule. */
export const GOOD_PASSWORD = "orchard violet kettle 9";
/** Another one. */
export const OTHER_PASSWORD = "seven lanterns on a pier";
/** Where requests of tests come from. */
export const CALLER = { address: "192.0.2.7", agent: "Mozilla/5.0 (X11; Linux x86_64) Chrome/153.0" };

/** Takes a data folder's lock, says so and waits to be killed: run by lock_test.ts. */

import { takeDataLock } from "../../src/store/lock.ts";

const lock = takeDataLock(Bun.argv[2] ?? "");
process.stdout.write(lock === undefined ? "busy\n" : "held\n");
setTimeout(() => process.exit(1), 20_000);

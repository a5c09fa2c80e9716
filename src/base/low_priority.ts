/** Imported by a worker whose work no answer waits for: where the processor is short, it goes to the thread that answers. */

import { getPriority, setPriority } from "node:os";

/** Steps of the kernel's "nice" below the thread that answers; of 10 it gets a tenth of what that one gets. */
const STEPS = 10;
const LAST = 19;

// On Linux alone a thread has a priority of its own; elsewhere this would be the whole process's.
if (!Bun.isMainThread && process.platform === "linux") setPriority(Math.min(LAST, getPriority() + STEPS));

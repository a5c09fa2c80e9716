/** Imported by a worker whose work no answer waits for: where the processor is short, it goes to the thread that answers. */

import { getPriority, setPriority } from "node:os";

/** Steps of the kernel's "nice" below the thread that answers: it gets a third of what that one gets. Of 10 a backup on a busy box starves. */
const STEPS = 5;
const LAST = 19;

// On Linux alone a thread has a priority of its own; elsewhere this would be the whole process's.
if (!Bun.isMainThread && process.platform === "linux") setPriority(Math.min(LAST, getPriority() + STEPS));

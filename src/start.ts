/** `bun run start`: installs what is missing, makes the bundle, and is the service. */

import { loadService, prepareStart, ROOT, say, succeeds } from "./app/prepare.ts";
import { starterGone } from "./base/starters.ts";

const gone = starterGone();
const cut = new AbortController();
let asked: NodeJS.Signals | undefined;
let isPreparing = true;

/**
 * A signal ends what is under way, and then this process as that signal does. Its handlers stay until the service has its own: one that
 * comes while they are taken away would be lost.
 */
function end(signal: NodeJS.Signals): void {
  if (process.listenerCount(signal) > 1) return;
  asked ??= signal;
  cut.abort();
  if (!isPreparing) dieOf(asked);
}

function dieOf(signal: NodeJS.Signals): void {
  process.off(signal, end);
  process.kill(process.pid, signal);
}

for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) process.on(signal, end);
void gone.then(() => end("SIGTERM"));
const isPrepared = await succeeds(() => prepareStart(ROOT, { say, signal: cut.signal }));
isPreparing = false;
if (asked !== undefined) dieOf(asked);
else if (isPrepared) {
  const { serve } = await loadService(ROOT);
  process.exitCode = await serve(gone);
} else process.exitCode = 1;

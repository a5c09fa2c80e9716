/** `bun run demo`: installs what is missing, then shows the Tower over a portfolio of invented sites. */

import { prepareStart, ROOT, say, succeeds } from "../app/prepare.ts";

const cut = new AbortController();
const end = () => cut.abort();
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, end);
const isPrepared = await succeeds(() => prepareStart(ROOT, { say, signal: cut.signal }));
if (!isPrepared || cut.signal.aborted) process.exitCode = 1;
else {
  const { runDemo } = await import("./run.ts");
  // What is still under way when it was told to end must not keep the process.
  process.exit(await runDemo(process.argv.slice(2)));
}

/** `bun run start`: installs what is missing, makes the bundle, and is the service. */
import { ROOT, serviceModule } from "./bundle.ts";
import { starterGone } from "./platform/starters.ts";
import { cameOff, prepareStart, say } from "./prepare.ts";

const gone = starterGone();
if (await isPrepared()) {
  const { serve } = (await import(serviceModule(ROOT))) as typeof import("./serve.ts");
  process.exitCode = await serve(gone);
} else process.exitCode = 1;

/** Whether everything is there now. A signal meanwhile ends what is under way, and then this process as that signal does. */
async function isPrepared(): Promise<boolean> {
  const cut = new AbortController();
  const signals = ["SIGTERM", "SIGINT", "SIGHUP"] as const;
  let asked: (typeof signals)[number] | undefined;
  const end = (signal: (typeof signals)[number]) => {
    asked ??= signal;
    cut.abort();
  };
  for (const signal of signals) process.on(signal, end);
  void gone.then(() => end("SIGTERM"));
  try {
    return await cameOff(() => prepareStart(ROOT, { say, signal: cut.signal }));
  } finally {
    for (const signal of signals) process.off(signal, end);
    if (asked !== undefined) process.kill(process.pid, asked);
  }
}

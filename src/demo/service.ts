/** The service of the demo: the real one, as a process of its own, over the demo's folder. */
import { openSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "../bundle.ts";
import { processEnvironment, SETTINGS } from "../platform/config.ts";
import { DemoFault } from "./fault.ts";

/** Longest wait until it listens, in milliseconds. */
const PATIENCE_MS = 60_000;
const LAST_LINES = 12;

export interface DemoService {
  readonly towerUrl: string;
  readonly ingestUrl: string;
  /** Resolves when it has ended, with its exit code. */
  readonly ended: Promise<number>;
  /** Asks it to end. Where a terminal has told it already, it is told twice. */
  stop(): void;
}

/**
 * Starts it with these settings and waits until it listens. No setting of the environment reaches it: what is set for an operator's own
 * service is not meant for the demo's. Throws `DemoFault` with what it said where it ends instead.
 */
export async function startDemoService(
  folder: string,
  settings: Readonly<Record<string, string>>,
): Promise<DemoService> {
  const own = new Set<string>(SETTINGS);
  const env = Object.fromEntries(Object.entries(processEnvironment()).filter(([name]) => !own.has(name)));
  const log = join(folder, "service.log");
  const child = Bun.spawn([process.execPath, join(ROOT, "src", "start.ts")], {
    cwd: ROOT,
    env: { ...env, ...settings },
    stdin: "ignore",
    stdout: "pipe",
    stderr: openSync(log, "a"),
  });
  let said = "";
  const { promise: listening, resolve } = Promise.withResolvers<void>();
  void (async () => {
    const decoder = new TextDecoder();
    for await (const chunk of child.stdout) {
      said += decoder.decode(chunk, { stream: true });
      if (/^Ingest +\S+\n/m.test(said)) resolve();
    }
  })();
  const timer = setTimeout(() => child.kill(), PATIENCE_MS);
  const ended = child.exited;
  const code = await Promise.race([listening, ended]);
  clearTimeout(timer);
  if (code !== undefined) {
    const lines = readFileSync(log, "utf8").trimEnd().split("\n").slice(-LAST_LINES).join("\n");
    throw new DemoFault(`the service did not start:\n${lines}`);
  }
  const urlOf = (name: string) => new RegExp(`^${name} +(\\S+)$`, "m").exec(said)?.[1] ?? "";
  return {
    towerUrl: urlOf("Tower"),
    ingestUrl: urlOf("Ingest"),
    ended,
    stop: () => child.kill("SIGTERM"),
  };
}

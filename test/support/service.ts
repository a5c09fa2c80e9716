import { join } from "node:path";
import type { ReadableSubprocess } from "bun";

const ROOT = join(import.meta.dir, "..", "..");
/** Longest wait for a service to come up or go down, in milliseconds. */
const PATIENCE_MS = 60_000;

/** Settings that a test's own environment may hold and the service must not read. */
const FOREIGN =
  /^(?:DATA_DIR|RAW_SIGNALS|ASSET_TOKENS|CREDENTIALS_KEY|SERVICE_ASSET|WORKSPACE|ALLOWED_HOSTS|OUTBOUND_|INGEST_|TOWER_|TRUSTED_|LOG_LEVEL|S3_)/;

/** The environment of this process without any setting of the service. */
export function bareEnvironment(): Record<string, string> {
  return Object.fromEntries(
    Object.entries(process.env).flatMap(([name, value]) =>
      value === undefined || FOREIGN.test(name) ? [] : [[name, value]],
    ),
  );
}

/** A real service process. */
export interface Service {
  readonly ingestUrl: string;
  readonly towerUrl: string;
  /** Everything it printed to standard output so far. */
  readonly said: string;
  readonly pid: number;
  /** Sends a signal and waits for the end; the exit code, or null when a signal ended it. */
  end(signal: "SIGTERM" | "SIGKILL"): Promise<number | null>;
  /** What it wrote to standard error, once it has ended. */
  errors(): Promise<string>;
}

/** How a service is started, where not as it is by itself. */
export interface Starting {
  readonly cwd?: string;
  /** The program that starts it, with its arguments. */
  readonly before?: readonly string[];
  readonly root?: string;
  readonly file?: "main.ts" | "start.ts" | "cli.ts";
  /** The words after the file. */
  readonly words?: readonly string[];
}

/** Starts `src/main.ts` and waits until it says where it listens. Throws with its output when it ends first. */
export async function startService(
  settings: Readonly<Record<string, string>>,
  options: Starting = {},
): Promise<Service> {
  const { root = ROOT, cwd = root, file = "main.ts", words = [] } = options;
  const child = Bun.spawn([...(options.before ?? []), process.execPath, join(root, "src", file), ...words], {
    cwd,
    env: { ...bareEnvironment(), ...settings },
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
  });
  const errors = new Response(child.stderr).text();
  let said = "";
  const { promise: announced, resolve, reject } = Promise.withResolvers<void>();
  const timer = setTimeout(() => reject(new Error(`the service did not come up: ${said}`)), PATIENCE_MS);
  const reading = (async () => {
    const decoder = new TextDecoder();
    for await (const chunk of child.stdout) {
      said += decoder.decode(chunk, { stream: true });
      if (/^Ingest +\S+\n/m.test(said)) resolve();
    }
    reject(new Error(`the service ended: ${said}${await errors}`));
  })();
  try {
    await announced;
  } catch (error) {
    child.kill("SIGKILL");
    throw error;
  } finally {
    clearTimeout(timer);
  }
  const urlOf = (name: string) => new RegExp(`^${name} +(\\S+)$`, "m").exec(said)?.[1] ?? "";
  return {
    ingestUrl: urlOf("Ingest"),
    towerUrl: urlOf("Tower"),
    get said() {
      return said;
    },
    pid: child.pid,
    end: async (signal) => {
      child.kill(signal);
      const force = setTimeout(() => child.kill("SIGKILL"), PATIENCE_MS);
      await child.exited;
      clearTimeout(force);
      await reading.catch(() => undefined);
      return child.signalCode === null ? child.exitCode : null;
    },
    errors: () => errors,
  };
}

/** What a finished command said. */
export interface Finished {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

/** Runs a file of `src` to its end, at most a minute where nothing else is said. */
export async function runToEnd(
  file: "main.ts" | "cli.ts",
  args: readonly string[],
  settings: Readonly<Record<string, string>>,
  cwd = ROOT,
  patienceMs = PATIENCE_MS,
): Promise<Finished> {
  const child = Bun.spawn([process.execPath, join(ROOT, "src", file), ...args], {
    cwd,
    env: { ...bareEnvironment(), ...settings },
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
    timeout: patienceMs,
  });
  return finished(child);
}

/** What a process says until it has ended. */
export async function finished(child: ReadableSubprocess): Promise<Finished> {
  const [out, err] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ]);
  return { code: await child.exited, out, err };
}

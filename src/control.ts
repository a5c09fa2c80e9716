/**
 * The control socket: a running service serves `control.sock` in the data folder (mode 0600), and the command line speaks to it,
 * so that commands and the service never write side by side.
 */
import { chmodSync, existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { Invocation, Outcome } from "./command/contract.ts";
import { COMMANDS } from "./command/mod.ts";
import { isStorageFailure, storageFault } from "./db/mod.ts";
import type { Deps } from "./deps.ts";
import { logOf } from "./platform/log.ts";

/** Longest path of a unix socket on Linux, without its closing zero. */
const LONGEST_SOCKET_PATH = 107;

/**
 * Without it Bun cuts an answer off that takes more than ten seconds, as that of a check or a backup of a large database does; its
 * types know the setting for ports only.
 */
const NEVER_IDLE: object = { idleTimeout: 0 };

/** Where the control socket of a data folder lies. */
function controlSocketPath(dataDir: string): string {
  return join(dataDir, "control.sock");
}

/** A control socket that listens. */
export interface Control {
  stop(): Promise<void>;
  /** Takes no more commands, and lets those under way come to their end. */
  drain(): Promise<void>;
}

/** Serves commands; undefined when the path is too long for a socket. */
export function serveControl(deps: Deps): Control | undefined {
  const path = controlSocketPath(deps.config.dataDir);
  if (Buffer.byteLength(path) > LONGEST_SOCKET_PATH) {
    logOf("control").warn("no control socket: the path of the data folder is too long", { path });
    return undefined;
  }
  rmSync(path, { force: true });
  const server = Bun.serve({
    unix: path,
    development: false,
    ...NEVER_IDLE,
    fetch: (request) => runCommand(deps, request),
    error: () => new Response(null, { status: 500 }),
  });
  chmodSync(path, 0o600);
  return {
    stop: async () => {
      await server.stop(true);
      rmSync(path, { force: true });
    },
    drain: async () => {
      rmSync(path, { force: true });
      await server.stop();
    },
  };
}

async function runCommand(deps: Deps, request: Request): Promise<Response> {
  const name = decodeURIComponent(new URL(request.url).pathname.replace(/^\/command\//, ""));
  const command = COMMANDS.find((known) => known.name === name);
  if (command === undefined || request.method !== "POST") return new Response(null, { status: 404 });
  const invocation = (await request.json()) as Invocation;
  try {
    return Response.json(await command.run(deps, { ...invocation, signal: request.signal }));
  } catch (error) {
    logOf("control").error("a command failed", { command: name, error: String(error) });
    const why = isStorageFailure(error) ? `nothing was stored: ${storageFault(error)}` : String(error);
    const outcome: Outcome = { exitCode: 1, stdout: "", stderr: `${name} failed: ${why}` };
    return Response.json(outcome);
  }
}

/** Asks the running service to run a command; undefined when none answers. */
export async function askService(
  dataDir: string,
  name: string,
  invocation: Invocation,
): Promise<Outcome | undefined> {
  const unix = controlSocketPath(dataDir);
  if (!existsSync(unix)) return undefined;
  try {
    const response = await fetch(`http://control/command/${encodeURIComponent(name)}`, {
      unix,
      method: "POST",
      body: JSON.stringify(invocation),
    });
    return response.ok ? ((await response.json()) as Outcome) : undefined;
  } catch {
    return undefined;
  }
}

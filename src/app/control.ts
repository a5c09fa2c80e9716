/**
 * The control socket: a running service serves `control.sock` in the data folder (mode 0600), and the command line speaks to it,
 * so that commands and the service never write side by side.
 */

import { chmodSync, existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { logOf } from "../base/log.ts";
import { isStorageFailure, storageFault } from "../base/storage_fault.ts";
import type { Deps } from "./app.ts";
import type { Command, Invocation, Outcome } from "./command.ts";

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

/** Serves commands; undefined where no socket can be made: the service runs without it. */
export function serveControl(deps: Deps) {
  const path = controlSocketPath(deps.config.dataDir);
  try {
    if (Buffer.byteLength(path) > LONGEST_SOCKET_PATH)
      throw new Error("the path of the data folder is too long");
    rmSync(path, { force: true });
    const server = Bun.serve({
      unix: path,
      development: false,
      ...NEVER_IDLE,
      fetch: (request) => runCommand(deps, request),
      error: () => new Response(null, { status: 500 }),
    });
    chmodSync(path, 0o600);
    const end = async (isForced: boolean) => {
      rmSync(path, { force: true });
      await server.stop(isForced);
    };
    /** `drain` takes no more commands, and lets those under way come to their end. */
    return { stop: () => end(true), drain: () => end(false) };
  } catch (error) {
    const reason = storageFault(error);
    logOf("control").error("no control socket: commands will not find the service", { path, reason });
    return undefined;
  }
}

/** Runs a command, which is told to end when nobody waits for its answer any more. */
async function runCommand(deps: Deps, request: Request): Promise<Response> {
  const name = decodeURIComponent(new URL(request.url).pathname.replace(/^\/command\//, ""));
  // Loaded when a start has answered, which need not wait for it.
  const { COMMANDS } = await import("./commands.ts");
  const command = COMMANDS.find((known) => known.name === name);
  if (command === undefined || request.method !== "POST") return new Response(null, { status: 404 });
  const invocation = (await request.json()) as Invocation;
  const { signal } = request;
  return Response.json(await outcomeOf(command, () => command.run(deps, { ...invocation, signal })));
}

/** What a command did; an error that it threw is an outcome, too. */
async function outcomeOf({ name }: Command, run: () => Promise<Outcome>): Promise<Outcome> {
  try {
    return await run();
  } catch (error) {
    logOf("control").error("a command failed", { command: name, error: String(error) });
    const why = isStorageFailure(error) ? `nothing was stored: ${storageFault(error)}` : String(error);
    return { exitCode: 1, stdout: "", stderr: `${name} failed: ${why}` };
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
      // A check, or a backup of a large archive, takes as long as it takes.
      timeout: false,
    });
    return response.ok ? ((await response.json()) as Outcome) : undefined;
  } catch {
    return undefined;
  }
}

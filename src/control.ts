/**
 * The control socket: a running service serves `control.sock` in the data folder (mode 0600), and the command line speaks to it,
 * so that commands and the service never write side by side.
 */
import { chmodSync, existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { Command, Invocation, Outcome } from "./command/contract.ts";
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
  if (command.lasts !== true) {
    return Response.json(await outcomeOf(deps, command, { ...invocation, signal: request.signal }));
  }
  return inLines(request.signal, (signal, tell) => outcomeOf(deps, command, { ...invocation, signal, tell }));
}

const LINES = "application/x-ndjson";

/** Answers in lines of JSON: each text that is told on the way, and at last the outcome. `signal` aborts when nobody reads any more. */
function inLines(
  signal: AbortSignal,
  work: (signal: AbortSignal, tell: (line: string) => void) => Promise<Outcome>,
): Response {
  const gone = new AbortController();
  const encoder = new TextEncoder();
  const body = new ReadableStream<Uint8Array>({
    start: async (lines) => {
      const say = (what: string | Outcome) => {
        if (!gone.signal.aborted) lines.enqueue(encoder.encode(`${JSON.stringify(what)}\n`));
      };
      say(await work(AbortSignal.any([signal, gone.signal]), say));
      if (!gone.signal.aborted) lines.close();
    },
    cancel: () => gone.abort(),
  });
  return new Response(body, { headers: { "content-type": LINES } });
}

async function outcomeOf(deps: Deps, command: Command, invocation: Invocation): Promise<Outcome> {
  try {
    return await command.run(deps, invocation);
  } catch (error) {
    const { name } = command;
    logOf("control").error("a command failed", { command: name, error: String(error) });
    const why = isStorageFailure(error) ? `nothing was stored: ${storageFault(error)}` : String(error);
    return { exitCode: 1, stdout: "", stderr: `${name} failed: ${why}` };
  }
}

/** Asks the running service to run a command; undefined when none answers. `tell` is given what it says on the way. */
export async function askService(
  dataDir: string,
  name: string,
  { tell, ...invocation }: Invocation,
): Promise<Outcome | undefined> {
  const unix = controlSocketPath(dataDir);
  if (!existsSync(unix)) return undefined;
  try {
    const response = await fetch(`http://control/command/${encodeURIComponent(name)}`, {
      unix,
      method: "POST",
      body: JSON.stringify(invocation),
    });
    if (!response.ok) return undefined;
    return response.headers.get("content-type") === LINES
      ? await lastLine(response, tell)
      : ((await response.json()) as Outcome);
  } catch {
    return undefined;
  }
}

/** What a command that lasts came to; undefined where the service ended before it did. */
async function lastLine(response: Response, tell: Invocation["tell"]): Promise<Outcome | undefined> {
  const decoder = new TextDecoder();
  let rest = "";
  for await (const piece of response.body ?? []) {
    const lines = `${rest}${decoder.decode(piece, { stream: true })}`.split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) {
      const said = JSON.parse(line) as string | Outcome;
      if (typeof said !== "string") return said;
      tell?.(said);
    }
  }
  return undefined;
}

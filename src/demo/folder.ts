/** The folder of the demo: its data, what the demo needs to know to go on, and the mark by which both are told from anybody's own. */

import {
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import type { Invocation } from "../app/command.ts";
import { askService } from "../app/control.ts";
import { ROOT } from "../app/prepare.ts";
import { type Ids, randomToken } from "../base/base.ts";
import { processEnvironment, SAMPLE_MARK, SETTINGS } from "../base/config.ts";
import { httpRequest } from "../base/http_client.ts";
import type { HttpHandler } from "../base/http_handler.ts";
import { storageFault } from "../base/storage_fault.ts";
import { takeDataLock } from "../store/lock.ts";
import { PORTFOLIO } from "./portfolio.ts";

/** The demo cannot be shown; `message` is for a person, and says all there is to say. */
export class DemoFault extends Error {
  override readonly name = "DemoFault";
}

/** What a demo goes on with when it is started again. */
interface DemoState {
  /** Milliseconds since the epoch: the days of every story are told from this one. */
  readonly madeAt: number;
  /** Whether everything was filled in: a demo that was cut off before is begun anew. */
  isFilled: boolean;
  /** Whether the simulators are at other ports than the stored accounts name. */
  hasMoved: boolean;
  /** The newest day of which nightly reports were sent, as a day number. */
  sentUntil: number;
  readonly operator: { readonly name: string; readonly password: string };
  /** Tokens of the sites, by their ids. */
  readonly tokens: Readonly<Record<string, string>>;
  /** The first of the simulators' ports, which the stored accounts name. */
  simulatorsPort: number;
  /** Key files of the accounts, which the simulators know again. */
  keyFiles: readonly string[];
  /** Ids of the stored credentials: of most sites, and of the one whose key is refused. */
  credentials: Readonly<Record<string, string>>;
}

export interface DemoFolder {
  readonly path: string;
  /** Where the service has its data. */
  readonly dataDir: string;
  /** Whether there was a demo in it. */
  readonly isNew: boolean;
  readonly state: DemoState;
  /** Writes the state down, whole or not at all. */
  keep(): void;
}

const STATE = "demo.json";
const SAMPLE_WORDS = "All sites and figures in this folder are invented: bun run demo made them.\n";
const TOKEN_BYTES = 24;
const PASSWORD_BYTES = 12;

/**
 * Opens the demo in a folder, or makes one where there is none; `fresh` takes the one before away. Throws `DemoFault` where the folder
 * holds anything that no demo has made.
 */
export function openDemoFolder(
  path: string,
  { fresh, now, ids }: { readonly fresh: boolean; readonly now: number; readonly ids: Ids },
): DemoFolder {
  const file = join(path, STATE);
  const names = namesIn(path);
  if (names.length > 0 && !names.includes(STATE)) {
    throw new DemoFault(
      `${path} holds something and is no demo: nothing was touched. Move it away, or name another folder: bun run demo --folder <path>`,
    );
  }
  refuseWhileItRuns(join(path, "data"));
  const known = names.length === 0 ? undefined : readState(file);
  if (known?.isFilled === true && !fresh) return folderOf(path, false, known);
  try {
    rmSync(path, { recursive: true, force: true });
    mkdirSync(join(path, "data"), { recursive: true, mode: 0o700 });
    writeFileSync(join(path, "data", SAMPLE_MARK), SAMPLE_WORDS);
  } catch (error) {
    throw new DemoFault(
      `${path} cannot be made (${storageFault(error)}). To put it elsewhere: bun run demo --folder <path>`,
    );
  }
  const folder = folderOf(path, true, newState(now, ids));
  folder.keep();
  return folder;
}

/** What lies in the folder; where a file has its place, that file. */
function namesIn(path: string): readonly string[] {
  if (!existsSync(path)) return [];
  return statSync(path).isDirectory() ? readdirSync(path) : [path];
}

/** What a running service holds is neither taken away nor opened twice. */
function refuseWhileItRuns(dataDir: string): void {
  if (!existsSync(dataDir)) return;
  const lock = takeDataLock(dataDir);
  if (lock === undefined) throw new DemoFault(`a demo runs in ${dataDir} already: end it first`);
  lock.release();
}

function folderOf(path: string, isNew: boolean, state: DemoState): DemoFolder {
  const file = join(path, STATE);
  return {
    path,
    dataDir: join(path, "data"),
    isNew,
    state,
    keep: () => {
      writeFileSync(`${file}.new`, `${JSON.stringify(state, null, 2)}\n`, { mode: 0o600 });
      renameSync(`${file}.new`, file);
    },
  };
}

function newState(madeAt: number, ids: Ids): DemoState {
  return {
    madeAt,
    isFilled: false,
    hasMoved: false,
    sentUntil: 0,
    operator: { name: "demo", password: randomToken(ids, PASSWORD_BYTES) },
    tokens: Object.fromEntries(
      PORTFOLIO.filter(({ reports }) => reports !== undefined).map(({ id }) => [
        id,
        randomToken(ids, TOKEN_BYTES),
      ]),
    ),
    simulatorsPort: 0,
    keyFiles: [],
    credentials: {},
  };
}

/** What is there but cannot be read was cut off while it was made: the demo is begun anew. */
function readState(file: string): DemoState | undefined {
  try {
    return JSON.parse(readFileSync(file, "utf8")) as DemoState;
  } catch {
    return undefined;
  }
}

/** The commands of the Tower, asked of the demo's service over its control socket, as `bun run tower` asks them. */

/** How often a command is asked again while a run of the schedule, which may have begun too early, is under way. */
const MOST_ASKED = 300;
const ASKED_MS = 100;
const UNDER_WAY = 3;

/** Runs a command and answers what it printed. Throws `DemoFault` where it ends with another exit code than these, or none answers. */
export async function tower(
  dataDir: string,
  name: string,
  invocation: Invocation,
  exitCodes: readonly number[] = [0],
): Promise<string> {
  let outcome = await askService(dataDir, name, invocation);
  for (let asked = 1; outcome?.exitCode === UNDER_WAY && asked < MOST_ASKED; asked++) {
    await Bun.sleep(ASKED_MS);
    outcome = await askService(dataDir, name, invocation);
  }
  if (outcome === undefined) throw new DemoFault(`tower ${name}: the service does not answer`);
  if (!exitCodes.includes(outcome.exitCode)) throw new DemoFault(`tower ${name}: ${outcome.stderr}`);
  return outcome.stdout.trim();
}

/** The demo's calendar: events around the moment it was made, served over loopback. */

const DAY_MS = 86_400_000;
const NAME = "Trade calendar";

/** By how many days after the demo was made. */
const EVENTS = [
  ["fair", -20, "", "Travel fair"],
  ["rates", -6, "", "Ad network changes its rates"],
  ["sale", 4, "", "Autumn sale"],
  ["holiday", 11, "", "Public holiday"],
  ["letter", -28, "RRULE:FREQ=WEEKLY\r\n", "Newsletter to all customers"],
] as const;

function textOf(madeAt: number): string {
  const events = EVENTS.map(([uid, days, rule, title]) => {
    const day = new Date(madeAt + days * DAY_MS).toISOString().slice(0, 10).replaceAll("-", "");
    const start = rule === "" ? `;VALUE=DATE:${day}` : `;TZID=Europe/Berlin:${day}T090000`;
    return `BEGIN:VEVENT\r\nUID:${uid}\r\nDTSTART${start}\r\n${rule}SUMMARY:${title}\r\nEND:VEVENT\r\n`;
  });
  return `BEGIN:VCALENDAR\r\n${events.join("")}END:VCALENDAR\r\n`;
}

/** Serves it at a free port, which the Tower is told anew; the returned function ends that. */
export async function serveCalendar({ dataDir, state }: DemoFolder): Promise<() => void> {
  const fetch = () => new Response(textOf(state.madeAt));
  const server = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch });
  await tower(dataDir, "calendar remove", { args: [NAME] }, [0, 1]);
  const file = `http://127.0.0.1:${server.port}/trade.ics`;
  await tower(dataDir, "calendar add", { args: [NAME, "--file", "-"], file });
  await tower(dataDir, "job run", { args: ["calendars"] }, [0, 1]);
  return () => void server.stop(true);
}

/** Sending to a listener of the Tower, as a site does it: over HTTP, with its token. */

const PATIENCE_MS = 30_000;

/** Posts a body. Throws `DemoFault` with the answer where it was not taken. */
export type Post = (path: string, token: string, body: object) => Promise<void>;

const MOST_BYTES = 1_048_576;

/** Sends to what listens there, or hands it to `ask` where nothing listens yet. */
export function poster(origin: string, ask?: HttpHandler): Post {
  return async (path, token, body) => {
    const request = {
      url: `${origin}${path}`,
      method: "POST" as const,
      headers: {
        host: new URL(origin).host,
        authorization: `Bearer ${token}`,
        "content-type": "application/json",
      },
      body: JSON.stringify(body),
    };
    if (ask !== undefined) {
      const answer = await ask(new Request(request.url, request), () => "127.0.0.1");
      return taken(path, answer.status, await answer.text());
    }
    const answer = await httpRequest({ ...request, timeoutMs: PATIENCE_MS, maxBytes: MOST_BYTES });
    if (!answer.ok) throw new DemoFault(`${path} did not answer: ${answer.message}`);
    taken(path, answer.status, answer.text);
  };
}

function taken(path: string, status: number, text: string): void {
  if (status >= 300) throw new DemoFault(`${path} answered ${status}: ${text.slice(0, 400)}`);
}

/** Which ports are free. Somebody may take one between the look and its use; then the start of what needs it says so. */

/** How far from the usual ports others are looked for. */
const MOST_STEPS = 40;

function isFree(port: number): boolean {
  try {
    Bun.listen({ hostname: "127.0.0.1", port, socket: { data: () => undefined } }).stop(true);
    return true;
  } catch {
    return false;
  }
}

/** The first of `count` neighbouring ports that are all free: `usual`, or one some steps on. Throws `DemoFault` where there are none. */
export function freePorts(usual: number, count: number): number {
  for (let step = 0; step < MOST_STEPS; step++) {
    const first = usual + step * count;
    if (Array.from({ length: count }, (_, place) => first + place).every(isFree)) return first;
  }
  throw new DemoFault(
    `no ${count} neighbouring ports are free from ${usual} on. To look elsewhere: bun run demo --port <number>`,
  );
}

/** The service of the demo: the real one, as a process of its own, over the demo's folder. */

/** Longest wait until it listens, in milliseconds. */
const SERVICE_PATIENCE_MS = 60_000;
const LAST_LINES = 12;

export type DemoService = Awaited<ReturnType<typeof startDemoService>>;

/**
 * Starts it with these settings and waits until it listens. No setting of the environment reaches it: what is set for an operator's own
 * service is not meant for the demo's. Throws `DemoFault` with what it said where it ends instead.
 */
export async function startDemoService(folder: string, settings: Readonly<Record<string, string>>) {
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
  const timer = setTimeout(() => child.kill(), SERVICE_PATIENCE_MS);
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
    /** Resolves when it has ended, with its exit code. */
    ended,
    /** Asks it to end. Where a terminal has told it already, it is told twice. */
    stop: () => child.kill("SIGTERM"),
  };
}

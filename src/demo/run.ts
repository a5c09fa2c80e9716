/** The demo from its start to its end: simulated providers, the real service, a portfolio that is filled, and reports that keep coming. */

import { join, relative, resolve } from "node:path";
import { ROOT } from "../app/prepare.ts";
import { systemClock, systemIds } from "../base/base.ts";
import { asksHelp, type Given, helpText, readWords, shown } from "../base/command_line.ts";
import { messageOf } from "../base/text.ts";
import { fill, type StoryClock, sendLedger, storyClock } from "./fill.ts";
import {
  DemoFault,
  type DemoFolder,
  type DemoService,
  freePorts,
  openDemoFolder,
  poster,
  serveCalendar,
  startDemoService,
  tower,
} from "./folder.ts";
import { ACCOUNTS, BROKEN_REPORT, demoWorld, lastNight, NightlySender, SEED } from "./history.ts";
import { type Simulators, startSimulators } from "./simulator/simulators.ts";
import type { World } from "./simulator/world.ts";

const COMMAND = {
  name: "demo",
  takes: [],
  about: [
    "Shows the Tower over a portfolio of invented sites: the real service, beside simulated providers, in a folder of its own. Started again it goes on where it was. Ends with Ctrl-C.",
  ],
  options: {
    fresh: { says: "remove the earlier demo and make a new one" },
    port: { value: "<number>", says: "the first port to try; 4610 without it" },
    folder: { value: "<path>", says: "its folder; .demo in the checkout without it" },
  },
} as const;

const USUAL_FOLDER = resolve(ROOT, ".demo");
const USUAL_PORT = 4_610;
/** So that all that it takes lies below the largest port there is. */
const LAST_PORT = 65_000;
/** How far above the service's ports the simulators' are. */
const SIMULATORS_ABOVE = 10;
const SIMULATORS = 6;
/** Between two reports while it runs, in milliseconds. */
const NEXT_REPORT_MS = 60_000;
/** More than any demo sends. */
const UNBOUNDED = "1000000";

const say = (line: string) => process.stderr.write(`demo: ${line}\n`);

/** Runs the demo until it is told to end. Returns the exit code. */
export async function runDemo(words: readonly string[]): Promise<number> {
  if (asksHelp(words)) {
    process.stdout.write(`${helpText("bun run", COMMAND)}\n`);
    return 0;
  }
  const read = readWords(COMMAND, words);
  const fault = read.ok ? portFault(read.given.options.port) : read.fault;
  if (!read.ok || fault !== undefined) {
    say(`${fault} (bun run demo --help)`);
    return 2;
  }
  try {
    return await demo(read.given);
  } catch (error) {
    if (!(error instanceof DemoFault)) throw error;
    say(error.message);
    return 1;
  }
}

function portFault(port = String(USUAL_PORT)): string | undefined {
  const isPort = /^\d{1,5}$/.test(port) && Number(port) > 0 && Number(port) <= LAST_PORT;
  return isPort ? undefined : `--port is ${shown(port)}: it must be a whole number from 1 to ${LAST_PORT}`;
}

async function demo({ options }: Given<typeof COMMAND.options>): Promise<number> {
  const begun = performance.now();
  const now = () => systemClock.now();
  const folder = openDemoFolder(resolve(options.folder ?? USUAL_FOLDER), {
    fresh: options.fresh === true,
    now: now(),
    ids: systemIds,
  });
  const { state } = folder;
  const world = demoWorld(state.madeAt);
  const port = Number(options.port ?? USUAL_PORT);
  const clock = storyClock();
  const simulators = simulatorsOf(folder, world, clock, port + SIMULATORS_ABOVE);
  let service: DemoService | undefined;
  let endCalendar = () => {};
  const asked = stopAsked();
  try {
    const settings = settingsOf(folder, simulators, port);
    const work = async () => {
      const isNew = !state.isFilled;
      if (isNew) await fill({ folder, world, simulators, clock, settings, say });
      service = await startDemoService(folder.path, settings);
      const { towerUrl, ingestUrl, ended } = service;
      const shownUntilAsked = async () => {
        if (isNew) await sendLedger(folder, poster(towerUrl));
        else await meetAgain(folder);
        endCalendar = await serveCalendar(folder);
        const { madeAt, tokens } = state;
        const sender = new NightlySender({ madeAt, world, post: poster(ingestUrl), tokens });
        await catchUp(folder, sender, now());
        const seconds = Math.round((performance.now() - begun) / 1_000);
        process.stdout.write(greeting(folder, towerUrl, seconds));
        await keepSending(folder, sender, asked);
      };
      return Promise.race([shownUntilAsked(), ended]);
    };
    const over = await Promise.race([work(), asked]);
    if (typeof over !== "number") return 0;
    say(`the service ended with ${over}; its log is ${join(folder.path, "service.log")}`);
    return 1;
  } finally {
    service?.stop();
    await service?.ended;
    simulators.stop();
    endCalendar();
  }
}

/** At the ports of before, which the stored accounts name; elsewhere where somebody else has taken them. */
function simulatorsOf(folder: DemoFolder, world: World, clock: StoryClock, usual: number): Simulators {
  const { state } = folder;
  const port = freePorts(state.simulatorsPort || usual, SIMULATORS);
  const simulators = startSimulators({
    now: clock.now,
    seed: SEED,
    world,
    port,
    keepsConnections: true,
  });
  for (const keyFile of state.keyFiles) simulators.accounts.takeKeyFile(keyFile);
  if (port !== state.simulatorsPort) {
    state.simulatorsPort = port;
    state.hasMoved = state.isFilled;
    state.keyFiles = [
      simulators.serviceAccount({ account: ACCOUNTS.most }),
      simulators.serviceAccount({ account: ACCOUNTS.broken }),
    ];
    folder.keep();
  }
  // Nobody told the Tower of it.
  if (state.isFilled) simulators.accounts.rotateKey(ACCOUNTS.broken);
  simulators.script({ kind: "text", text: "no report" }, { ...BROKEN_REPORT, from: 0 });
  return simulators;
}

function settingsOf(
  { dataDir, state }: DemoFolder,
  simulators: Simulators,
  usual: number,
): Readonly<Record<string, string>> {
  const port = freePorts(usual, 2);
  return {
    ...simulators.settings,
    DATA_DIR: dataDir,
    INGEST_PORT: String(port),
    TOWER_PORT: String(port + 1),
    INGEST_BURST: UNBOUNDED,
    INGEST_PER_SECOND: UNBOUNDED,
    INGEST_BYTES_PER_DAY: "1000000000000",
    LOG_LEVEL: "warning",
    OUTBOUND_ALLOWED_HOSTS: "127.0.0.1",
    ASSET_TOKENS: Object.entries(state.tokens)
      .map(([asset, token]) => `${asset}:${token}`)
      .join(" "),
  };
}

/** A demo of before: where the simulators had to move, the accounts are told where they are now. */
async function meetAgain({ dataDir, state, keep }: DemoFolder): Promise<void> {
  if (!state.hasMoved) return;
  const [google = "", broken = ""] = state.keyFiles;
  for (const [id, file] of [
    [state.credentials["most"], google],
    [state.credentials["archive"], broken],
  ] as const) {
    await tower(dataDir, "credential add", {
      args: ["analytics", "--file", "-", "--replace", id ?? ""],
      file,
    });
  }
  state.hasMoved = false;
  keep();
}

/** Sends the nights that have come since it ran last. */
async function catchUp({ state, keep }: DemoFolder, sender: NightlySender, now: number): Promise<void> {
  const night = lastNight(now);
  if (night <= state.sentUntil) return;
  await sender.catchUp(state.sentUntil, now);
  state.sentUntil = night;
  keep();
}

/** Sends a report a minute, each site in its turn, until the demo is told to end. */
async function keepSending(folder: DemoFolder, sender: NightlySender, asked: Promise<void>): Promise<void> {
  let isAsked = false;
  void asked.then(() => {
    isAsked = true;
  });
  for (let turn = 0; !isAsked; turn++) {
    await Promise.race([Bun.sleep(NEXT_REPORT_MS), asked]);
    if (isAsked) return;
    try {
      await catchUp(folder, sender, systemClock.now());
      await sender.sendOne(turn, systemClock.now());
    } catch (error) {
      say(messageOf(error));
    }
  }
}

function greeting({ path, dataDir, state, isNew }: DemoFolder, towerUrl: string, seconds: number): string {
  const lines = [
    ["Tower", towerUrl],
    ["Sign in", `${state.operator.name} / ${state.operator.password}`],
    ["Data", `${shownPath(dataDir)}  (invented; bun run demo --fresh${whereWords(path)} makes a new one)`],
    ["Stop", "Ctrl-C"],
  ] as const;
  const told = lines.map(([name, value]) => `${name.padEnd(9)}${value}\n`).join("");
  const ready = isNew ? `is ready after ${seconds} seconds` : "goes on where it was";
  return `\nThe demo ${ready}: sample data of invented sites.\n${told}`;
}

/** What names the folder in a command, where it is not the usual one. */
function whereWords(path: string): string {
  return resolve(path) === USUAL_FOLDER ? "" : ` --folder ${shownPath(path)}`;
}

/** From here where it lies below, else from the root. */
function shownPath(path: string): string {
  const near = relative(process.cwd(), path);
  return near === "" || near.startsWith("..") ? resolve(path) : near;
}

function stopAsked(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => resolve());
  });
}

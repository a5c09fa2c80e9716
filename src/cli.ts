/**
 * The `tower` command. Commands that touch the data run in the running service, over its control socket; when none runs, this
 * process takes the data folder's lock and runs them itself. Never both.
 */
import {
  type Command,
  commandWith,
  done,
  helpOf,
  type Invocation,
  type Outcome,
  onlyReads,
} from "./command/contract.ts";
import type { DrillNeeds } from "./command/mod.ts";
import type { Deps } from "./deps.ts";
import { listed, wrapped } from "./lib/command_help.ts";
import { asksHelp, shown } from "./lib/command_line.ts";
import { didYouMean, nearest } from "./lib/near.ts";
import { type Config, processEnvironment, readConfig } from "./platform/config.ts";
import { ConfigError } from "./platform/setting.ts";
import { towerVersion } from "./platform/version.ts";

const SERVE = commandWith<void>()({
  name: "serve",
  summary: "run the service",
  takes: [],
  about: ["Runs the service. Every setting is an environment variable, listed in the README."],
  options: {},
  run: async () => {
    const { serve } = await import("./serve.ts");
    return { exitCode: await serve(), stdout: "", stderr: "" };
  },
});

const VERSION = commandWith<void>()({
  name: "version",
  summary: "print this release's version",
  takes: [],
  about: ["Prints this release's version; so does tower --version."],
  options: {},
  run: () => done(`tower ${towerVersion()}`),
});

/** The commands, and how each runs with the words after its own. */
interface Known {
  readonly name: string;
  readonly summary: string;
  /** Prints its help. */
  readonly help: () => number | Promise<number>;
  readonly run: (words: readonly string[]) => number | Promise<number>;
}

/** How long a command waits for its turn, and how often it asks, in milliseconds. */
const LONGEST_TURN = 5_000;
const TURN_ASKED = 50;

/** What tells a command that lasts to end. */
const STOP_SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

process.exitCode = await run(process.argv.slice(2));

async function run(words: readonly string[]): Promise<number> {
  const [first, ...rest] = words;
  // The service and the measuring load nothing of the other commands.
  if (first === SERVE.name && !asksHelp(rest)) return tell(await SERVE.run(undefined, { args: rest }));
  if (first === "measure") return measureHere(rest);
  if (first === "--version" && rest.length === 0) return tell(await VERSION.run(undefined, { args: [] }));
  const known = await knownCommands();
  const helpIsAsked = first === undefined || first === "help" || asksHelp(words);
  const named = helpIsAsked ? words.filter((word) => word !== "help" && !word.startsWith("-")) : words;
  const command = known.find(({ name }) => name === named.slice(0, name.split(" ").length).join(" "));
  if (command !== undefined) {
    return helpIsAsked ? command.help() : command.run(words.slice(command.name.split(" ").length));
  }
  const group = known.filter(({ name }) => name.startsWith(`${named[0]} `));
  if (named.length === 0) return print(0, overviewOf(known));
  if (helpIsAsked && named.length === 1 && group.length > 0) return print(0, overviewOf(group));
  if (named.length === 1 && group.length > 0) {
    const names = group.map(({ name }) => name).join(", ");
    return print(2, `tower ${named[0]} is not whole: ${names}\n\n${overviewOf(group)}`);
  }
  const asked = named.slice(0, 2).join(" ");
  return print(
    2,
    `tower has no command ${shown(asked)}${didYouMean(nearCommands(named, known))} (tower help lists them)`,
  );
}

/** The commands that were perhaps meant: by both words, else those of a first word that lies near. */
function nearCommands([first = "", second = ""]: readonly string[], known: readonly Known[]): string[] {
  const names = known.map(({ name }) => name);
  const whole = nearest(`${first} ${second}`.trimEnd(), names);
  if (whole.length > 0) return whole;
  const [start] = nearest(
    first,
    names.map((name) => name.split(" ")[0] ?? ""),
  );
  return names.filter((name) => name.split(" ")[0] === start);
}

function overviewOf(known: readonly Known[]): string {
  return [
    "Usage: tower <command>",
    listed(known.map(({ name, summary }) => [name, summary] as const)),
    wrapped("tower help <command>, or --help after any of them, says what it takes."),
  ].join("\n\n");
}

async function knownCommands(): Promise<readonly Known[]> {
  const { actionWrite, COMMANDS, drill, restore } = await import("./command/mod.ts");
  const known = <Needs>(command: Command<Needs>, go: Known["run"]): Known => ({
    name: command.name,
    summary: command.summary,
    help: () => print(0, helpOf(command)),
    // What is not understood is refused before anything is asked or read.
    run: (words) => {
      const fault = command.faultIn(words);
      return fault === undefined ? settled(() => go(words)) : tell(fault);
    },
  });
  const alone = (command: Command<void>) =>
    known(command, async (args) => tell(await command.run(undefined, { args, cwd: process.cwd() })));
  return [
    alone(SERVE),
    {
      name: "measure",
      summary: "measure a git checkout into a codebase report",
      help: () => measureHere(["--help"]),
      run: measureHere,
    },
    // It works on a checkout: neither the service nor its data is asked.
    alone(actionWrite),
    ...COMMANDS.map((command) => known(command, (words) => runCommand(command, words))),
    // It works on a data folder that holds nothing yet: no service is asked, and nothing is opened first.
    known(restore, async (args) =>
      tell(await restore.run(readConfig(processEnvironment()), { args, cwd: process.cwd() })),
    ),
    known(drill, async (args) => {
      const needs = { config: readConfig(processEnvironment()), open: openForDrill };
      const given = { args, cwd: process.cwd() };
      return tell(await stoppable((signal) => drill.run(needs, { ...given, signal })));
    }),
    alone(VERSION),
  ];
}

/** Opens what a drill restored as the service would, and looks at what only an opened one tells. */
async function openForDrill(config: Config): ReturnType<DrillNeeds["open"]> {
  const { configureLog } = await import("./platform/log.ts");
  await configureLog("error");
  const { openData } = await import("./boot.ts");
  const { deps, close } = await openData(config);
  const { credentials, store } = deps;
  const stored = credentials.list();
  const readable = stored.filter(({ id }) => credentials.canOpen(id)).length;
  return { store, accounts: { stored: stored.length, readable }, close };
}

async function measureHere(words: readonly string[]): Promise<number> {
  const { measureProcess } = await import("./measure/process.ts");
  return measureProcess(words);
}

async function runCommand(command: Command, args: readonly string[]): Promise<number> {
  const config = readConfig(processEnvironment());
  let invocation: Invocation = { args, cwd: process.cwd(), ...lookingOn(command) };
  const { DataFolderBusy, DataFolderFault, lookInto, refuseBereft } = await import("./data_folder.ts");
  try {
    const { isNew, left } = lookInto(config);
    refuseBereft(config.dataDir, left);
    if (isNew && command.setsUp !== true) {
      return print(
        1,
        `tower ${command.name}: DATA_DIR is ${config.dataDir}, which holds no data of Tower (no tower.db): set it to the folder that does`,
      );
    }
    if (command.wantsPassword === true) {
      const { readNewPassword } = await import("./command/mod.ts");
      const password = await readNewPassword();
      if (!password.ok) return print(2, password.fault);
      invocation = { ...invocation, password: password.password };
    }
    const named = command.fileIn?.(args);
    if (named !== undefined) {
      const { readGivenFile } = await import("./command/mod.ts");
      const file = await readGivenFile(named, command.fileBytes);
      if (!file.ok) return print(1, `tower ${command.name}: ${file.fault}`);
      invocation = { ...invocation, file: file.text };
    }
    const { outcome, waited } = await inTurn(() => elsewhereOrHere(config, command, invocation));
    // Data that was begun in the wrong place would be missed in the right one.
    const began = isNew && !waited;
    return tell(withNotice(began ? `A new installation was begun in ${config.dataDir}.` : "", outcome));
  } catch (error) {
    if (error instanceof DataFolderFault) {
      const unanswered =
        error instanceof DataFolderBusy ? ", and it does not answer on its control socket" : "";
      return print(1, `tower: ${error.message}${unanswered}`);
    }
    const { isStorageFailure, storageFault } = await import("./db/mod.ts");
    if (!isStorageFailure(error)) throw error;
    return print(1, `tower: ${command.name}: nothing was stored: ${storageFault(error)}`);
  }
}

/** A setting that is none ends a command with one line. */
async function settled(work: () => number | Promise<number>): Promise<number> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof ConfigError) return print(2, `tower: ${error.message}`);
    throw error;
  }
}

/** Commands that were called at once follow one another, and one that finds a service starting waits until that answers. */
async function inTurn(work: () => Promise<Outcome>): Promise<{ outcome: Outcome; waited: boolean }> {
  const { DataFolderBusy } = await import("./data_folder.ts");
  const began = performance.now();
  for (let waited = false; ; waited = true) {
    try {
      return { outcome: await work(), waited };
    } catch (error) {
      if (!(error instanceof DataFolderBusy) || performance.now() - began > LONGEST_TURN) throw error;
      await Bun.sleep(TURN_ASKED);
    }
  }
}

/** Who waits at a terminal is told how far a command that lasts is. A script's standard error holds what is wrong, and nothing else. */
function lookingOn(command: Command): Pick<Invocation, "tell"> {
  if (command.lasts !== true || !process.stderr.isTTY) return {};
  return { tell: (line) => void process.stderr.write(`${line}\n`) };
}

/** What a command did: in the service where one runs, else here. */
async function elsewhereOrHere(config: Config, command: Command, invocation: Invocation): Promise<Outcome> {
  const { askService } = await import("./control.ts");
  const answered = await askService(config.dataDir, command.name, invocation);
  if (answered !== undefined) return answered;
  const { configureLog } = await import("./platform/log.ts");
  await configureLog("warning");
  if (onlyReads(command)) {
    const { openForReading } = await import("./data_folder.ts");
    const { deps, notice, close } = openForReading(config);
    try {
      const run = (signal?: AbortSignal) => command.run(deps, { ...invocation, signal });
      return withNotice(notice, await (command.lasts === true ? stoppable(run) : run()));
    } finally {
      close();
    }
  }
  const { openData } = await import("./boot.ts");
  const opened = await openData(config);
  try {
    return command.lasts === true
      ? await lasting(opened.deps, command, invocation)
      : await command.run(opened.deps, invocation);
  } finally {
    opened.close();
  }
}

/** Runs a command that may take long: told to stop it does, and other commands find this process as they would a service. */
async function lasting(deps: Deps, command: Command, invocation: Invocation): Promise<Outcome> {
  const { serveControl } = await import("./control.ts");
  const control = serveControl(deps);
  try {
    return await stoppable((signal) => command.run(deps, { ...invocation, signal }));
  } finally {
    await control?.drain();
  }
}

/** Work that ends when this process is told to stop. Told a second time, the process ends as every process does. */
async function stoppable<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const asked = new AbortController();
  const stop = () => asked.abort();
  for (const signal of STOP_SIGNALS) process.once(signal, stop);
  try {
    return await work(asked.signal);
  } finally {
    for (const signal of STOP_SIGNALS) process.off(signal, stop);
  }
}

function withNotice(notice: string, outcome: Outcome): Outcome {
  return { ...outcome, stderr: [notice, outcome.stderr].filter((line) => line !== "").join("\n") };
}

/** Prints what a command did. */
function tell({ exitCode, stdout, stderr }: Outcome): number {
  if (stderr !== "") process.stderr.write(`${stderr}\n`);
  if (stdout !== "") process.stdout.write(`${stdout}\n`);
  return exitCode;
}

function print(exitCode: number, message: string): number {
  (exitCode === 0 ? process.stdout : process.stderr).write(`${message}\n`);
  return exitCode;
}

/**
 * Runs a command of `tower`. One that touches the data runs in the running service, over its control socket; when none runs, this
 * process takes the data folder's lock and runs it itself. Never both.
 */

import { statSync } from "node:fs";
import { join, resolve } from "node:path";
import { asksHelp, listed, shown, wrapped } from "../base/command_line.ts";
import { type Config, processEnvironment, readConfig } from "../base/config.ts";
import { isAssetId } from "../base/contract.ts";
import { configureLog } from "../base/log.ts";
import { ConfigError } from "../base/setting.ts";
import { isStorageFailure, storageFault } from "../base/storage_fault.ts";
import { byteWords, codeOf, countWords, didYouMean, nearest } from "../base/text.ts";
import { carriesParcel, parcelFor, planParcel, writeParcel } from "../measure/action/parcel.ts";
import { FORGES, SECRETS } from "../measure/action/workflow.ts";
import { listCredentials } from "../providers/credentials.ts";
import type { Deps } from "./app.ts";
import { type DrillNeeds, drill, restore } from "./backups.ts";
import {
  type Command,
  commandWith,
  done,
  helpOf,
  type Invocation,
  type Outcome,
  onlyReads,
  refused,
} from "./command.ts";
import { COMMANDS } from "./commands.ts";
import { askService, serveControl } from "./control.ts";
import {
  DataFolderBusy,
  DataFolderFault,
  inspectDataDir,
  openForReading,
  refuseMissingDatabase,
} from "./data_folder.ts";

/** A row of the table of commands: `run` gets the words after the command's own, and answers with the exit code. */
interface Row {
  readonly name: string;
  readonly summary: string;
  readonly help: () => number | Promise<number>;
  readonly run: (words: readonly string[]) => number | Promise<number>;
}

/** Where the repository lies, from the sources as from the bundle. */
const ROOT = join(import.meta.dir, "..", "..");

/** How long a command waits for its turn, and how often it asks, in milliseconds. */
const LONGEST_TURN = 5_000;
const TURN_ASKED = 50;

/** What tells a command that lasts to end. */
const STOP_SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

const SERVE = commandWith<void>()({
  name: "serve",
  summary: "run the service",
  about: ["Runs the service. Every setting is an environment variable, listed in .github/docs/settings.md."],
  // Without a further word, which is refused before this, cli.ts runs it.
  run: async () => ({ exitCode: await (await import("./serve.ts")).serve(), stdout: "", stderr: "" }),
});

/** Every command, in the order of the overview. */
function tableOf(measure: Row["run"]): readonly Row[] {
  const settings = () => readConfig(processEnvironment());
  const rowOf = <Needs>(command: Command<Needs>, run: (invocation: Invocation) => Promise<Outcome>): Row => ({
    name: command.name,
    summary: command.summary,
    help: () => print(helpOf(command)),
    // What is not understood is refused before anything is asked or read.
    run: async (args) =>
      tell(command.faultIn(args) ?? (await settled(() => run({ args, cwd: process.cwd() })))),
  });
  const alone = (command: Command<void>) => rowOf(command, (given) => command.run(undefined, given));
  return [
    alone(SERVE),
    {
      name: "measure",
      summary: "measure a git checkout into a codebase report",
      help: () => measure(["--help"]),
      run: measure,
    },
    // It works on a checkout: neither the service nor its data is asked.
    alone(actionWrite),
    ...COMMANDS.map((command) => rowOf(command, (given) => onData(settings(), command, given))),
    // They work on a folder that holds nothing yet: no service is asked, and nothing is opened first.
    rowOf(restore, (given) => restore.run(settings(), given)),
    rowOf(drill, (given) => {
      const needs = { config: settings(), open: openForDrill };
      return stoppable((signal) => drill.run(needs, { ...given, signal }));
    }),
  ];
}

/** Runs the command that the words name, or prints help. `measure` is run with the words after its own. */
export async function runCommandLine(words: readonly string[], measure: Row["run"]): Promise<number> {
  const table = tableOf(measure);
  const [first] = words;
  const helpIsAsked = first === undefined || first === "help" || asksHelp(words);
  const named = helpIsAsked ? words.filter((word) => word !== "help" && !word.startsWith("-")) : words;
  const row = table.find(({ name }) => name === named.slice(0, name.split(" ").length).join(" "));
  if (row !== undefined) return helpIsAsked ? row.help() : row.run(words.slice(row.name.split(" ").length));
  const group = table.filter(({ name }) => name.startsWith(`${named[0]} `));
  if (named.length === 0) return print(overviewOf(table));
  if (named.length === 1 && group.length > 0) {
    if (helpIsAsked) return print(overviewOf(group));
    const names = group.map(({ name }) => name).join(", ");
    return tell(failed(2, `tower ${named[0]} needs one more word: ${names}\n\n${overviewOf(group)}`));
  }
  const asked = named.slice(0, 2).join(" ");
  const near = didYouMean(
    nearest(
      asked,
      table.map(({ name }) => name),
    ),
  );
  return tell(failed(2, `tower has no command ${shown(asked)}${near} (tower help lists them)`));
}

function overviewOf(rows: readonly Row[]): string {
  return [
    "Usage: tower <command>",
    listed(rows.map(({ name, summary }) => [name, summary] as const)),
    wrapped("tower help <command>, or --help after a command, shows its options."),
  ].join("\n\n");
}

/** Runs a command on the data: in the service where one runs, else here. */
async function onData(config: Config, command: Command, given: Invocation): Promise<Outcome> {
  try {
    const { isNew, left } = inspectDataDir(config);
    refuseMissingDatabase(config.dataDir, left);
    if (isNew && command.setsUp !== true) {
      return failed(
        1,
        `tower ${command.name}: DATA_DIR is ${config.dataDir}, which holds no data of Tower (no tower.db): set it to the folder that does`,
      );
    }
    const gathered = await gather(command, given);
    if ("exitCode" in gathered) return gathered;
    return await inTurn(() => elsewhereOrHere(config, command, gathered));
  } catch (error) {
    if (error instanceof DataFolderFault) {
      const unanswered =
        error instanceof DataFolderBusy ? ", and it does not answer on its control socket" : "";
      return failed(1, `tower: ${error.message}${unanswered}`);
    }
    if (!isStorageFailure(error)) throw error;
    return failed(1, `tower: ${command.name}: nothing was stored: ${storageFault(error)}`);
  }
}

/** Reads what only the caller can: a password, a file. */
async function gather(command: Command, given: Invocation): Promise<Invocation | Outcome> {
  if (command.wantsPassword === true) {
    const password = await readNewPassword();
    return typeof password === "string" ? { ...given, password } : password;
  }
  const path = command.fileIn(given.args);
  if (path === undefined) return given;
  const file = await readGivenFile(path, command.fileBytes);
  return typeof file === "string" ? { ...given, file } : failed(1, `tower ${command.name}: ${file.fault}`);
}

/** A setting that is none ends a command with one line. */
async function settled(work: () => Promise<Outcome>): Promise<Outcome> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof ConfigError) return failed(2, `tower: ${error.message}`);
    throw error;
  }
}

/** Commands that were called at once follow one another, and one that finds a service starting waits until that answers. */
async function inTurn(work: () => Promise<Outcome>): Promise<Outcome> {
  const began = performance.now();
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof DataFolderBusy) || performance.now() - began > LONGEST_TURN) throw error;
      await Bun.sleep(TURN_ASKED);
    }
  }
}

async function elsewhereOrHere(config: Config, command: Command, given: Invocation): Promise<Outcome> {
  const answered = await askService(config.dataDir, command.name, given);
  if (answered !== undefined) return answered;
  await configureLog("warning");
  if (onlyReads(command)) {
    const { deps, notice, close } = openForReading(config);
    try {
      const run = (signal?: AbortSignal) => command.run(deps, { ...given, signal });
      return withNotice(notice, await (command.lasts === true ? stoppable(run) : run()));
    } finally {
      close();
    }
  }
  const { openData } = await import("./boot.ts");
  const { deps, isNew, close } = await openData(config);
  try {
    const outcome = await (command.lasts === true ? lasting(deps, command, given) : command.run(deps, given));
    // Data that was begun in the wrong place would be missed in the right one.
    return withNotice(isNew ? `A new installation was begun in ${config.dataDir}.` : "", outcome);
  } finally {
    close();
  }
}

/** Runs a command that may take long: told to stop it does, and other commands find this process as they would a service. */
async function lasting(deps: Deps, command: Command, given: Invocation): Promise<Outcome> {
  const control = serveControl(deps);
  try {
    return await stoppable((signal) => command.run(deps, { ...given, signal }));
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

/** Opens what a drill restored as the service would, and looks at what only an opened one tells. */
async function openForDrill(config: Config): ReturnType<DrillNeeds["open"]> {
  await configureLog("error");
  const { openData } = await import("./boot.ts");
  const { deps, close } = await openData(config);
  const { credentials, store } = deps;
  const stored = listCredentials(store.db);
  const readable = stored.filter(({ id }) => credentials.canOpen(id)).length;
  return { store, accounts: { stored: stored.length, readable }, close };
}

function withNotice(notice: string, outcome: Outcome): Outcome {
  return { ...outcome, stderr: [notice, outcome.stderr].filter((line) => line !== "").join("\n") };
}

function failed(exitCode: 1 | 2, stderr: string): Outcome {
  return { exitCode, stdout: "", stderr };
}

/** Prints what a command did. */
function tell({ exitCode, stdout, stderr }: Outcome): number {
  if (stderr !== "") process.stderr.write(`${stderr}\n`);
  if (stdout !== "") process.stdout.write(`${stdout}\n`);
  return exitCode;
}

const print = (text: string): number => tell(done(text));

// What a command is given by its caller beside its words: a new password, a file.

/** Reads a new password. On a terminal it is asked twice; elsewhere a second line, if there, must match. */
async function readNewPassword(): Promise<string | Outcome> {
  const differ = failed(2, "the two passwords are not the same");
  if (process.stdin.isTTY) {
    const password = await askHidden("New password: ");
    return password === (await askHidden("The same again: ")) ? password : differ;
  }
  const [first = "", second] = (await Bun.stdin.text()).split(/\r?\n/);
  if (first === "") return failed(2, "standard input holds no password on its first line");
  return first === (second || first) ? first : differ;
}

/** Reads one line from the terminal in raw mode, so that nothing of it is echoed. */
function askHidden(prompt: string): Promise<string> {
  const { stdin, stderr } = process;
  stderr.write(prompt);
  stdin.setRawMode(true);
  stdin.resume();
  stdin.setEncoding("utf8");
  return new Promise((resolve) => {
    let typed = "";
    const onData = (chunk: string) => {
      for (const char of chunk) {
        if (char === "\r" || char === "\n") {
          stdin.off("data", onData);
          stdin.setRawMode(false);
          stdin.pause();
          stderr.write("\n");
          resolve(typed);
          return;
        }
        if (char === "\u0003") process.exit(130);
        else if (char === "\u007f" || char === "\b") typed = [...typed].slice(0, -1).join("");
        else typed += char;
      }
    };
    stdin.on("data", onData);
  });
}

/** Several times the longest file that a provider makes. */
const MOST_BYTES = 65_536;

const FAULTS: Readonly<Record<string, string>> = {
  ENOENT: "there is no such file",
  EACCES: "it may not be read",
  EISDIR: "it is a folder: name a file, or - for standard input",
};

/** Reads it whole, within a bound; as base64 where one is given. No message repeats anything of it. */
export async function readGivenFile(
  path: string,
  most?: number,
): Promise<string | { readonly fault: string }> {
  const what = path === "-" ? "standard input" : shown(path);
  try {
    const read = Buffer.from(await (path === "-" ? Bun.stdin : Bun.file(path)).bytes());
    return read.length > (most ?? MOST_BYTES)
      ? { fault: `${what} holds more than ${byteWords(most ?? MOST_BYTES)}` }
      : read.toString(most === undefined ? "utf8" : "base64");
  } catch (error) {
    const code = codeOf(error);
    return { fault: `${what} cannot be read: ${FAULTS[code] ?? code}` };
  }
}

// The command that writes the measuring action into a checkout.

const PLACES: readonly string[] = [...FORGES.map(({ name }) => name), "gitlab"];

/** `action write`: works on a checkout alone, and asks neither the service nor its data. */
export const actionWrite = commandWith<void>()({
  name: "action write",
  summary: "write the measuring workflow into a checkout",
  takes: ["<checkout>"],
  about: [
    "Writes everything that a repository needs to measure itself: the action, the files of its image, and a workflow that calls it. The repository's own runner builds the image. Commit the files.",
    "Without --force, nothing is written when an existing file differs. These files are not measured.",
  ],
  options: {
    asset: { value: "<id>", says: "the site whose reports these are" },
    for: {
      value: "<place>",
      says: `where the repository is hosted: ${PLACES.join(", ")}; github is the default`,
    },
    force: { says: "overwrite existing files that differ" },
    "no-workflow": {
      says: "leave the workflow as it is; with --force, for an update of Tower after you changed it",
    },
  },
  judge: ({ options: { asset, for: place } }) => {
    if (asset === undefined) return "--asset is needed: the site's id";
    if (!isAssetId(asset)) return `${shown(asset)} is no site's id`;
    if (place === undefined || PLACES.includes(place)) return undefined;
    return `--for must be one of ${PLACES.join(", ")}${didYouMean(nearest(place, PLACES))}`;
  },
  run: async (_, { args: [folder = ""], options, cwd = "." }) => {
    const { asset = "", for: place = "github" } = options;
    const forge = FORGES.find(({ name }) => name === place) ?? "gitlab";
    const checkout = resolve(cwd, folder);
    if (statSync(checkout, { throwIfNoEntry: false })?.isDirectory() !== true) {
      return refused(`${checkout}: there is no such folder`);
    }
    if (!carriesParcel(ROOT)) return refused("this installation does not carry the action's files");
    const parcel = parcelFor(ROOT, forge, asset);
    const files = new Map(
      [...parcel.files].filter(([path]) => options["no-workflow"] !== true || path !== parcel.workflow),
    );
    return write(checkout, { ...parcel, files }, options.force === true);
  },
});

async function write(
  checkout: string,
  parcel: Parameters<typeof planParcel>[1],
  force: boolean,
): Promise<Outcome> {
  const plan = planParcel(checkout, parcel);
  if (plan.barred.length > 0) {
    return refused(`nothing was written: a link or a folder stands in the way of ${firstOf(plan.barred)}`);
  }
  const lost = [...plan.differ, ...plan.left];
  if (lost.length > 0 && !force) {
    return refused(
      `nothing was written: already there, and different: ${firstOf(lost)}\n--force writes over them; add --no-workflow to keep the workflow`,
    );
  }
  await writeParcel(checkout, parcel, plan);
  const count = plan.written.length + plan.differ.length;
  const removed = plan.left.length === 0 ? "" : `, ${plan.left.length} removed`;
  return done(
    [...parcel.files.keys()].filter((path) => !path.startsWith(`${parcel.image}/`)).join("\n"),
    [
      `${countWords(count, "file")} written${removed}, ${plan.same.length} already the same; the image's are in ${parcel.image}.`,
      `Commit them, and set the repository's secrets ${SECRETS.ingest} and ${SECRETS.token}: the site's page in the Tower says what to. Without them the report is kept as an artifact.`,
    ].join("\n"),
  );
}

function firstOf(paths: readonly string[]): string {
  const most = 10;
  const more = paths.length > most ? `, and ${paths.length - most} more` : "";
  return `${paths.slice(0, most).join(", ")}${more}`;
}

/**
 * The `tower` command. Commands that touch the data run in the running service, over its control socket; when none runs, this
 * process takes the data folder's lock and runs them itself. Never both.
 */
import type { Command, Invocation, Outcome } from "./command/contract.ts";
import type { actionWrite as ActionWrite, restore as Restore } from "./command/mod.ts";
import { processEnvironment, readConfig } from "./platform/config.ts";
import { ConfigError } from "./platform/setting.ts";
import { towerVersion } from "./platform/version.ts";

const FREE_COMMANDS = [
  { name: "serve", summary: "run the service" },
  { name: "measure", summary: "measure a git checkout into a codebase report" },
];

const SERVE_HELP = `Usage: tower serve

Runs the service. It takes no arguments: every setting is an environment variable, listed in the README.`;

process.exitCode = await run(process.argv.slice(2));

async function run(words: readonly string[]): Promise<number> {
  const [first, ...rest] = words;
  if (first === "version" || first === "--version") return fail(0, `tower ${towerVersion()}`);
  if (first === "serve") {
    if (rest.length > 0) return fail(rest.includes("--help") ? 0 : 2, SERVE_HELP);
    const { serve } = await import("./serve.ts");
    return serve();
  }
  if (first === "measure") {
    const { measureProcess } = await import("./measure/process.ts");
    return measureProcess(rest);
  }
  const { actionWrite, COMMANDS, restore } = await import("./command/mod.ts");
  if (first === "restore") return runRestore(restore, rest);
  if (words.slice(0, 2).join(" ") === actionWrite.name) return runActionWrite(actionWrite, words.slice(2));
  const command = COMMANDS.find(({ name }) => name === words.slice(0, name.split(" ").length).join(" "));
  if (command === undefined) {
    const asksHelp = first === undefined || first === "--help" || first === "help";
    const known = [...FREE_COMMANDS, actionWrite, ...COMMANDS, restore].map(
      ({ name, summary }) => `  ${name.padEnd(16)} ${summary}`,
    );
    const overview = `Usage: tower <command> [--help]\n\n${known.join("\n")}`;
    if (asksHelp) {
      process.stdout.write(`${overview}\n`);
      return 0;
    }
    const group = [actionWrite, ...COMMANDS]
      .filter(({ name }) => name.startsWith(`${first} `))
      .map(({ name }) => name);
    const hint =
      group.length > 0
        ? `tower ${first} is not whole: ${group.join(", ")}`
        : `tower has no command ${words.join(" ")}`;
    return fail(2, `${hint}\n\n${overview}`);
  }
  return runCommand(command, words.slice(command.name.split(" ").length));
}

async function runCommand(command: Command, args: readonly string[]): Promise<number> {
  if (args.includes("--help")) {
    process.stdout.write(`${command.help}\n`);
    return 0;
  }
  try {
    const config = readConfig(processEnvironment());
    let invocation: Invocation = { args, cwd: process.cwd() };
    if (command.wantsPassword) {
      const { readNewPassword } = await import("./command/mod.ts");
      const password = await readNewPassword();
      if (!password.ok) return fail(2, password.fault);
      invocation = { ...invocation, password: password.password };
    }
    return print(await elsewhereOrHere(config, command, invocation));
  } catch (error) {
    if (error instanceof ConfigError) return fail(2, `tower: ${error.message}`);
    const { isStorageFailure, storageFault } = await import("./db/mod.ts");
    if (!isStorageFailure(error)) throw error;
    return fail(1, `tower: ${command.name}: nothing was stored: ${storageFault(error)}`);
  }
}

/** Works on a checkout alone: neither the service nor its data is asked. */
async function runActionWrite(actionWrite: typeof ActionWrite, args: readonly string[]): Promise<number> {
  if (args.includes("--help")) return fail(0, actionWrite.help);
  return print(await actionWrite.run({ args, cwd: process.cwd() }));
}

/** Restoring works on a data folder that holds nothing yet: no service is asked, and nothing is opened first. */
async function runRestore(restore: typeof Restore, args: readonly string[]): Promise<number> {
  if (args.includes("--help")) return fail(0, restore.help);
  try {
    return print(await restore.run(readConfig(processEnvironment()), { args, cwd: process.cwd() }));
  } catch (error) {
    if (error instanceof ConfigError) return fail(2, `tower: ${error.message}`);
    throw error;
  }
}

async function elsewhereOrHere(
  config: ReturnType<typeof readConfig>,
  command: Command,
  invocation: Invocation,
): Promise<Outcome> {
  const { askService } = await import("./control.ts");
  const answered = await askService(config.dataDir, command.name, invocation);
  if (answered !== undefined) return answered;
  const { configureLog } = await import("./platform/log.ts");
  await configureLog("warning");
  const { onlyReads } = await import("./command/mod.ts");
  const { DataFolderBusy, DataFolderFault, openForReading } = await import("./data_folder.ts");
  try {
    if (onlyReads(command)) {
      const { deps, notice, close } = openForReading(config);
      try {
        const outcome = await command.run(deps, invocation);
        return { ...outcome, stderr: [notice, outcome.stderr].filter((line) => line !== "").join("\n") };
      } finally {
        close();
      }
    }
    const { openData } = await import("./boot.ts");
    const opened = await openData(config);
    try {
      return await command.run(opened.deps, invocation);
    } finally {
      opened.close();
    }
  } catch (error) {
    if (!(error instanceof DataFolderFault)) throw error;
    const unanswered =
      error instanceof DataFolderBusy ? ", and it does not answer on its control socket" : "";
    return { exitCode: 1, stdout: "", stderr: `tower: ${error.message}${unanswered}` };
  }
}

function print({ exitCode, stdout, stderr }: Outcome): number {
  if (stderr !== "") process.stderr.write(`${stderr}\n`);
  if (stdout !== "") process.stdout.write(`${stdout}\n`);
  return exitCode;
}

function fail(exitCode: number, message: string): number {
  (exitCode === 0 ? process.stdout : process.stderr).write(`${message}\n`);
  return exitCode;
}

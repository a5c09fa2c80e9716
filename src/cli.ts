/** The `tower` command. The service and the measuring load nothing of the other commands, which `run_command.ts` has. */

import { towerVersion } from "./base/version.ts";

process.exitCode = await run(process.argv.slice(2));

async function run(words: readonly string[]): Promise<number> {
  const [first, ...rest] = words;
  if (first === "measure") return measure(rest);
  if (first === "serve" && rest.length === 0) return serve();
  if (first === "--version" && rest.length === 0) {
    process.stdout.write(`tower ${towerVersion()}\n`);
    return 0;
  }
  const { loadCommands, ROOT } = await import("./app/prepare.ts");
  return (await loadCommands(ROOT)).runCommandLine(words, measure);
}

async function serve(): Promise<number> {
  const { loadService, ROOT } = await import("./app/prepare.ts");
  return (await loadService(ROOT)).serve();
}

async function measure(words: readonly string[]): Promise<number> {
  return (await import("./measure/process.ts")).measureProcess(words);
}

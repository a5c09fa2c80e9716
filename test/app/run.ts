/** Runs a command on an opened folder, as the service and the command line do, or a whole command line. */

import { expect, spyOn } from "bun:test";
import type { Opened } from "../../src/app/boot.ts";
import type { Outcome } from "../../src/app/command.ts";
import { COMMANDS } from "../../src/app/commands.ts";
import { runCommandLine } from "../../src/app/run_command.ts";
import { measureProcess } from "../../src/measure/process.ts";
import { brief } from "../support/brief.ts";

type Asked = readonly [
  opened: Pick<Opened, "deps">,
  words: string,
  cwd?: string,
  file?: string,
  password?: string,
  signal?: AbortSignal,
];

/** Runs `words`, a command's name and its arguments, with what its file holds. Throws when there is no such command. */
export function call(...[{ deps }, words, cwd, file, password, signal]: Asked): Promise<Outcome> {
  const command = COMMANDS.find(({ name }) => `${words} `.startsWith(`${name} `));
  if (command === undefined) throw new Error(`there is no command ${words}`);
  const args = words
    .slice(command.name.length)
    .split(" ")
    .filter((word) => word !== "");
  return command.run(deps, { args, cwd, file, password, signal });
}

/** The same in a test, beside which all that the command said is recorded, also what the test does not ask of it. */
export async function run(...asked: Asked): Promise<Outcome> {
  const outcome = await call(...asked);
  const { exitCode, stdout, stderr } = outcome;
  const said = timeless(`${exitCode} ${stdout}\n! ${stderr}`, asked[0].deps.config.dataDir);
  expect(brief(said, 3_000)).toMatchSnapshot();
  return outcome;
}

/** Ids of tokens that were issued. */
const issued = new Set<string>();

/** Without what differs from run to run: moments, ids, folders, ports, sizes and how long it took. */
function timeless(text: string, folder: string): string {
  for (const [, id = ""] of text.matchAll(/\bsm[tc]_(\w{8})_/g)) issued.add(id);
  return [...issued]
    .reduce((rest, id) => rest.replaceAll(id, "TOKEN-ID"), text)
    .replaceAll(folder, "/data")
    .replaceAll(/\/(?:tmp|dev\/shm)\/[\w./-]+/g, "/elsewhere")
    .replaceAll(/\bsm([tc])_[\w-]+/g, "sm$1_TOKEN")
    .replaceAll(/\b[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f-]{21}\b|\b[0-9a-f]{16,64}\b/g, "ID")
    .replaceAll(/\b20\d\d-\d\d(?:-\d\d)?(?:[T ]\d\d:\d\d)?(?::\d\d\.\d+Z)?/g, "TIME")
    .replaceAll(
      /\b\d{1,2} (?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)\b(?: 20\d\d)?(?:,? \d\d:\d\d)?/g,
      "TIME",
    )
    .replaceAll(/\b(127\.0\.0\.1|localhost):\d+/g, "$1:PORT")
    .replaceAll(/\b[\d.]+ [KM]iB\b|\b\d+\.\d s\b/g, "SIZE");
}

/** What this process says to the words of a command line; `settings` are of its environment meanwhile. */
export async function answered(words: readonly string[], settings: Readonly<Record<string, string>> = {}) {
  const said = { out: "", err: "" };
  const hear = (name: keyof typeof said, stream: NodeJS.WriteStream) =>
    spyOn(stream, "write").mockImplementation((text) => {
      said[name] += text;
      return true;
    });
  const heard = [hear("out", process.stdout), hear("err", process.stderr)];
  const before = { ...process.env };
  Object.assign(process.env, settings);
  try {
    const code = await runCommandLine(words, measureProcess);
    return { code, ...said };
  } finally {
    for (const door of heard) door.mockRestore();
    for (const name of Object.keys(settings)) delete process.env[name];
    Object.assign(process.env, before);
  }
}

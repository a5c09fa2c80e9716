/** Runs a command on an opened folder, as the service and the command line do. */

import type { Opened } from "../../src/app/boot.ts";
import type { Outcome } from "../../src/app/command.ts";
import { COMMANDS } from "../../src/app/commands.ts";

/** Runs `words`, a command's name and its arguments, with what its file holds. Throws when there is no such command. */
export async function run(
  { deps }: Pick<Opened, "deps">,
  words: string,
  cwd?: string,
  file?: string,
  password?: string,
): Promise<Outcome> {
  const command = COMMANDS.find(({ name }) => `${words} `.startsWith(`${name} `));
  if (command === undefined) throw new Error(`there is no command ${words}`);
  const args = words
    .slice(command.name.length)
    .split(" ")
    .filter((word) => word !== "");
  return command.run(deps, { args, cwd, file, password });
}

import { parseArgs } from "node:util";
import { compareModel, type Difference, mendModel, READ_MODELS } from "../rebuild/mod.ts";
import { type Command, done, usage } from "./contract.ts";

const help = `Usage: tower rebuild [--check]

Makes the read models anew from the append-only tables: flags and their snoozes from the flags' records, readings and freshness
from the nightly reports. Says what differed. Exit code 0 when every read model is now what it is made of.

  --check   only compares; exit code 1 when something differs`;

/** Most differences named of one read model. */
const MOST_NAMED = 20;

/** `rebuild`. */
export const rebuild: Command = {
  name: "rebuild",
  summary: "make the read models anew from the records",
  help,
  wantsPassword: false,
  run: async (deps, { args }) => {
    let onlyCheck: boolean;
    try {
      const { values } = parseArgs({ args: [...args], options: { check: { type: "boolean" } } });
      onlyCheck = values.check ?? false;
    } catch (error) {
      return usage(rebuild, error instanceof Error ? error.message : "the arguments are not understood");
    }
    const lines: string[] = [];
    let isRight = true;
    for (const model of READ_MODELS) {
      if (onlyCheck) {
        const found = await compareModel(model, deps.store.db);
        lines.push(found.length === 0 ? `ok       ${model.name}` : `DIFFERS  ${model.name}`, ...named(found));
        isRight &&= found.length === 0;
      } else {
        const { found, left } = await mendModel(model, deps);
        if (found.length === 0) lines.push(`ok       ${model.name}`);
        else if (left.length === 0) lines.push(`REBUILT  ${model.name}`, ...named(found));
        else lines.push(`FAULT    ${model.name} cannot be rebuilt where it differs`, ...named(left));
        isRight &&= left.length === 0;
      }
    }
    const stdout = lines.join("\n");
    return isRight ? done(stdout) : { exitCode: 1, stdout, stderr: "" };
  },
};

function named(differences: readonly Difference[]): string[] {
  const more = differences.length - MOST_NAMED;
  return [
    ...differences.slice(0, MOST_NAMED).map(({ text }) => `         ${text}`),
    ...(more > 0 ? [`         and ${more} more`] : []),
  ];
}

import { DamagedRow } from "../db/mod.ts";
import type { Deps } from "../deps.ts";
import { compareModel, type Difference, mendModel, READ_MODELS, type ReadModel } from "../rebuild/mod.ts";
import { type Command, command, done } from "./contract.ts";

/** Most differences named of one read model. */
const MOST_NAMED = 20;

/** `rebuild`. */
export const rebuild: Command = command({
  name: "rebuild",
  summary: "make the read models anew from the records",
  takes: [],
  about: [
    "Makes the read models anew from the append-only tables: flags and their snoozes from the flags' records, readings and freshness from the nightly reports, provider signals from what was told of them, how archived reports stand from their attempts. Says what differed. Exit code 0 when every read model is now what it is made of.",
  ],
  options: { check: { says: "only compares; exit code 1 when something differs" } },
  run: async (deps, { options: { check: onlyCheck = false } }) => {
    const lines: string[] = [];
    let isRight = true;
    for (const model of READ_MODELS) {
      const said = await (onlyCheck ? compared(model, deps) : rebuilt(model, deps)).catch(unreadable(model));
      lines.push(...said.lines);
      isRight &&= said.isRight;
    }
    const stdout = lines.join("\n");
    return isRight ? done(stdout) : { exitCode: 1, stdout, stderr: "" };
  },
});

interface Said {
  readonly lines: readonly string[];
  readonly isRight: boolean;
}

async function compared(model: ReadModel, deps: Deps): Promise<Said> {
  const found = await compareModel(model, deps.store.db);
  const isRight = found.length === 0;
  return { lines: [isRight ? `ok       ${model.name}` : `DIFFERS  ${model.name}`, ...named(found)], isRight };
}

async function rebuilt(model: ReadModel, deps: Deps): Promise<Said> {
  const { name } = model;
  const { found, left } = await mendModel(model, deps);
  if (found.length === 0) return { lines: [`ok       ${name}`], isRight: true };
  return left.length === 0
    ? { lines: [`REBUILT  ${name}`, ...named(found)], isRight: true }
    : { lines: [`FAULT    ${name} cannot be rebuilt where it differs`, ...named(left)], isRight: false };
}

/** What a model is made of may be damaged: that is told, and keeps no other model from being looked at. */
function unreadable({ name }: ReadModel) {
  return (error: unknown): Said => {
    if (!(error instanceof DamagedRow)) throw error;
    return {
      lines: [`FAULT    ${name} cannot be compared with their source`, `         ${error.message}`],
      isRight: false,
    };
  };
}

function named(differences: readonly Difference[]): string[] {
  const more = differences.length - MOST_NAMED;
  return [
    ...differences.slice(0, MOST_NAMED).map(({ text }) => `         ${text}`),
    ...(more > 0 ? [`         and ${more} more`] : []),
  ];
}

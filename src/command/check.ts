import { checkEverything } from "../check/mod.ts";
import { type Command, done, usage } from "./contract.ts";

const help = `Usage: tower check

Checks the integrity of everything stored: the database file, foreign keys, the schema, append-only triggers, the
audit's chain of hashes, reports against their revisions, readings against reports, and flags against their records. Changes nothing.
Exit code 0 when nothing is wrong, 1 when something is.`;

/** `check`. */
export const check: Command = {
  name: "check",
  summary: "check the integrity of everything",
  help,
  wantsPassword: false,
  run: (deps, { args }) => {
    if (args.length > 0) return usage(check, "check takes no arguments");
    const findings = checkEverything(deps.store);
    const lines = findings.map(({ what, faults }) =>
      faults.length === 0
        ? `ok      ${what}`
        : [`FAULT   ${what}`, ...faults.map((fault) => `        ${fault}`)].join("\n"),
    );
    const faulty = findings.some(({ faults }) => faults.length > 0);
    return faulty ? { exitCode: 1, stdout: lines.join("\n"), stderr: "" } : done(lines.join("\n"));
  },
};

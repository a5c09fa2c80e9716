import { checkOnWorker } from "../check/mod.ts";
import { onOneLine } from "../lib/one_line.ts";
import { done, type ReadOnlyCommand, readOnlyCommand } from "./contract.ts";

/** `check`. */
export const check: ReadOnlyCommand = readOnlyCommand({
  name: "check",
  summary: "check the integrity of everything",
  takes: [],
  about: [
    "Checks the integrity of everything stored: the database file, foreign keys, the whole schema, every appended row against its digest, the audit's chain of hashes and who wrote it, constants documents, reports against their revisions, readings against reports, flags against their records, and every object that the archive's manifest names, wherever RAW_SIGNALS says that they lie.",
    "Changes nothing, and works beside a running service, on a database too damaged to start with, and in a folder that cannot be written. Exit code 0 when nothing is wrong, 1 when something is.",
  ],
  options: {},
  run: async ({ store, keys, config }) => {
    const findings = await checkOnWorker(store.path, keys?.forPurpose("audit"), config);
    const lines = findings.map(({ what, faults, notes }) =>
      [
        `${faults.length === 0 ? "ok   " : "FAULT"}   ${what}`,
        ...[...faults, ...notes].map((line) => `        ${onOneLine(line)}`),
      ].join("\n"),
    );
    const faulty = findings.some(({ faults }) => faults.length > 0);
    return faulty ? { exitCode: 1, stdout: lines.join("\n"), stderr: "" } : done(lines.join("\n"));
  },
});

/** Commands that look whether what is stored is sound. */

import { askObjects } from "../archive/scrub.ts";
import {
  faultLines,
  isNothing,
  noteLines,
  readWords,
  recordLooked,
  type Verification,
} from "../archive/verify_events.ts";
import { terminalJson } from "../base/command_line.ts";
import { DamagedRow } from "../base/storage_fault.ts";
import { onOneLine } from "../base/text.ts";
import { checkOnWorker, compareModel, mendModel, READ_MODELS } from "../keep/keep.ts";
import { StoreFault } from "../store/objects.ts";
import type { AnyReadModel, Difference } from "../store/read_model.ts";
import type { Deps } from "./app.ts";
import { command, done, type Outcome, readOnlyCommand, refused } from "./command.ts";

export const check = readOnlyCommand({
  name: "check",
  summary: "check the integrity of everything",
  about: [
    "Checks the integrity of everything stored: the database file, foreign keys, the whole schema, the audit's chain of hashes and who wrote it, constants documents, reports against their revisions, readings against reports, flags against their records, and every object that the archive's manifest names, wherever RAW_SIGNALS says that they lie.",
    "Changes nothing, and works beside a running service, on a database too damaged to start with, and in a folder that cannot be written. Exit code 0 when nothing is wrong, 1 when something is.",
  ],
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

/** Most differences named of one read model. */
const MOST_NAMED = 20;

export const rebuild = command({
  name: "rebuild",
  summary: "make the read models anew from the records",
  about: [
    "Makes the read models anew from the append-only tables: flags and their snoozes from the flags' records, readings and freshness from the nightly reports, provider signals from what was told of them, how archived reports stand from their attempts. Says what differed. Exit code 0 when every read model is now what it is made of.",
  ],
  options: { check: { says: "only compares; exit code 1 when something differs" } },
  run: async (deps, { options: { check: onlyCheck = false } }) => {
    const lines: string[] = [];
    let isRight = true;
    for (const model of READ_MODELS) {
      const found = await (onlyCheck ? compared(model, deps) : rebuilt(model, deps)).catch(unreadable(model));
      lines.push(...found.lines);
      isRight &&= found.isRight;
    }
    const stdout = lines.join("\n");
    return isRight ? done(stdout) : { exitCode: 1, stdout, stderr: "" };
  },
});

interface Said {
  readonly lines: readonly string[];
  readonly isRight: boolean;
}

const said = (
  word: string,
  text: string,
  isRight: boolean,
  differences: readonly Difference[] = [],
): Said => ({
  lines: [`${word.padEnd(9)}${text}`, ...named(differences)],
  isRight,
});

async function compared(model: AnyReadModel, deps: Deps): Promise<Said> {
  const found = await compareModel(model, deps.store.db);
  const isRight = found.length === 0;
  return said(isRight ? "ok" : "DIFFERS", model.name, isRight, found);
}

async function rebuilt(model: AnyReadModel, deps: Deps): Promise<Said> {
  const { name } = model;
  const { found, left } = await mendModel(model, deps);
  if (left.length > 0) return said("FAULT", `${name} cannot be rebuilt where it differs`, false, left);
  return said(found.length === 0 ? "ok" : "REBUILT", name, true, found);
}

/** What a model is made of may be damaged: that is told, and keeps no other model from being looked at. */
const unreadable =
  ({ name }: AnyReadModel) =>
  (error: unknown): Said => {
    if (!(error instanceof DamagedRow)) throw error;
    return said("FAULT", `${name} cannot be compared with their source\n         ${error.message}`, false);
  };

function named(differences: readonly Difference[]): string[] {
  const more = differences.length - MOST_NAMED;
  return [
    ...differences.slice(0, MOST_NAMED).map(({ text }) => `         ${text}`),
    ...(more > 0 ? [`         and ${more} more`] : []),
  ];
}

/** Objects after which is told how far it is. */
const TOLD_EVERY = 1_024;

export const archiveVerify = command({
  name: "archive verify",
  summary: "read every archived object anew and name what is wrong",
  lasts: true,
  about: [
    "Reads every object that the archive's manifest names, wherever RAW_SIGNALS says that they lie, and compares its length, the digest of its stored bytes, and the digest of what it holds, which is its name. Names each that is damaged or missing, with the sites, report families and dates that it is of. Reads the manifest files beside the objects, too: the next run of the archive writes a damaged or missing one again.",
    "What is found stands on the archive page, too, and lasts until the object is whole again. Objects that no row names, and what half-written ones left, are counted as notes. Removes nothing.",
    "Works beside a running service, and without one. Exit code 0 when every object is whole, 1 when one is not, or when the archive cannot be reached.",
  ],
  options: { json: { says: "one JSON document on standard output" } },
  run: async (deps, { options: { json = false }, signal, tell }) => {
    try {
      let toldOf = 0;
      for await (const told of askObjects(deps, "everything")) {
        if (signal?.aborted === true) break;
        if ("verification" in told) return verified(told.verification, json);
        if (!("looked" in told)) continue;
        const { looked, done, of } = told;
        if (!isNothing(looked)) {
          await deps.writer.write((tx) => recordLooked(tx, looked, deps.clock.now()));
        }
        if (done - toldOf < TOLD_EVERY || of === undefined) continue;
        toldOf = done;
        tell?.(`${done} of ${of} objects`);
      }
      return refused("archive verify was stopped; what was found until then is noted");
    } catch (error) {
      if (error instanceof StoreFault) return refused(error.message);
      throw error;
    }
  },
});

function verified(found: Verification, json: boolean): Outcome {
  const faults = faultLines(found);
  const lines = [
    ...faults.map((line) => `FAULT   ${line}`),
    ...noteLines(found).map((line) => `note    ${line}`),
    `${faults.length === 0 ? "ok      " : "        "}${readWords(found)}`,
  ];
  const stdout = json ? terminalJson(found) : lines.join("\n");
  return { exitCode: faults.length === 0 ? 0 : 1, stdout, stderr: "" };
}

import {
  askObjects,
  faultLines,
  isNothing,
  noteLines,
  noteLooked,
  readWords,
  type Verification,
} from "../archive/mod.ts";
import type { Deps } from "../deps.ts";
import { terminalJson } from "../lib/terminal_table.ts";
import { StoreFault } from "../objects/mod.ts";
import { type Command, command, type Outcome, refused } from "./contract.ts";

/** Objects after which is told how far it is. */
const TOLD_EVERY = 1_024;

/** `archive verify`. */
export const archiveVerify: Command = command({
  name: "archive verify",
  summary: "read every archived object anew and name what is wrong",
  takes: [],
  lasts: true,
  about: [
    "Reads every object that the archive's manifest names, wherever RAW_SIGNALS says that they lie, and compares its length, the digest of its stored bytes, and the digest of what it holds, which is its name. Names each that is damaged or missing, with the sites, report families and dates that it is of. Reads the manifest files beside the objects, too: the next run of the archive writes a damaged or missing one again.",
    "What is found stands on the archive page, too, and lasts until the object is whole again. Objects that no row names, and what half-written ones left, are counted as notes. Removes nothing.",
    "Works beside a running service, and without one. Exit code 0 when every object is whole, 1 when one is not, or when the archive cannot be reached.",
  ],
  options: { json: { says: "one JSON document on standard output" } },
  run: async (deps, { options: { json = false }, signal, tell }) => {
    try {
      const found = await verified(deps, signal, tell);
      if (found === undefined)
        return refused("archive verify was stopped; what was found until then is noted");
      return json ? asJson(found) : asLines(found);
    } catch (error) {
      if (error instanceof StoreFault) return refused(error.message);
      throw error;
    }
  },
});

/** Undefined where it was stopped. */
async function verified(
  deps: Deps,
  signal: AbortSignal | undefined,
  tell: ((line: string) => void) | undefined,
): Promise<Verification | undefined> {
  let toldOf = 0;
  for await (const told of askObjects(deps, { what: "everything" })) {
    if (signal?.aborted === true) return undefined;
    if ("verification" in told) return told.verification;
    if (!("looked" in told)) continue;
    const { looked, done, of } = told;
    if (!isNothing(looked)) {
      await deps.writer.write((tx) => noteLooked(tx, looked, deps.clock.now()));
    }
    if (done - toldOf < TOLD_EVERY || of === undefined) continue;
    toldOf = done;
    tell?.(`${done} of ${of} objects`);
  }
  return undefined;
}

function asLines(found: Verification): Outcome {
  const faults = faultLines(found);
  const lines = [
    ...faults.map((line) => `FAULT   ${line}`),
    ...noteLines(found).map((line) => `note    ${line}`),
    `${faults.length === 0 ? "ok      " : "        "}${readWords(found)}`,
  ];
  return { exitCode: faults.length === 0 ? 0 : 1, stdout: lines.join("\n"), stderr: "" };
}

function asJson(found: Verification): Outcome {
  const { objects, storedBytes, damaged, wrong, copies, unnamed, orphans, halfWritten } = found;
  const document = {
    objects,
    stored_bytes: storedBytes,
    damaged,
    wrong: wrong.map(({ sha256, fault, reports, isOfMore }) => ({
      object: sha256,
      fault,
      reports,
      more_reports: isOfMore,
    })),
    wrong_manifest_files: copies.map(({ name, fault }) => ({ name, fault })),
    unnamed_rows: unnamed,
    orphans,
    half_written: halfWritten,
  };
  const isWhole = damaged === 0 && copies.length === 0 && unnamed.length === 0;
  return { exitCode: isWhole ? 0 : 1, stdout: terminalJson(document), stderr: "" };
}

/** Commands that do now what the schedule does by itself. */

import { setTimeout } from "node:timers/promises";
import { askObjects } from "../archive/scrub.ts";
import {
  faultLines,
  isNothing,
  noteLines,
  readWords,
  recordLooked,
  type Verification,
} from "../archive/verify_events.ts";
import { shown, terminalJson } from "../base/command_line.ts";
import { DamagedRow } from "../base/storage_fault.ts";
import { countWords, onOneLine } from "../base/text.ts";
import { formatInstant } from "../base/time.ts";
import { type FlagEvent, lastRecordId, listFlagEvents } from "../flags/store.ts";
import { MONITORING_UNAVAILABLE } from "../health/capability_words.ts";
import { checkOnWorker, compareModel, mendModel, READ_MODELS } from "../keep/keep.ts";
import type { RunOutcome } from "../store/job_runs.ts";
import { StoreFault } from "../store/objects.ts";
import type { AnyReadModel, Difference } from "../store/read_model.ts";
import type { Deps } from "./app.ts";
import { command, done, type Outcome, readOnlyCommand, refused } from "./command.ts";
import { JOBS, type Job, judgeFreshness, runJob } from "./schedule.ts";

export const jobRun = command({
  name: "job run",
  summary: "run a scheduled job now",
  takes: ["<name>"],
  lasts: true,
  about: [
    "Runs a scheduled job now and waits for it. Prints the outcome as one line of JSON. With monitoring: unavailable, the result is stored and only its state could not be recorded. Exit code 0 when it is done, 1 when it failed or was partial, 3 while another run of it goes on. Ctrl-C stops the run; what it stored stays.",
    "The jobs, with their schedules as cron expressions in UTC:",
    JOBS.map(({ name, at }) => [name, at] as const),
  ],
  judge: ({ args: [name = ""] }) => {
    const names = JOBS.map((job) => job.name).join(", ");
    return JOBS.find((job) => job.name === name) ?? `there is no job ${shown(name)}: the jobs are ${names}`;
  },
  run: (deps, { read: job, signal }) => runNow(deps, job, signal),
});

async function runNow(deps: Deps, job: Job, signal: AbortSignal | undefined): Promise<Outcome> {
  const report = await runJob(deps, job, "command", signal);
  // What it sent or set going is judged before the data folder may be let go.
  if (report.outcome === "done" || report.outcome === "partial") await deps.follower.settle();
  const { run, startedAt, finishedAt, outcome, reports, fault, monitoring } = report;
  const line = {
    job: job.name,
    run,
    started_at: formatInstant(startedAt),
    finished_at: formatInstant(finishedAt),
    outcome,
    reports,
    ...(monitoring === undefined ? {} : { monitoring }),
  };
  const why = fault === undefined ? "" : `: ${fault}`;
  const unrecorded = monitoring === undefined ? "" : `\n${MONITORING_UNAVAILABLE}`;
  return {
    exitCode: EXIT_CODES[outcome],
    stdout: JSON.stringify(line),
    stderr: `${job.name} ${WORDS[outcome]}${why}${unrecorded}`,
  };
}

const EXIT_CODES = {
  done: 0,
  partial: 1,
  failed: 1,
  busy: 3,
} as const satisfies Record<RunOutcome, number>;

const WORDS = {
  done: "ran",
  partial: "was partial",
  failed: "failed",
  busy: "is running already",
} as const satisfies Record<RunOutcome, string>;

/** Most flags printed. */
const MOST_PRINTED = 1_000;
/** Judging that reaches no further report for this long is not waited for, in milliseconds. */
const PATIENCE_MS = 30_000;

export const rulesRun = command({
  name: "rules run",
  summary: "check what waits to be checked",
  about: [
    "Runs the rules on every accepted nightly report and provider value that waits for them, then on the silence of every site. Prints what was checked, and the flags raised and resolved. Codebase reports are checked when they are accepted.",
  ],
  run: async (deps) => {
    const { db } = deps.store;
    const { followed: reportsBefore, followedSignals: signalsBefore } = deps.follower;
    const recordBefore = lastRecordId(db);
    if (!(await settled(deps))) return refused("judging does not get on: see the service's log");
    await judgeFreshness(deps);
    const reports = deps.follower.followed - reportsBefore;
    const signals = deps.follower.followedSignals - signalsBefore;
    const told = signals === 0 ? "" : `, the figures of ${countWords(signals, "property", "properties")}`;
    const events = listFlagEvents(db, recordBefore, MOST_PRINTED);
    const count = (type: FlagEvent["type"]) => events.filter((event) => event.type === type).length;
    const renewed = count("renewed") === 0 ? "" : `, ${count("renewed")} renewed`;
    const summary = [
      `judged ${countWords(reports, "nightly report")}${told} and the silence of every site`,
      `${count("raised")} raised, ${count("resolved")} resolved${renewed}`,
    ];
    const cut = events.length === MOST_PRINTED ? [`and perhaps more: only ${MOST_PRINTED} are shown`] : [];
    return done([summary.join("; "), ...events.map(lineOf), ...cut].join("\n"));
  },
});

/** Waits until everything accepted is judged; false when judging stands still. */
async function settled({ follower }: Deps): Promise<boolean> {
  const settling = follower.settle().then(() => true);
  for (;;) {
    const before = follower.followed + follower.followedSignals;
    if (await Promise.race([settling, setTimeout(PATIENCE_MS, false, { ref: false })])) return true;
    if (follower.followed + follower.followedSignals === before) return false;
  }
}

function lineOf({ type, asset, rule, severity, message }: FlagEvent): string {
  return `${type.padEnd(8)}  ${asset}  ${rule ?? "sent by the site"}  ${severity}  ${message}`;
}

// Commands that look whether what is stored is sound.

export const check = readOnlyCommand({
  name: "check",
  summary: "check the integrity of everything",
  about: [
    "Checks the integrity of everything stored: the database file, foreign keys, the schema, the audit's hash chain and its key, constants documents, reports, readings, flags, and every archived report in RAW_SIGNALS.",
    "Changes nothing. Works beside a running service, on a database too damaged for a start, and in a read-only folder. Exit code 0 when nothing is wrong, 1 when something is.",
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
  summary: "make flags, states and counts again from the records",
  about: [
    "Makes derived data again from the append-only records: flags and snoozes, readings and freshness, provider values, and the state of archived reports. Prints what differed. Exit code 0 when everything now matches its records.",
  ],
  options: { check: { says: "only compare; exit code 1 when something differs" } },
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

export const archiveVerify = command({
  name: "archive verify",
  summary: "verify every archived report",
  lasts: true,
  about: [
    "Reads every archived object in RAW_SIGNALS and compares its length and both SHA-256 digests (stored and uncompressed bytes). Names each damaged or missing one with its sites, report families and dates. Manifest files are read, too: the next archive run writes a damaged or missing one again.",
    "Findings also appear on the archive page until the object is repaired. Objects without a manifest row and leftovers of interrupted writes are counted as notes. Nothing is removed.",
    "Works with or without a running service. Exit code 0 when every object is intact, 1 when one is not or the archive cannot be reached.",
  ],
  options: { json: { says: "one JSON document on standard output" } },
  run: async (deps, { options: { json = false }, signal }) => {
    try {
      for await (const told of askObjects(deps, "everything")) {
        if (signal?.aborted === true) break;
        if ("verification" in told) return verified(told.verification, json);
        if (!("looked" in told) || isNothing(told.looked)) continue;
        await deps.writer.write((tx) => recordLooked(tx, told.looked, deps.clock.now()));
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

/** A backup: one consistent, sealed copy of the database, with the objects that it names beside it. */

import { existsSync } from "node:fs";
import { link, mkdir, readdir, rename, rm, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { auditAct } from "../access/audit.ts";
import type { Config } from "../base/config.ts";
import { systemFiles } from "../base/files.ts";
import type { InstallationKeys } from "../base/keys.ts";
import { pathFault } from "../base/storage_fault.ts";
import { codeOf, messageOf } from "../base/text.ts";
import { formatInstant } from "../base/time.ts";
import { answersOf } from "../base/worker.ts";
import type { Core } from "../store/core.ts";
import type { JobEntry } from "../store/job_runs.ts";
import { type Db, findServiceState, putServiceState, type Tx } from "../store/store.ts";
import { besideIn, type CopyProgress, isArchiveItself, sweepBeside } from "./backup_objects.ts";
import type { SnapshotAnswer, SnapshotFacts, SnapshotRequest } from "./snapshot_worker.ts";

interface BackupDeps extends Pick<Core, "clock" | "ids"> {
  /** Undefined where there is no key: then the backup proves no origin. */
  readonly keys: InstallationKeys | undefined;
}

/** What to back up, and how. */
interface BackupRequest {
  /** The database. */
  readonly source: string;
  /** A file that is not there yet. */
  readonly target: string;
  /** The archive whose objects the database names; undefined where they are left out. */
  readonly archive: Pick<Config, "rawSignals" | "s3"> | undefined;
  /** Is told now and then how far copying objects is. */
  readonly onProgress?: (progress: CopyProgress) => void;
  /** Aborts what has no name yet. */
  readonly signal?: AbortSignal | undefined;
}

const WORKER = new URL("./snapshot_worker.ts", import.meta.url);

/** What SQLite may put beside a file; beside a backup it would be taken for the backup's own. */
const COMPANIONS = ["-journal", "-wal", "-shm"] as const;

/**
 * Makes one consistent, checked, sealed copy of the database while others go on writing, and copies the objects that it names into a
 * folder beside it. The copy is made on a worker under another name, and gets its own when it is whole, on the disk, and the objects
 * lie beside it; a file that is there is never replaced. An object that cannot be had lacks, and keeps the database from nothing.
 */
export async function backUp(deps: BackupDeps, request: BackupRequest) {
  try {
    return await tryBackUp(deps, request);
  } catch (error) {
    // A folder that may not be written, a full disk: the system says which.
    return refused(pathFault(error));
  }
}

const refused = (reason: string) => ({ ok: false, reason }) as const;

async function tryBackUp(deps: BackupDeps, request: BackupRequest) {
  const started = performance.now();
  const now = deps.clock.now();
  const refusal = await whyNot(request);
  if (refusal !== undefined) return refused(refusal);
  const { target } = request;
  const folder = dirname(target);
  await sweepBackups(folder, now);
  const id = deps.ids.uuid();
  const temporary = join(folder, temporaryName(id));
  try {
    const asked = snapshotRequest(deps, request, temporary, now);
    const answers = answersOf<SnapshotAnswer>(WORKER, asked, request.signal);
    try {
      const whole = await wholeOf(answers, request);
      if (typeof whole === "string") return refused(whole);
      if (!(await publish(temporary, target))) {
        return refused(`${target} is there by now: nothing is overwritten`);
      }
      const { bytes, rows, objects } = whole;
      const ms = performance.now() - started;
      return { ok: true as const, ms, bytes, rows, objects, faults: await faultsOf(answers) };
    } finally {
      await answers.return(undefined);
    }
  } finally {
    await removeTemporary(folder, id);
  }
}

/** What keeps a backup from getting its name, as far as it can be seen before it is made. */
async function whyNot({ target, archive }: BackupRequest): Promise<string | undefined> {
  for (const path of [target, ...COMPANIONS.map((companion) => `${target}${companion}`)]) {
    if (existsSync(path)) return `${path} is there already: nothing is overwritten`;
  }
  const folder = dirname(target);
  if (!existsSync(folder)) return `there is no folder ${folder}`;
  if (archive === undefined || !(await isArchiveItself(folder, archive.rawSignals))) return undefined;
  return `${besideIn(folder)} is the archive itself, and a backup needs objects of its own: back up into another folder`;
}

function snapshotRequest(
  { keys }: BackupDeps,
  { source, archive }: BackupRequest,
  target: string,
  now: number,
): SnapshotRequest {
  // What stands in for a lost key proves nothing once the process has ended.
  const own = keys?.isStandIn === true ? undefined : keys;
  return {
    ...{ source, target, madeAt: formatInstant(now) },
    keys: own && { seal: own.forPurpose("backup").forWorker(), audit: own.forPurpose("audit").forWorker() },
    archive: archive && { rawSignals: archive.rawSignals, s3: archive.s3 },
  };
}

/** Waits until the snapshot is whole; why it never is, else. */
async function wholeOf(
  answers: AsyncIterator<SnapshotAnswer, undefined>,
  { onProgress }: BackupRequest,
): Promise<SnapshotFacts | string> {
  for (;;) {
    const { value: answer } = await answers.next();
    if (answer?.step === "whole") return answer;
    if (answer?.step !== "copying") return reasonOf(answer);
    onProgress?.(answer);
  }
}

/** What is wrong with what the backup says. It has its name already: what keeps it from being judged takes nothing from that. */
async function faultsOf(answers: AsyncIterator<SnapshotAnswer, undefined>): Promise<readonly string[]> {
  const notJudged = (reason: string) => [`what it says: it could not be judged: ${reason}`];
  try {
    const { value: judged } = await answers.next();
    return judged?.step === "judged" ? judged.faults : notJudged(reasonOf(judged));
  } catch (error) {
    return notJudged(messageOf(error));
  }
}

function reasonOf(answer: SnapshotAnswer | undefined): string {
  return answer?.step === "failed" ? answer.reason : "its thread ended";
}

/** Errors of file systems that know no second name for a file. */
const NO_LINKS = new Set(["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS", "EMLINK"]);

/**
 * Names the finished file `temporary` `target`, and waits until the disk has the name. False when `target` is there already:
 * linking, other than renaming, never replaces.
 */
async function publish(temporary: string, target: string): Promise<boolean> {
  try {
    await link(temporary, target);
    await rm(temporary);
  } catch (error) {
    const code = codeOf(error);
    if (code === "EEXIST") return false;
    if (!NO_LINKS.has(code)) throw error;
    if (existsSync(target)) return false;
    await rename(temporary, target);
  }
  await systemFiles.syncFolder(dirname(target));
  return true;
}

/** Nobody writes to it for this long: then it was left by a killed backup, in milliseconds. */
const LEFT_BEHIND_MS = 60 * 60_000;

const TEMPORARY = /^\.tmp-tower-backup\.[0-9a-f-]{36}(?:-journal|-wal|-shm|-object-\d+)?$/;

/** The name of a backup until it is whole, and the beginning of those of objects that are copied for it. */
export function temporaryName(id: string): string {
  return `.tmp-tower-backup.${id}`;
}

/** Removes all that a backup wrote under another name than its own. */
async function removeTemporary(folder: string, id: string): Promise<void> {
  const own = temporaryName(id);
  for (const name of await readdir(folder)) {
    if (TEMPORARY.test(name) && name.startsWith(own)) await rm(join(folder, name), { force: true });
  }
}

/** Removes from a folder what killed backups left there, but not what may still be written. */
export async function sweepBackups(folder: string, now: number): Promise<void> {
  for (const name of await readdir(folder)) {
    if (!TEMPORARY.test(name)) continue;
    const path = join(folder, name);
    // Another backup may end, and take its file away, just now.
    const facts = await stat(path).catch(() => undefined);
    if (facts !== undefined && facts.mtimeMs < now - LEFT_BEHIND_MS) await rm(path, { force: true });
  }
  await sweepBeside(folder, now - LEFT_BEHIND_MS);
}

const LAST_MADE = "backup.last_made_at";
const LAST_LACKING = "backup.last_lacking";

/** The last backup that the service was told of. */
export type LastBackup = NonNullable<ReturnType<typeof findLastBackup>>;

/** Notes that a backup was made of what stood here. */
export function noteBackup(tx: Tx, { at, lacking }: LastBackup): void {
  putServiceState(tx, LAST_MADE, String(at), at);
  putServiceState(tx, LAST_LACKING, lacking === undefined ? "left out" : String(lacking), at);
}

/** Undefined where there is none. */
export function findLastBackup(db: Db) {
  const at = Number(findServiceState(db, LAST_MADE) ?? Number.NaN);
  if (!Number.isFinite(at)) return undefined;
  const lacking = Number(findServiceState(db, LAST_LACKING));
  return {
    /** In milliseconds since the epoch. */
    at,
    /** Objects of the archive that its database names and that could not be copied; undefined where they were left out on purpose. */
    lacking: Number.isFinite(lacking) ? lacking : undefined,
  };
}

/** What is run under this name is a backup that somebody asked for by a button. */
export const BACKUP_JOB = "backup";

/** Where backups lie that were asked for by a button: each a file of its own, with the objects beside them. */
export const ownBackups = (dataDir: string): string => join(dataDir, "backups");

/** Makes a backup in the data folder. It has no place in the timetable: what is on the same disk does not outlive it. */
export function backupRun(deps: BackupDeps & Core, actor: string): JobEntry {
  return {
    name: BACKUP_JOB,
    at: "",
    recorded: false,
    work: async ({ progress, signal }) => {
      const { config, store, writer, clock } = deps;
      const at = clock.now();
      const folder = ownBackups(config.dataDir);
      // The data folder itself is not made anew where it is gone.
      await mkdir(folder, { mode: 0o700 }).catch((error: unknown) => {
        if (codeOf(error) !== "EEXIST") throw error;
      });
      const target = join(folder, `tower-${formatInstant(at).slice(0, 19).replaceAll(":", "-")}Z.backup`);
      const made = await backUp(deps, {
        source: store.path,
        target,
        archive: config,
        onProgress: ({ objects, of }) => progress(objects, of, ""),
        signal,
      });
      if (!made.ok) throw new Error(made.reason);
      const { faults } = made;
      const { lacking } = made.objects;
      await writer.writeOrDefer((tx) => {
        noteBackup(tx, { at, lacking });
        auditAct(tx, { actor, now: at }, "backup.make", target, { lacking });
      });
      // The command says it, too: what is wrong here is wrong in the copy.
      if (faults.length > 0) throw new Error(`the backup was made, but its data has faults: ${faults[0]}`);
    },
  };
}

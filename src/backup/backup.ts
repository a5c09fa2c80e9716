import { rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { formatInstant } from "../lib/instant.ts";
import { messageOf } from "../lib/thrown.ts";
import type { Clock } from "../platform/clock.ts";
import type { Ids } from "../platform/ids.ts";
import type { InstallationKeys } from "../platform/keys.ts";
import { answersOf } from "../platform/worker.ts";
import { isThere, publish } from "./publish.ts";
import type { SnapshotFacts, SnapshotRequest } from "./snapshot.ts";
import type { SnapshotAnswer } from "./snapshot_worker.ts";
import { sweepBackups, temporaryName } from "./sweep.ts";

/** What backing up needs. */
export interface BackupDeps {
  /** Undefined where there is no key: then the backup proves no origin. */
  readonly keys: InstallationKeys | undefined;
  readonly clock: Clock;
  readonly ids: Ids;
}

/** What a backup did. */
export type BackupResult =
  | ({
      readonly ok: true;
      /** Until it had its name. */
      readonly ms: number;
      /** What is wrong with what it says, which is as in the source. */
      readonly faults: readonly string[];
    } & SnapshotFacts)
  | { readonly ok: false; readonly reason: string };

const WORKER = new URL("./snapshot_worker.ts", import.meta.url);

/** What SQLite may put beside a file; beside a backup it would be taken for the backup's own. */
const COMPANIONS = ["-journal", "-wal", "-shm"] as const;

/**
 * Makes one consistent, checked, sealed copy of the database at `source` while others go on writing. The copy is made on a worker
 * under another name, and gets the name `target` when it is whole and on the disk; a file that is there is never replaced.
 */
export async function backUp(deps: BackupDeps, source: string, target: string): Promise<BackupResult> {
  try {
    return await tryBackUp(deps, source, target);
  } catch (error) {
    // A folder that may not be written, a full disk: the system says which.
    return { ok: false, reason: messageOf(error) };
  }
}

async function tryBackUp(deps: BackupDeps, source: string, target: string): Promise<BackupResult> {
  const started = performance.now();
  const now = deps.clock.now();
  for (const path of [target, ...COMPANIONS.map((companion) => `${target}${companion}`)]) {
    if (await isThere(path)) return { ok: false, reason: `${path} is there already: nothing is overwritten` };
  }
  if (!(await isThere(dirname(target)))) {
    return { ok: false, reason: `there is no folder ${dirname(target)}` };
  }
  await sweepBackups(dirname(target), now);
  const temporary = join(dirname(target), temporaryName(deps.ids.uuid()));
  try {
    // What stands in for a lost key proves nothing once the process has ended.
    const own = deps.keys?.isStandIn === true ? undefined : deps.keys;
    const keys = own && {
      seal: own.forPurpose("backup").forWorker(),
      audit: own.forPurpose("audit").forWorker(),
    };
    const request: SnapshotRequest = { source, target: temporary, madeAt: formatInstant(now), keys };
    const answers = answersOf<SnapshotAnswer>(WORKER, request);
    try {
      const { value: whole } = await answers.next();
      if (whole?.step !== "whole") return { ok: false, reason: reasonOf(whole) };
      if (!(await publish(temporary, target))) {
        return { ok: false, reason: `${target} is there by now: nothing is overwritten` };
      }
      const { bytes, rows } = whole;
      const ms = performance.now() - started;
      return { ok: true, ms, bytes, rows, faults: await faultsToldOf(answers) };
    } finally {
      await answers.return(undefined);
    }
  } finally {
    for (const companion of ["", ...COMPANIONS]) await rm(`${temporary}${companion}`, { force: true });
  }
}

/** What is wrong with what the backup says. It has its name already: what keeps it from being judged takes nothing from that. */
async function faultsToldOf(answers: AsyncIterator<SnapshotAnswer, undefined>): Promise<readonly string[]> {
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

/** Which commit is measured, and what is known about it. */
import { lstatSync, statSync } from "node:fs";
import { join } from "node:path";
import { hasControl } from "../lib/contract.ts";
import { parseInstant } from "../lib/instant.ts";
import { gitLine, type Repository } from "./git.ts";
import { NotMeasurableError } from "./refusal.ts";
import { cleanRemote } from "./remote.ts";

/** One commit of a repository. */
export interface Revision {
  /** 40 hexadecimal characters. */
  readonly commit: string;
  readonly committedAt?: string;
  readonly ref: string;
  readonly remote?: string;
  /** Whether history was cut off by a shallow clone. */
  readonly shallow: boolean;
}

/**
 * Reads the commit at HEAD. `ref` is the name the caller's workflow knows, when it does.
 * Throws NotMeasurableError when there is no commit that a report could name.
 */
export async function readRevision(repository: Repository, ref: string | undefined): Promise<Revision> {
  await requireRepository(repository);
  const commit = await gitLine(repository, ["rev-parse", "--verify", "--end-of-options", "HEAD^{commit}"]);
  if (commit === undefined) {
    throw new NotMeasurableError("The repository has no commit.", "Commit something first.");
  }
  if (!/^[0-9a-f]{40}$/.test(commit)) {
    throw new NotMeasurableError(
      "The repository names its objects with SHA-256; a report can only hold a 40-character commit.",
    );
  }
  const committedAt = await gitLine(repository, [
    "show",
    "-s",
    "--no-show-signature",
    "--format=%cI",
    commit,
  ]);
  const remote = cleanRemote((await gitLine(repository, ["config", "--get", "remote.origin.url"])) ?? "");
  const branch = await gitLine(repository, ["symbolic-ref", "--short", "-q", "HEAD"]);
  const shallow = (await gitLine(repository, ["rev-parse", "--is-shallow-repository"])) !== "false";
  return {
    commit,
    ref: [ref, branch].find(isRef) ?? "HEAD",
    shallow,
    ...(committedAt !== undefined && parseInstant(committedAt) !== undefined ? { committedAt } : {}),
    ...(remote === undefined ? {} : { remote }),
  };
}

function isRef(ref: string | undefined): ref is string {
  return ref !== undefined && ref !== "" && ref.length <= 512 && !hasControl(ref) && ref.isWellFormed();
}

async function requireRepository(repository: Repository): Promise<void> {
  if (statSync(repository.root, { throwIfNoEntry: false })?.isDirectory() !== true) {
    throw new NotMeasurableError("There is no such folder.");
  }
  const format = await gitLine(repository, ["rev-parse", "--show-object-format"]);
  if (format === undefined) {
    if (lstatSync(join(repository.root, ".git"), { throwIfNoEntry: false })?.isFile() === true) {
      throw new NotMeasurableError(
        "The folder is a worktree or a submodule: its .git file points to a repository that cannot be reached from here.",
        "Measure the main checkout, or make the folder that the .git file names reachable too.",
      );
    }
    throw new NotMeasurableError("The folder is no git repository.");
  }
  const prefix = await gitLine(repository, ["rev-parse", "--show-prefix"]);
  if (prefix !== undefined && prefix !== "") {
    throw new NotMeasurableError(
      "The folder lies inside a repository.",
      `Name the root of the repository and pass --path ${prefix.replace(/\/$/, "")}.`,
    );
  }
}

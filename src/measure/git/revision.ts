/** Which commit is measured, and what is known about it. */
import { lstatSync } from "node:fs";
import { join } from "node:path";
import { hasControl } from "../../lib/contract.ts";
import { parseInstant } from "../../lib/instant.ts";
import { NotMeasurableError, partialClone } from "../refusal.ts";
import type { Checkout } from "./checkout.ts";
import { type Repository, runGit } from "./git.ts";
import type { ObjectReader } from "./objects.ts";
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

/** A commit object holds a message; one above this size is no honest one, and git would read it whole. */
const MAX_COMMIT_BYTES = 1024 * 1024;
const MAX_CONFIG_BYTES = 1024 * 1024;

/**
 * Reads the commit at HEAD. `ref` is the name the caller's workflow knows, when it does.
 * Throws NotMeasurableError when there is no commit that a report could name.
 */
export async function readRevision(
  checkout: Checkout,
  repository: Repository,
  objects: ObjectReader,
  ref: string | undefined,
): Promise<Revision> {
  const { commit, branch, shallow } = checkout;
  const [info] = await objects.info([commit]);
  if (info === undefined) throw partialClone();
  if (info.type !== "commit") throw new NotMeasurableError(`HEAD names a ${info.type}, not a commit.`);
  if (info.size > MAX_COMMIT_BYTES) throw new NotMeasurableError("The commit object is larger than 1 MiB.");
  let committedAt: string | undefined;
  for await (const content of objects.contents([commit])) committedAt = readCommittedAt(content);
  const remote = await readRemote(checkout, repository);
  return {
    commit,
    ref: [ref, branch].find(isRef) ?? "HEAD",
    shallow,
    ...(committedAt === undefined ? {} : { committedAt }),
    ...(remote === undefined ? {} : { remote }),
  };
}

function isRef(ref: string | undefined): ref is string {
  return ref !== undefined && ref !== "" && ref.length <= 512 && !hasControl(ref) && ref.isWellFormed();
}

/** The committer's time with the committer's offset, as `%cI` shows it. */
function readCommittedAt(commit: Uint8Array): string | undefined {
  const text = new TextDecoder("latin1").decode(commit);
  const head = text.slice(0, Math.max(0, text.indexOf("\n\n")) || undefined);
  const match = /^committer [^\n]*> (\d{1,12}) ([-+])(\d\d)([0-5]\d)$/m.exec(head);
  if (match === null) return undefined;
  const [, seconds = "", sign = "", hours = "", minutes = ""] = match;
  const offset = (sign === "-" ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) * 60;
  const local = new Date((Number(seconds) + offset) * 1000);
  if (Number.isNaN(local.getTime())) return undefined;
  const instant = `${local.toISOString().slice(0, 19)}${sign}${hours}:${minutes}`;
  return parseInstant(instant) === undefined ? undefined : instant;
}

/** The address of `origin`: the one setting that is read, from the repository's own file alone, without includes. */
async function readRemote(checkout: Checkout, repository: Repository): Promise<string | undefined> {
  const config = join(checkout.common, "config");
  const found = lstatSync(config, { throwIfNoEntry: false });
  if (found?.isFile() !== true || found.size > MAX_CONFIG_BYTES) return undefined;
  const address = await runGit(repository, {
    doing: "reading the remote's address",
    args: ["config", "--file", config, "--no-includes", "--get", "remote.origin.url"],
    maxBytes: MAX_CONFIG_BYTES,
  });
  return cleanRemote(new TextDecoder().decode(address ?? new Uint8Array(0)).trim());
}

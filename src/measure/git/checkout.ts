/**
 * Finding a checkout's git folder and reading the few facts that lie there beside the objects: which commit HEAD names, on which
 * branch, and whether history was cut off. Read without git, so that no configuration of the repository is obeyed.
 */

import { lstatSync, readFileSync, realpathSync, statSync } from "node:fs";
import { dirname, join, relative, resolve, sep } from "node:path";
import { hasControl } from "../../base/contract.ts";
import { parseInstant } from "../../base/time.ts";
import { NotMeasurableError, partialClone } from "../figures.ts";
import { type ObjectReader, type Repository, runGit } from "./objects.ts";

/** A checkout with a commit. Folders are absolute and without links. */
export type Checkout = ReturnType<typeof readCheckout>;

const MAX_POINTER = 64 * 1024;
const MAX_REFERENCES = 64 * 1024 * 1024;
const MAX_LINKS = 5;

/** Reads a checkout, its root or a bare repository. Throws NotMeasurableError. */
export function readCheckout(folder: string) {
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true) {
    throw new NotMeasurableError(`There is no folder ${folder}.`);
  }
  // `common` is where the objects, the references and the configuration lie.
  const { own, common } = findGitFolder(realpathSync(folder));
  const { commit, reference } = readHead(own, common);
  const branch = reference?.replace(/^refs\/(?:heads\/|tags\/|remotes\/)?/, "");
  // Whether history was cut off by a shallow clone.
  const shallow = (lstatSync(join(common, "shallow"), { throwIfNoEntry: false })?.size ?? 0) > 0;
  return { common, commit, shallow, ...(branch === undefined ? {} : { branch }) };
}

interface GitFolders {
  /** Where HEAD lies; a worktree has one of its own. */
  readonly own: string;
  readonly common: string;
}

function findGitFolder(root: string): GitFolders {
  const inner = join(root, ".git");
  const found = lstatSync(inner, { throwIfNoEntry: false });
  if (found?.isDirectory() === true) return { own: inner, common: inner };
  if (found?.isFile() === true) return followPointer(root, inner);
  if (found !== undefined) {
    throw new NotMeasurableError("The folder's .git is a link.", "Name the folder that it leads to.");
  }
  const bare = ["objects", "refs"].every(
    (name) => lstatSync(join(root, name), { throwIfNoEntry: false })?.isDirectory() === true,
  );
  if (bare && readText(join(root, "HEAD"), MAX_POINTER) !== undefined) return { own: root, common: root };
  for (let above = dirname(root); above !== dirname(above); above = dirname(above)) {
    if (lstatSync(join(above, ".git"), { throwIfNoEntry: false }) === undefined) continue;
    throw new NotMeasurableError(
      "The folder lies inside a repository.",
      `Name the root of the repository and pass --path ${relative(above, root).replaceAll(sep, "/")}.`,
    );
  }
  throw new NotMeasurableError("The folder is not a git repository.");
}

/**
 * A worktree's or a submodule's .git file. It is followed only to a folder that names the checkout back or that holds the
 * submodules of a folder above: otherwise a checkout could have another repository of the machine measured in its place.
 */
function followPointer(root: string, file: string): GitFolders {
  const target = /^gitdir: (.+?)\r?\n?$/.exec(readText(file, MAX_POINTER) ?? "")?.[1];
  const own = target === undefined ? undefined : realFolder(resolve(root, target));
  if (own === undefined) {
    throw new NotMeasurableError(
      "The folder is a worktree or a submodule: its .git file points to a repository that cannot be reached from here.",
      "Measure the main checkout, or make the folder that the .git file names reachable too.",
    );
  }
  const shared = readText(join(own, "commondir"), MAX_POINTER)?.trim();
  if (shared === undefined) {
    for (let above = dirname(root); ; above = dirname(above)) {
      if (own.startsWith(join(above, ".git", "modules") + sep)) return { own, common: own };
      if (above === dirname(above)) break;
    }
  } else {
    const common = realFolder(resolve(own, shared));
    const back = readText(join(own, "gitdir"), MAX_POINTER)?.trim();
    if (common !== undefined && back !== undefined && realPath(resolve(own, back)) === file) {
      return { own, common };
    }
  }
  throw new NotMeasurableError(
    "The folder's .git file names a repository that does not name the folder back.",
    "Measure that repository itself.",
  );
}

/** Follows HEAD to a commit, as `git symbolic-ref` and `git rev-parse` do. */
function readHead(own: string, common: string): { commit: string; reference?: string } {
  let text = readText(join(own, "HEAD"), MAX_POINTER)?.trim();
  let reference: string | undefined;
  for (let links = 0; text?.startsWith("ref:") === true && links < MAX_LINKS; links++) {
    const name = text.slice(4).trim();
    if (name === "refs/heads/.invalid") {
      throw new NotMeasurableError(
        "The repository keeps its references as a reftable.",
        "Measure a clone with files.",
      );
    }
    if (!isReference(name)) break;
    reference ??= name;
    text = readText(join(common, name), MAX_POINTER)?.trim() ?? packedReference(common, name);
  }
  if (text !== undefined && /^[0-9a-f]{64}$/.test(text)) {
    throw new NotMeasurableError(
      "The repository names its objects with SHA-256; a report can only hold a 40-character commit.",
    );
  }
  if (text === undefined || !/^[0-9a-f]{40}$/.test(text)) {
    throw new NotMeasurableError("The repository has no commit.", "Commit something first.");
  }
  return { commit: text, ...(reference === undefined ? {} : { reference }) };
}

/** The rules of git-check-ref-format that keep a name below `refs/`. */
function isReference(name: string): boolean {
  return (
    name.startsWith("refs/") &&
    !/[\u0000-\u0020\u007f~^:?*[\\]/.test(name) &&
    name.split("/").every((part) => part !== "" && !part.startsWith(".") && !part.includes(".."))
  );
}

function packedReference(common: string, name: string): string | undefined {
  const packed = `\n${readText(join(common, "packed-refs"), MAX_REFERENCES) ?? ""}`;
  const at = packed.indexOf(` ${name}\n`);
  return at < 0 ? undefined : packed.slice(packed.lastIndexOf("\n", at) + 1, at);
}

/** The text of a plain file; `undefined` when there is none, or a longer one. Links and pipes are none. */
export function readText(path: string, maxBytes: number): string | undefined {
  try {
    const found = lstatSync(path, { throwIfNoEntry: false });
    return found?.isFile() === true && found.size <= maxBytes ? readFileSync(path, "utf8") : undefined;
  } catch {
    return undefined;
  }
}

function realFolder(path: string): string | undefined {
  const real = realPath(path);
  return real !== undefined && statSync(real).isDirectory() ? real : undefined;
}

function realPath(path: string): string | undefined {
  try {
    return realpathSync(path);
  } catch {
    return undefined;
  }
}

/**
 * The address of a remote without anything secret: a continuous-integration checkout can hold a token in it. User,
 * password, query and fragment go; a local path keeps its last segment only, because folders name people.
 */
export function cleanRemote(remote: string): string | undefined {
  const text = remote.replace(/[\u0000-\u001f\u007f-\u009f]/g, "").trim();
  if (text === "") return undefined;
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(text)) return cleanUrl(text);
  const scp = /^(?:[^@/]*@)?([A-Za-z0-9._-]{2,}|\[[0-9a-fA-F:.]+\]):(?!\/\/)(.+)$/.exec(text);
  if (scp !== null && !text.startsWith("/")) return bounded(`${scp[1]}:${cutTail(scp[2] ?? "")}`);
  return lastSegment(text);
}

const MAX_ADDRESS = 2_048;

function cleanUrl(text: string): string | undefined {
  const url = URL.parse(text);
  if (url === null) return undefined;
  if (url.protocol === "file:" || url.host === "") return lastSegment(cutTail(url.pathname));
  return bounded(`${url.protocol}//${url.host}${url.pathname}`);
}

function cutTail(path: string): string {
  return path.replace(/[?#].*$/s, "");
}

function lastSegment(path: string): string | undefined {
  const segments = path
    .split(/[/\\]/)
    .filter((segment) => segment !== "" && segment !== "." && segment !== "..");
  const last = segments.at(-1) === ".git" ? segments.at(-2) : segments.at(-1);
  return last === undefined ? undefined : bounded(last);
}

function bounded(address: string): string | undefined {
  return address.length <= MAX_ADDRESS && address.isWellFormed() ? address : undefined;
}

// Which commit is measured, and what is known about it.

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
  const [head = ""] = text.split("\n\n", 1);
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

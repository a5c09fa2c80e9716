/**
 * Finding a checkout's git folder and reading the few facts that lie there beside the objects: which commit HEAD names, on which
 * branch, and whether history was cut off. Read without git, so that no configuration of the repository is obeyed.
 */
import { lstatSync, readFileSync, realpathSync, statSync } from "node:fs";
import { dirname, join, relative, resolve, sep } from "node:path";
import { NotMeasurableError } from "../refusal.ts";

/** A checkout with a commit. Folders are absolute and without links. */
export interface Checkout {
  /** Where the objects, the references and the configuration lie. */
  readonly common: string;
  /** 40 hexadecimal characters. */
  readonly commit: string;
  readonly branch?: string;
  /** Whether history was cut off by a shallow clone. */
  readonly shallow: boolean;
}

const MAX_POINTER = 64 * 1024;
const MAX_REFERENCES = 64 * 1024 * 1024;
const MAX_LINKS = 5;

/** Reads a checkout, its root or a bare repository. Throws NotMeasurableError. */
export function readCheckout(folder: string): Checkout {
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true) {
    throw new NotMeasurableError("There is no such folder.");
  }
  const { own, common } = findGitFolder(realpathSync(folder));
  const { commit, reference } = readHead(own, common);
  const branch = reference?.replace(/^refs\/(?:heads\/|tags\/|remotes\/)?/, "");
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

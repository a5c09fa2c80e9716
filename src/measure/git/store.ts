/**
 * A git folder of our own that borrows the objects of a repository through links. Git then reads no configuration, no
 * attributes, no grafts, no replaced objects, no commit graph and no list of other object stores of the repository: none of
 * them is there.
 */

import { type Dirent, lstatSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { NotMeasurableError } from "../refusal.ts";

const CONFIGURATION = `[core]
\trepositoryformatversion = 0
\tbare = true
\tcommitGraph = false
\tmultiPackIndex = false
\tattributesFile = /dev/null
\texcludesFile = /dev/null
\thooksPath = /dev/null
\tfsmonitor = false
\tpackedGitWindowSize = 32m
\tpackedGitLimit = 512m
\tdeltaBaseCacheLimit = 64m
`;

const SHARDS = Array.from({ length: 256 }, (_, value) => value.toString(16).padStart(2, "0"));

/** Makes the folder at `store` over an `objects` folder. Throws NotMeasurableError when objects lie anywhere else. */
export function makeStore(store: string, objects: string): void {
  for (const folder of ["", "refs", "objects"]) mkdirSync(join(store, folder), { mode: 0o700 });
  writeFileSync(join(store, "HEAD"), "ref: refs/heads/none\n");
  writeFileSync(join(store, "config"), CONFIGURATION);
  if (lstatSync(objects, { throwIfNoEntry: false })?.isDirectory() !== true) throw elsewhere("objects");
  if ((lstatSync(join(objects, "info/alternates"), { throwIfNoEntry: false })?.size ?? 0) > 0) {
    throw new NotMeasurableError(
      "The repository borrows objects from another one (objects/info/alternates).",
      "Make it whole first: git repack -a -d, then remove that file.",
    );
  }
  const held = new Map(readdirSync(objects, { withFileTypes: true }).map((entry) => [entry.name, entry]));
  for (const name of ["pack", ...SHARDS]) {
    const entry = held.get(name);
    if (entry === undefined) continue;
    requireOwn(objects, entry, name);
    symlinkSync(join(objects, name), join(store, "objects", name), "junction");
  }
}

/** A link could lead to another repository's objects, and a pipe could keep git waiting. */
function requireOwn(objects: string, folder: Dirent, name: string): void {
  if (!is(folder, objects, "isDirectory")) throw elsewhere(`objects/${name}`);
  for (const entry of readdirSync(join(objects, name), { withFileTypes: true })) {
    if (!is(entry, join(objects, name), "isFile")) throw elsewhere(`objects/${name}`);
  }
}

/** Some file systems do not say the kind of an entry in the listing. */
function is(entry: Dirent, parent: string, kind: "isFile" | "isDirectory"): boolean {
  return entry[kind]() || lstatSync(join(parent, entry.name), { throwIfNoEntry: false })?.[kind]() === true;
}

function elsewhere(part: string): NotMeasurableError {
  return new NotMeasurableError(
    `The repository's ${part} holds a link or something else that is not a plain file.`,
    "Measure a full clone.",
  );
}

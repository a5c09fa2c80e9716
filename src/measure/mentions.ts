/**
 * Which files the other files of a repository name somewhere. A dead-code tool follows imports only; files that are
 * loaded by name or by directory (migrations, plug-ins, templates' scripts) look unused to it. One pass over all texts
 * finds every word that could be such a name.
 */

/** Path-like words: letters, digits and the characters of paths, module names and template holes. */
const WORD = /[\w@$}{*.\-/]{3,200}/g;

/** Findings that share a base name or a folder are taken to be loaded by convention from this many on. */
const CONVENTION = 3;

/** A search for mentions: feed it every text, then ask what nobody mentioned. */
export interface MentionSearch {
  readonly read: (path: string, text: string) => void;
  readonly unmentioned: () => string[];
}

/** Prepares the search. `all` are the paths of every text file, to know which base names are unique. */
export function searchMentions(candidates: readonly string[], all: readonly string[]): MentionSearch {
  const byKey = candidateKeys(candidates, all);
  const folders = conventionFolders(candidates);
  const shared = sharedNames(candidates);
  const mentioned = new Set<string>();
  const loadedFolders = new Set<string>();
  return {
    read: (path, text) => {
      const note = (key: string) => settle(byKey, key, mentioned, (candidate) => candidate !== path);
      const noteFolder = (key: string) =>
        settle(folders, key, loadedFolders, (folder) => !path.startsWith(`${folder}/`));
      for (const [word] of text.matchAll(WORD))
        readWord(word, note, folders.size === 0 ? undefined : noteFolder);
    },
    unmentioned: () =>
      candidates.filter(
        (path) => !mentioned.has(path) && !shared.has(baseName(path)) && !loadedFolders.has(folderOf(path)),
      ),
  };
}

/** Moves what a key names to `done`, but for what the mention does not count for: each is moved once, however often it is named. */
function settle(
  byKey: Map<string, string[]>,
  key: string,
  done: Set<string>,
  counts: (name: string) => boolean,
): void {
  const open = byKey.get(key);
  if (open === undefined) return;
  const left: string[] = [];
  for (const name of open) {
    if (counts(name)) done.add(name);
    else left.push(name);
  }
  if (left.length === 0) byKey.delete(key);
  else byKey.set(key, left);
}

function readWord(
  word: string,
  note: (key: string) => void,
  noteFolder: ((key: string) => void) | undefined,
): void {
  let end = word.length;
  while (end > 0 && ".-/".includes(word.charAt(end - 1))) end--;
  const trimmed = word.slice(0, end);
  const slash = trimmed.lastIndexOf("/");
  const last = trimmed.slice(slash + 1);
  note(`name ${last}`);
  if (slash >= 0) {
    note(`end ${last}`);
    const before = trimmed.slice(trimmed.lastIndexOf("/", slash - 1) + 1, slash);
    note(`pair ${before}/${last}`);
    if (before.endsWith("*")) note(`template ${last}`);
    noteFolder?.(folderKey(trimmed));
  }
  if (!last.includes(".")) return;
  const parts = last.split(".");
  for (let i = 1; i < parts.length; i++) {
    const [before = "", after = ""] = [parts[i - 1], parts[i]];
    note(`pair ${before}.${after}`);
    if (before.endsWith("}")) note(`hole ${after}`);
  }
}

function candidateKeys(candidates: readonly string[], all: readonly string[]): Map<string, string[]> {
  const names = new Map<string, number>();
  for (const path of all) names.set(baseName(path), (names.get(baseName(path)) ?? 0) + 1);
  const byKey = new Map<string, string[]>();
  const add = (key: string, path: string) => append(byKey, key, path);
  for (const path of candidates) {
    const name = baseName(path);
    const stem = name.replace(/\.[^.]+$/, "");
    const parent = baseName(folderOf(path));
    if (names.get(name) === 1) add(`name ${name}`, path);
    add(`end ${stem}`, path);
    add(`template ${name}`, path);
    add(`hole ${stem}`, path);
    if (parent === "") continue;
    add(`pair ${parent}/${stem}`, path);
    add(`pair ${parent}/${name}`, path);
    add(`pair ${parent}.${stem}`, path);
  }
  return byKey;
}

/** Base names that several findings share. */
function sharedNames(candidates: readonly string[]): ReadonlySet<string> {
  const counts = new Map<string, number>();
  for (const path of candidates) counts.set(baseName(path), (counts.get(baseName(path)) ?? 0) + 1);
  return new Set([...counts].filter(([, count]) => count >= CONVENTION).map(([name]) => name));
}

/** Folders that hold several findings, by their last two segments. */
function conventionFolders(candidates: readonly string[]): Map<string, string[]> {
  const counts = new Map<string, number>();
  for (const path of candidates) counts.set(folderOf(path), (counts.get(folderOf(path)) ?? 0) + 1);
  const folders = new Map<string, string[]>();
  for (const [folder, count] of counts) {
    if (count < CONVENTION || folder === "") continue;
    append(folders, folderKey(folder), folder);
  }
  return folders;
}

function append(lists: Map<string, string[]>, key: string, item: string): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [item]);
  else list.push(item);
}

/** The last two segments, without what stands for the files in the folder (`*`, `*.js`, `${name}`). */
function folderKey(word: string): string {
  const segments = word.split("/").filter((segment) => segment !== "" && segment !== "." && segment !== "..");
  while (segments.length > 0 && /[*{}]/.test(segments.at(-1) ?? "")) segments.pop();
  return segments.slice(-2).join("/");
}

function baseName(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

function folderOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf("/")));
}

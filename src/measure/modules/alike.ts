/** Files of one name in folders beside each other: `channels/mail/transport.py`, `channels/chat/transport.py`. Something loads them by it. */
import { baseName, folderOf, stemOf } from "./paths.ts";

/** So many unreached files of one name, and this share of all of that name there. */
const ALIKE = { files: 3, share: 0.6 } as const;

/** Names that people give anywhere, so that they say nothing. */
const COMMON =
  /^(index|utils?|helpers?|types?|constants?|common|shared|format\w*|dates?|strings?|hooks?|api|services?|lib|mod|styles?|data|config|schemas?|context|store)$/i;

/** The candidates that are loaded by their name. `all` are the paths of the tree. */
export function loadedByName(candidates: readonly string[], all: readonly string[]): string[] {
  const counts = new Map<string, number>();
  const groups = new Map<string, string[]>();
  for (const path of candidates) {
    if (COMMON.test(stemOf(path))) continue;
    const group = groups.get(groupOf(path));
    if (group === undefined) groups.set(groupOf(path), [path]);
    else group.push(path);
  }
  for (const path of all) {
    const group = groupOf(path);
    if (groups.has(group)) counts.set(group, (counts.get(group) ?? 0) + 1);
  }
  return [...groups].flatMap(([key, paths]) =>
    paths.length >= ALIKE.files && paths.length >= (counts.get(key) ?? 0) * ALIKE.share ? paths : [],
  );
}

/** The folder above the file's own, and the file's name. */
function groupOf(path: string): string {
  return `${folderOf(folderOf(path))}\n${baseName(path)}`;
}

/**
 * Which files other files name, beside what they import: plug-ins loaded by name or by folder, scripts of templates, programs of
 * settings and of task lists. Only for the files that imports do not reach. Each text is passed over once, and a mention is kept with
 * the text that holds it: one in a text that is itself unused saves nothing.
 */
import { indexOfMentions } from "./mention_index.ts";
import { TextReader } from "./mention_reader.ts";
import { spokenLines, textKind } from "./spoken_lines.ts";
import { newPlace, type Place, take } from "./suffix_tree.ts";

export interface Mentions {
  /** Whether the text of a file can name a candidate. */
  readonly reads: (path: string) => boolean;
  /** Looks through one text. What a module imports is known: a word for which `isImport` holds names nothing else. */
  readonly read: (path: string, text: string, isImport?: (word: string) => boolean) => void;
  /** The candidates that the text of a file names; each is given once, to whoever asks first. */
  readonly takeNamedBy: (path: string) => string[];
}

/**
 * Prepares the search. `all` are the paths of the tree, `packages` the names of packages that others made: a path through one of them
 * is theirs.
 */
export function searchMentions(
  candidates: readonly string[],
  all: readonly string[],
  packages: ReadonlySet<string>,
): Mentions {
  const index = indexOfMentions(candidates, all);
  const open = new Set(candidates);
  const hits = new Map<string, Set<Place>>();
  const single = new Map<string, Place>();
  const placeOf = (path: string): Place => {
    const place = single.get(path) ?? newPlace([path]);
    single.set(path, place);
    return place;
  };
  return {
    reads: (path) => open.size > 0 && textKind(path) !== undefined,
    read: (path, text, isImport = () => false) => {
      const kind = open.size === 0 ? undefined : textKind(path);
      if (kind === undefined) return;
      const reader = new TextReader(index, { path, kind, packages, isImport });
      for (const line of spokenLines(path, text)) reader.readLine(line);
      const found = new Set(reader.places());
      for (const named of reader.files) if (open.has(named)) found.add(placeOf(named));
      if (found.size > 0) hits.set(path, found);
    },
    takeNamedBy: (path) => {
      const named = [...(hits.get(path) ?? [])].flatMap(take);
      hits.delete(path);
      return named.filter((one) => open.delete(one));
    },
  };
}

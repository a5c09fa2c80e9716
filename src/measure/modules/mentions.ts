/** Which files other files name, beside what they import. */
import { searchMentions as searchNames } from "../mentions.ts";

export interface Mentions {
  /** Looks through one text. */
  readonly read: (path: string, text: string) => void;
  /** The candidates that the text of a file names; each is given once, to whoever asks first. */
  readonly takeNamedBy: (path: string) => readonly string[];
}

/** Prepares the search. `all` are the paths of the tree. */
export function searchMentions(candidates: readonly string[], all: readonly string[]): Mentions {
  const search = searchNames(candidates, all);
  let given = false;
  return {
    read: search.read,
    takeNamedBy: () => {
      if (given) return [];
      given = true;
      const unmentioned = new Set(search.unmentioned());
      return candidates.filter((path) => !unmentioned.has(path));
    },
  };
}

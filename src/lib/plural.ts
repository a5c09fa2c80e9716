import { countText } from "./number_text.ts";

/** A noun that follows a count: "file" after 1, "files" after every other number. */
export function nounFor(count: number, one: string, many: string = `${one}s`): string {
  return count === 1 ? one : many;
}

/** A count with its noun: "0 files", "1 file", "1,204 files". */
export function countWords(count: number, one: string, many?: string): string {
  return `${countText(count)} ${nounFor(count, one, many)}`;
}

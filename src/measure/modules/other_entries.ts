/** Where scripts start that a framework of another language loads. */
import { FOREIGN_CONVENTIONS } from "./conventions.ts";
import { holding } from "./python_entries.ts";

/** The scripts that a framework of another language loads by their place. */
export function foreignEntries(paths: readonly string[]): string[] {
  const conventions = holding(FOREIGN_CONVENTIONS, paths, new Set());
  return paths.filter((path) => conventions.some(({ files }) => files.test(path)));
}

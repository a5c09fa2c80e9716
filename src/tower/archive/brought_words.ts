import type { ManifestRow } from "../../archive/mod.ts";

/** What an attempt changed of what is stored, beside the attempts before it (newest first). `isCut`: there are earlier ones still. */
export function broughtWords(
  { object, outcome, complete }: ManifestRow,
  earlier: readonly ManifestRow[],
  isCut = false,
): string {
  const before = earlier.find((one) => one.object !== null && one.complete)?.object;
  if (object === null)
    return before == null ? "Nothing is stored of it." : "Nothing: what was stored before stays.";
  if (outcome === "incomplete" || !complete)
    return "A part is kept beside what was stored; no figure is read from it.";
  if (before == null) return isCut ? "An object is stored." : "The first object of this report.";
  return before.sha256 === object.sha256
    ? "Nothing: the same object as before."
    : "Another object: the provider says something else than before.";
}

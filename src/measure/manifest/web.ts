/** Package lists of PHP and Ruby. */
import { attempt, captures, keysOf, type Manifest } from "./names.ts";

/** `composer.json`: names with a slash, which leaves out PHP itself and its extensions. */
export function readComposer(text: string): Manifest | undefined {
  const json = attempt(() => JSON.parse(text));
  if (json === undefined) return undefined;
  const names = [...keysOf(json["require"]), ...keysOf(json["require-dev"])];
  return {
    ecosystem: "composer",
    names: names.filter((name) => name.includes("/")).map((name) => name.toLowerCase()),
  };
}

/** `Gemfile`: `gem "name"` lines, read as text. */
export function readGemfile(text: string): Manifest {
  return { ecosystem: "gem", names: captures(text, /^\s*gem\s*\(?\s*["']([^"']+)["'](?![^\n]*\bpath:)/gm) };
}

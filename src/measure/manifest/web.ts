/** Package lists of PHP and Ruby. */
import { attempt, keysOf, type Manifest } from "./names.ts";
import { matchHeads } from "./text.ts";

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
  // The bracket takes the white space behind it, so that a run of it is read once.
  const gems = matchHeads(text, /gem\s*(?:\(\s*)?["']([^"']+)["']/y);
  const own = gems.filter(({ end }) => {
    const line = text.slice(end, text.indexOf("\n", end) < 0 ? text.length : text.indexOf("\n", end));
    return !/\bpath:/.test(line);
  });
  return { ecosystem: "gem", names: own.map(({ group }) => group) };
}

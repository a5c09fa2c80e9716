/** Package lists of PHP and Ruby. */
import { attempt, keysOf, type Manifest, ownName } from "./names.ts";
import { matchHeads } from "./text.ts";

/** `composer.json`: names with a slash, which leaves out PHP itself and its extensions. */
export function readComposer(text: string): Manifest | undefined {
  const json = attempt(() => JSON.parse(text));
  if (json === undefined) return undefined;
  const names = [...keysOf(json["require"]), ...keysOf(json["require-dev"])];
  return {
    ecosystem: "composer",
    names: names.filter((name) => name.includes("/")).map((name) => name.toLowerCase()),
    ...ownName(typeof json["name"] === "string" ? json["name"].toLowerCase() : undefined),
  };
}

/** `Gemfile`: `gem "name"` lines, read as text. What its `gemspec` line takes is read from the gemspec. */
export function readGemfile(text: string): Manifest {
  // The bracket takes the white space behind it, so that a run of it is read once.
  return { ecosystem: "gem", names: outside(text, matchHeads(text, /gem\s*(?:\(\s*)?["']([^"']+)["']/y)) };
}

/** The lines that do not name a path of the same repository. */
function outside(text: string, found: readonly { group: string; end: number }[]): string[] {
  const own = found.filter(({ end }) => {
    const line = text.slice(end, text.indexOf("\n", end) < 0 ? text.length : text.indexOf("\n", end));
    return !/\bpath:|:path\s*=>/.test(line);
  });
  return own.map(({ group }) => group);
}

/** `*.gemspec`: the dependencies that it adds, for users and for development, read as text. */
export function readGemspec(text: string): Manifest {
  const added = matchHeads(
    text,
    /\w+\.add_(?:runtime_|development_)?dependency\s*(?:\(\s*)?["']([^"']+)["']/y,
  );
  const [name] = matchHeads(text, /\w+\.name\s*=\s*["']([^"']+)["']/y);
  return { ecosystem: "gem", names: added.map(({ group }) => group), ...ownName(name?.group) };
}

/** `Podfile`: `pod "Name/Part"` lines, read as text. */
export function readPodfile(text: string): Manifest {
  const pods = outside(text, matchHeads(text, /pod\s*(?:\(\s*)?["']([^"'/]+)/y));
  return { ecosystem: "cocoapods", names: pods };
}

/** Helpers for reading package lists. A list that cannot be read holds nothing; nothing in it is ever run. */

/** Packages named by one manifest, with the ecosystem they come from. */
export interface Manifest {
  readonly ecosystem: string;
  readonly names: readonly string[];
  /** The names under which the list itself is a package: siblings that depend on it install nothing. */
  readonly own?: readonly string[];
  /** Other lists that are part of this one, as it names them. */
  readonly includes?: readonly string[];
  /** A program made the list from another one, and it does not say which packages that one asked for. */
  readonly resolved?: true;
  /** What of the list cannot be known without running it. */
  readonly gap?: string;
}

/** A manifest's reader: `undefined` when the text is not what its name promises. */
export type ManifestReader = (text: string) => Manifest | undefined;

/** An object, or `undefined` for anything else. */
export function asObject(value: unknown): Readonly<Record<string, unknown>> | undefined {
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? (value as Readonly<Record<string, unknown>>)
    : undefined;
}

/** The value at a chain of keys. */
export function dig(value: unknown, ...keys: readonly string[]): unknown {
  let at = value;
  for (const key of keys) {
    const object = asObject(at);
    at = object !== undefined && Object.hasOwn(object, key) ? object[key] : undefined;
  }
  return at;
}

/** The keys of an object; none for anything else. */
export function keysOf(value: unknown): string[] {
  return Object.keys(asObject(value) ?? {});
}

/** The one name a list has, when it has one. */
export function ownName(name: unknown): Pick<Manifest, "own"> {
  return typeof name === "string" && name !== "" ? { own: [name] } : {};
}

/** The strings of a list; none for anything else. */
export function stringsOf(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === "string") : [];
}

/** Parses or gives `undefined`. */
export function attempt(parse: () => unknown): Readonly<Record<string, unknown>> | undefined {
  try {
    return asObject(parse());
  } catch {
    return undefined;
  }
}

/** More keys and tables than these are no package list; the parser's time grows with their square. */
const MAX_TOML_KEYS = 10_000;

/** Reads TOML, or gives `undefined`. Throws for more keys than a package list has: what it holds is then not known. */
export function readToml(text: string): Readonly<Record<string, unknown>> | undefined {
  let keys = 0;
  for (let at = 0; at < text.length; at++) if (text.charAt(at) === "=" || text.charAt(at) === "[") keys++;
  if (keys > MAX_TOML_KEYS) throw new Error("too many keys for a package list");
  return attempt(() => Bun.TOML.parse(text));
}

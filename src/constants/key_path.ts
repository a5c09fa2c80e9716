import { FLOW_KEYS } from "./contract.ts";

/** Where a key stands: the names of its tables, then its own. */
export type KeyPath = readonly string[];

const BARE = /^[A-Za-z0-9_-]+$/;

/** The key as TOML writes it. Names that are data (site, source, metric) are always quoted, so that they stand out. */
export function dottedKey(path: KeyPath, from = 0): string {
  return path
    .slice(from)
    .map((name, i) => (BARE.test(name) && !isData(path, from + i) ? name : quoted(name)))
    .join(".");
}

/** A text as a TOML basic string. JSON's escapes are all TOML's, but JSON leaves DEL bare. */
export function quoted(text: string): string {
  return JSON.stringify(text).replaceAll("\u007f", "\\u007f");
}

function isData(path: KeyPath, index: number): boolean {
  if (path[0] !== "assets") return false;
  if (index === 1) return true;
  if (path[2] === "signal_rules") return index === 3 || index === 4;
  return index === 3 && path[2] === "flow_rules" && !FLOW_KEYS.includes(path[3] ?? "");
}

/** Aliases and entry points in a tool's settings that are a program: read as text, never run. */

/** A name, and what it stands for. */
export interface Mapping {
  readonly key: string;
  readonly targets: readonly string[];
}

const MAX_ITEMS = 500;

/** `"@": path.resolve(__dirname, "src")`, `'^@/(.*)$': '<rootDir>/src/$1'`. */
const PAIR =
  /(?:^|[\s{,])["']?([\^@~$#\w][\w@~$#^*.()/\\-]{0,80})["']?\s{0,10}:\s{0,10}([^\n]{0,200}["'`][^\n]{0,200})/gm;
const FIND =
  /\bfind\s{0,5}:\s{0,5}(?:["'`]([^"'`\n]{1,80})["'`]|\/\^?([^\n/]{1,80})\/)\s{0,5},\s{0,40}replacement\s{0,5}:([^\n]{1,300})/g;
const QUOTED = /["'`]([^"'`\n]{1,200})["'`]/g;
const ENTRIES = /\b(?:entry|entries|entryPoints|entrypoints|input)["']?\s{0,5}[:=]\s{0,5}([^;]{1,1500})/g;

/** Reads both from one text. What they name is looked up later: a pair that names nothing of the tree is none. */
export function readConfigText(text: string): { aliases: Mapping[]; entries: string[] } {
  const aliases: Mapping[] = [];
  const add = (key: string, value: string) => {
    const parts = quoted(value).map((part) => part.replace(/^<rootDir>\/?/, "./"));
    const plain = plainKey(key);
    if (parts.length === 0 || plain === "" || aliases.length >= MAX_ITEMS) return;
    const whole = parts.join("/");
    aliases.push({ key: plain, targets: [...new Set([whole, parts.at(-1) ?? ""])].map(plainTarget) });
  };
  for (const [, key = "", value = ""] of text.matchAll(PAIR))
    add(key, value.split(/,\s*(?:["'\w]|$)/)[0] ?? value);
  for (const [, key, pattern, value = ""] of text.matchAll(FIND)) add(key ?? pattern ?? "", value);
  const entries = new Set<string>();
  for (const { index, 1: value = "" } of text.matchAll(ENTRIES)) {
    // Hints for bundling ahead name what a tool looks through.
    if (/optimizeDeps["']?\s{0,5}:\s{0,5}\{[^}]{0,300}$/.test(text.slice(Math.max(0, index - 400), index)))
      continue;
    const end = value.search(/\n\s{0,8}[}\]]|\n\s*\w+\s*:/);
    for (const part of quoted(end > 0 ? value.slice(0, end) : value)) {
      if (entries.size < MAX_ITEMS && /[./]/.test(part)) entries.add(part);
    }
  }
  return { aliases, entries: [...entries] };
}

function quoted(text: string): string[] {
  return [...text.matchAll(QUOTED)].map(([, part = ""]) => part);
}

/** `^@/(.*)$` and `@/*` are both `@`. */
function plainKey(key: string): string {
  return key
    .replace(/^\^|\$$/g, "")
    .replace(/\\/g, "")
    .replace(/\/?\(?\.?\*\)?\/?$/, "");
}

function plainTarget(target: string): string {
  return target.replace(/\/?(?:\$1|\*)$/, "").replace(/\/$/, "");
}

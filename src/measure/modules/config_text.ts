/** Aliases and entry points in a tool's settings that are a program: read as text, never run. */

/** A name, and what it stands for. */
export interface Mapping {
  readonly key: string;
  readonly targets: readonly string[];
}

const MAX_ITEMS = 500;

/** Pairs and finds of one text that are looked at. */
const MAX_PAIRS = 5_000;

/** The longest value that is read. */
const MAX_VALUE = 400;

/** The name before `"@": path.resolve(__dirname, "src")`, `'^@/(.*)$': '<rootDir>/src/$1'`. */
const PAIR = /(?:^|[\s{,])["']?([\^@~$#\w][\w@~$#^*.()/\\-]{0,80})["']?\s{0,10}:/gm;
const FIND =
  /\bfind\s{0,5}:\s{0,5}(?:["'`]([^"'`\n]{1,80})["'`]|\/\^?([^\n/]{1,80})\/)\s{0,5},\s{0,40}replacement\s{0,5}:/g;
const QUOTED = /["'`]([^"'`\n]{1,200})["'`]/g;
const ENTRIES = /\b(?:entry|entries|entryPoints|entrypoints|input)["']?\s{0,5}[:=]\s{0,5}([^;]{1,1500})/g;

/** Reads both from one text. What they name is looked up later: a pair that names nothing of the tree is none. */
export function readConfigText(text: string): { aliases: Mapping[]; entries: string[] } {
  const aliases: Mapping[] = [];
  const add = (key: string, at: number) => {
    const value = valueAt(text, at);
    const parts = quoted(value).map((part) => part.replace(/^(?:<rootDir>|\$\{[^}]*\})\/?/, "./"));
    const plain = plainKey(key);
    if (parts.length === 0 || plain === "" || aliases.length >= MAX_ITEMS) return;
    const whole = /^\s*\[/.test(value) ? parts : [parts.join("/"), parts.at(-1) ?? ""];
    aliases.push({ key: plain, targets: [...new Set(whole)].map(plainTarget) });
  };
  let pairs = 0;
  for (const pattern of [PAIR, FIND]) {
    for (const { 0: whole, 1: key, 2: found = "", index } of text.matchAll(pattern)) {
      if (pairs++ > MAX_PAIRS) break;
      add(key ?? found, index + whole.length);
    }
  }
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

/** What stands behind a colon, up to the comma or the brace that ends it; nothing of an object. */
function valueAt(text: string, from: number): string {
  let depth = 0;
  let quote = "";
  const end = Math.min(text.length, from + MAX_VALUE);
  let at = from;
  for (; at < end; at++) {
    const char = text.charAt(at);
    if (quote !== "") {
      if (char === quote || char === "\n") quote = "";
    } else if (char === '"' || char === "'" || char === "`") quote = char;
    else if (char === "(" || char === "[") depth++;
    else if (char === ")" || char === "]") depth--;
    else if (char === "{" || char === ";" || depth < 0 || (depth === 0 && (char === "," || char === "}")))
      break;
  }
  return text.slice(from, at);
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

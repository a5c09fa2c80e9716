/** Which code is compared with other code, and which repeated lines are a finding: those that somebody could write once. */

import { words } from "../words.ts";

/**
 * Folders whose files repeat each other on purpose: a migration stays as it was when it ran, an example and a benchmark have to stand
 * alone. The frameworks' own tools make the first (Django, Rails, Alembic, Knex, Prisma, Entity Framework).
 */
export const APART_FOLDERS: readonly string[] = words(`
  migrations migration migrate examples example samples sample demos demo benchmarks benchmark bench
`);

/** Alembic's scripts, old migrations under names of their own, Flyway's. */
export const APART_PATTERNS: readonly RegExp[] = [
  /(?:^|\/)alembic\/versions\//i,
  /(?:^|\/)[\w.-]+_migrations\//i,
  /(?:^|\/)[VUR]\d[\d._]*__[^/]+\.sql$/,
];

const apart = new Set(APART_FOLDERS);

/** Whether a file is compared with others. */
export function isCompared(path: string): boolean {
  const folders = path.toLowerCase().split("/").slice(0, -1);
  return (
    !folders.some((folder) => apart.has(folder)) && !APART_PATTERNS.some((pattern) => pattern.test(path))
  );
}

/** Languages in which values stand on lines of their own, and lines of words are no code. */
const MARKUP: ReadonlySet<string> = new Set(
  "HTML CSS SCSS Sass Less Stylus PostCSS Vue Svelte Astro Blade Jinja Twig Liquid Handlebars HTML+ERB EJS HTML+Razor Pug Haml SQL TeX".split(
    " ",
  ),
);

/** A block is none when so many of its lines are nothing that could be written once. */
const IDLE_SHARE = 0.8;

const STRINGS = /"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|`[^`]*`/g;
/** What a line of values is made of once its strings are numbers. Every text is read in one way only, so a failure is found at once. */
const VALUES =
  /^(?:[\s,;|+()[\]{}\\]|[\w$-]+\s*(?:=>|:|=(?![=>]))|-?\d[\w.]*(?![\w.]|\s*[:=])|\b(?:true|false|null|nil|None|True|False|undefined)\b(?!\s*[:=])|\b[A-Z][A-Z\d_]+\b(?!\s*[:=(]))*$/;
const DEFINES = /^\s*#\s*(?:define\s+\w+(?:\s+[\w\s"%.+-]*)?|if|ifdef|ifndef|elif|else|endif)(?![\w(])/;
/** Five words in a row are a sentence; headings and items of a list go with them. */
const PROSE = /(?:\b[A-Za-z][a-z'’]+,? ){4}[A-Za-z]|^\s*(?:#{2,6}|[*-]) [A-Z`]/;

/** A part of a file's lines; the last one belongs to it. */
interface Part {
  readonly from: number;
  readonly to: number;
}

/**
 * For each part of a file whether there is nothing in it to write only once: a table, a list of constants, prose or parameters.
 * `isLadder`: it comes again and again in its file, and types do that where overloads are written.
 */
export function areIdle(
  lines: readonly string[],
  language: string,
  parts: readonly (Part & { readonly isLadder: boolean })[],
): readonly boolean[] {
  if (MARKUP.has(language)) return parts.map(() => false);
  const parameters = parameterLines(lines);
  const types = language === "TypeScript" && parts.some((part) => part.isLadder) ? typeLines(lines) : [];
  return parts.map(({ from, to, isLadder }) => {
    let code = 0;
    let idle = 0;
    for (let at = from - 1; at < to; at++) {
      const line = lines[at] ?? "";
      if (line.trim() === "") continue;
      code++;
      const isIdle = parameters[at] === true || (isLadder && types[at] === true);
      if (isIdle || (line.length <= MAX_LINE && isDataLine(line))) idle++;
    }
    return idle >= code * IDLE_SHARE;
  });
}

/** Longer lines are not looked at. */
const MAX_LINE = 1_000;

function isDataLine(line: string): boolean {
  return VALUES.test(line.replace(STRINGS, "0")) || DEFINES.test(line) || PROSE.test(line);
}

const TEXTS = /"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'/g;
/** What stands behind the parameters of a function, in front of its body. */
const BODY = /^(?:\s*(?:->|:)\s*[^(){}]{0,200})?\s*(?:[:{]|=>|throws\b|const\b|noexcept\b|$)/;

const LONGEST_LIST = 100;

/** For each line whether it belongs to a list of parameters that runs over lines. */
export function parameterLines(lines: readonly string[]): readonly boolean[] {
  const found = lines.map(() => false);
  const open: number[] = [];
  for (const [at, line] of lines.entries()) {
    if (line.length > MAX_LINE) continue;
    const code = line.replace(TEXTS, "0");
    for (let index = 0; index < code.length; index++) {
      const char = code.charAt(index);
      if (char === "(") open.push(at);
      if (char !== ")") continue;
      const from = open.pop();
      if (from === undefined || from === at || at - from > LONGEST_LIST) continue;
      const next = lines[at + 1]?.trimStart().startsWith("{") === true;
      const rest = code.slice(index + 1);
      if (BODY.test(rest) && (next || rest.trim() !== "")) found.fill(true, from, at + 1);
    }
  }
  return found;
}

const OPENS_TYPE = /^\s*(?:export\s+)?(?:declare\s+)?(?:interface|type)\s+[\w$]+/;
/** A type goes on behind a line that ends so, or in front of one that begins so. */
const ENDS_OPEN = /[=|&?:,<({[]\s*$/;
const BEGINS_OPEN = /^\s*[|&?:=.,>)\]}]/;

/** For each line of a TypeScript text whether it belongs to an interface or a type. */
export function typeLines(lines: readonly string[]): readonly boolean[] {
  const types: boolean[] = [];
  let inside = false;
  let depth = 0;
  for (const [at, line] of lines.entries()) {
    if (!inside && OPENS_TYPE.test(line)) {
      inside = true;
      depth = 0;
    }
    types.push(inside);
    if (!inside) continue;
    depth += bracketsLeftOpen(line);
    if (depth <= 0 && !ENDS_OPEN.test(line) && !BEGINS_OPEN.test(lines[at + 1] ?? "")) inside = false;
  }
  return types;
}

function bracketsLeftOpen(line: string): number {
  let open = 0;
  for (const char of line) {
    if ("{([".includes(char)) open++;
    else if ("})]".includes(char)) open--;
  }
  return open;
}

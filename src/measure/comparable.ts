/** Which code is compared with other code, and which repeated lines are a finding: those that somebody could write once. */

/**
 * Folders whose files repeat each other on purpose: a migration stays as it was when it ran, an example and a benchmark have to stand
 * alone. The frameworks' own tools make the first (Django, Rails, Alembic, Knex, Prisma, Entity Framework).
 */
export const APART_FOLDERS: readonly string[] = [
  "migrations",
  "migration",
  "migrate",
  "examples",
  "example",
  "samples",
  "sample",
  "demos",
  "demo",
  "benchmarks",
  "benchmark",
  "bench",
];

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

/** A block is data when so many of its lines hold nothing but values. */
const DATA_SHARE = 0.8;

const STRINGS = /"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|`[^`]*`/g;
/** What a line of values is made of once its strings are numbers. Every text is read in one way only, so a failure is found at once. */
const VALUES =
  /^(?:[\s,;|+()[\]{}\\]|[\w$-]+\s*(?:=>|:|=(?![=>]))|-?\d[\w.]*(?![\w.]|\s*[:=])|\b(?:true|false|null|nil|None|True|False|undefined)\b(?!\s*[:=])|\b[A-Z][A-Z\d_]+\b(?!\s*[:=(]))*$/;
const DEFINES = /^\s*#\s*(?:define\s+\w+(?:\s+[\w\s"%.+-]*)?|if|ifdef|ifndef|elif|else|endif)(?![\w(])/;
/** Five words in a row are a sentence; headings and items of a list go with them. */
const PROSE = /(?:\b[A-Za-z][a-z'’]+,? ){4}[A-Za-z]|^\s*(?:#{2,6}|[*-]) [A-Z`]/;

/** Whether the lines of a block are a table, a list of constants or prose: there is nothing in them to write only once. */
export function isData(lines: readonly string[], language: string): boolean {
  if (MARKUP.has(language)) return false;
  let code = 0;
  let data = 0;
  for (const line of lines) {
    if (line.trim() === "") continue;
    code++;
    if (line.length <= MAX_LINE && isDataLine(line)) data++;
  }
  return data >= code * DATA_SHARE;
}

/** Longer lines are not looked at. */
const MAX_LINE = 1_000;

function isDataLine(line: string): boolean {
  return VALUES.test(line.replace(STRINGS, "0")) || DEFINES.test(line) || PROSE.test(line);
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
    for (const char of line) {
      if (char === "{" || char === "(" || char === "[") depth++;
      else if (char === "}" || char === ")" || char === "]") depth--;
    }
    if (depth <= 0 && !ENDS_OPEN.test(line) && !BEGINS_OPEN.test(lines[at + 1] ?? "")) inside = false;
  }
  return types;
}

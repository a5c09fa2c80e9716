/** Files whose shape says that nobody wrote them by hand: squeezed, compiled, or nothing but data. */

/** Mean line length above which a file counts as squeezed into few lines, and the size from which it is judged. */
export const MINIFIED = { meanLine: 200, pageMeanLine: 1_000, minBytes: 2_048 } as const;

/** Whether a script, a style sheet or a page was squeezed into few long lines. */
export function isMinified(path: string, bytes: Uint8Array): boolean {
  const limit = /\.(?:[cm]?js|css)$/.test(path)
    ? MINIFIED.meanLine
    : /\.html?$/.test(path)
      ? MINIFIED.pageMeanLine
      : 0;
  return limit > 0 && bytes.length > MINIFIED.minBytes && bytes.length / lineCount(bytes) > limit;
}

function lineCount(bytes: Uint8Array): number {
  let lines = 1;
  for (let at = bytes.indexOf(10); at >= 0 && at < bytes.length - 1; at = bytes.indexOf(10, at + 1)) lines++;
  return lines;
}

const SOURCE_MAP = /^(?:\/\/|\/\*)[#@] ?sourceMappingURL=/m;
const MAP_WINDOW = 2_000;
const MODULE_MARK = /Object\.defineProperty\(exports, ["']__esModule["']/;

/** Whether a compiler or a bundler wrote a script or a style sheet: it points to its source map, or its source lies beside it. */
export function isCompiled(path: string, text: string, has: (path: string) => boolean): boolean {
  const stem = path.replace(/\.[^./]+$/, "");
  if (
    /\.(?:[cm]?js|css)$/.test(path) &&
    SOURCE_MAP.test(text.slice(-MAP_WINDOW).split("\n").slice(-3).join("\n"))
  )
    return true;
  if (path.endsWith(".js") && (has(`${stem}.ts`) || has(`${stem}.tsx`)))
    return MODULE_MARK.test(text.slice(0, MAP_WINDOW));
  return (
    path.endsWith(".css") && STYLE_SOURCES.some((kind) => has(`${stem}.${kind}`) || has(asSource(stem, kind)))
  );
}

const STYLE_SOURCES = ["scss", "sass", "less", "styl"] as const;

/** `css/a` is compiled from `scss/a.scss`. */
function asSource(stem: string, kind: string): string {
  return `${stem.replace(/(^|\/)(?:css|stylesheets)\/(?=[^/]*$)/, `$1${kind}/`)}.${kind}`;
}

/** More lines of nothing but values than a person writes down. */
export const DATA = { minLines: 1_000, share: 0.98 } as const;

/** Strings, numbers and words that are values. */
const VALUES =
  /"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`[^`\n]*`|\b(?:0[xX][\da-fA-F]+|\d[\d._]*(?:[eE][+-]?\d+)?)[uUlLnfF]*\b|\b(?:true|false|null|None|True|False|nil|undefined|NULL)\b/g;
/** A bare word before a value. */
const KEY = /[A-Za-z_$][\w$-]*\??(?=\s*(?::|=>))/g;
/** How a row of a table of texts begins: `'key' => `, `$_['key'] = `, `define('KEY', `. */
const TEXT_ROW = /^(?:\$\w+(?:\[[^\]\n]{0,200}\])+\s*=|define\s*\()/;
/** What is left of a row beside keys and values: the older way to write an array, texts that are put together, a comment behind them. */
const JOINTS = /\barray\s*(?=\()| \. |\s(?:\/\/|#|--).*$/g;
/** What is left of a row once all of these are gone. */
const ROW = /^(?:[\s[\](){},;:+-]|=>)*$/;
const LONGEST_ROW = 1_000;
/** Frameworks draw their comments over tables of texts with bars. */
const COMMENT = /^(?:\/\/|\/?\*|#|--|\|)/;

function codeLines(text: string): string[] {
  const lines = text.split("\n").map((line) => line.trim());
  return lines.filter((line) => line !== "" && !COMMENT.test(line));
}

/** How many of the lines are keys with values; nothing when more than `allowed` of them are anything else. */
function countRows(lines: readonly string[], allowed: number): { rows: number; others: number } | undefined {
  let rows = 0;
  let others = 0;
  for (const line of lines) {
    const row = line.slice(0, LONGEST_ROW).replace(TEXT_ROW, "");
    const rest = row.replace(VALUES, "");
    if (!ROW.test(rest.replace(JOINTS, "").replace(KEY, ""))) others++;
    else if (rest.length < row.length) rows++;
    if (others > allowed) return undefined;
  }
  return { rows, others };
}

/** Whether a source file is one large table: nearly every line of it holds only values. */
export function isData(text: string): boolean {
  const lines = codeLines(text);
  if (lines.length < DATA.minLines) return false;
  const found = countRows(lines, lines.length * (1 - DATA.share));
  return found !== undefined && found.rows >= lines.length / 2;
}

/** A language with its region or script: `pt-BR` as a folder or at the end of a file's name. */
const REGIONAL =
  /(?:^(?=[^._-]+[-_][^._-]+$)|[._-](?=.*[A-Z\d]))([a-z]{2,3})[-_](?:[A-Za-z]{2}|[A-Z][a-z]{3}|\d{3})$/;
/** A language alone is the file's whole name, or its folder's: two letters stand for much else. */
const BARE = /(?:^|\/)([a-z]{2})(?:\/[^/]+)?$/;
const LANGUAGE_NAMES = new Intl.DisplayNames("en", { type: "language", fallback: "none" });
const TRANSLATED = /\.(?:php|[cm]?[jt]s|py|rb)$/;
/** Lines of a translation that are no text, such as `return [`: this many, or this share. */
export const TRANSLATION = { frame: 4, share: 0.1 } as const;

/** Whether a file holds the texts of one language: its path names the language, and nearly every line is a key with its text. */
export function isTranslation(path: string, text: string): boolean {
  if (!TRANSLATED.test(path) || !namesLanguage(path.replace(TRANSLATED, ""))) return false;
  const lines = codeLines(text);
  const found = countRows(lines, Math.max(TRANSLATION.frame, lines.length * TRANSLATION.share));
  return found !== undefined && found.rows > 0 && found.rows >= found.others;
}

function namesLanguage(stem: string): boolean {
  const tags = [BARE.exec(stem)?.[1], ...stem.split("/").map((part) => REGIONAL.exec(part)?.[1])];
  return tags.some((tag) => tag !== undefined && LANGUAGE_NAMES.of(tag) !== undefined);
}

/** A character of an icon font, and how many of them no person types. */
const ICON = /^\s*[^\n]{0,200}content:\s*["']\\[\da-f]{3,5}["']/i;
export const ICONS = { min: 80, share: 0.2 } as const;

/** Whether a style sheet is the index of an icon font: a program writes it with the font. */
export function isIconFont(text: string): boolean {
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  const icons = lines.filter((line) => ICON.test(line)).length;
  return icons >= ICONS.min && icons >= lines.length * ICONS.share;
}

/** Elements of which tables of data are made. */
const CELL = /^<\/?(?:table|thead|tbody|tr|td|th|col|li|ul|ol|option|dt|dd)\b/i;

/** Whether a page is one large table or list: nearly every line of it is a row, a cell or an item. */
export function isTablePage(text: string): boolean {
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  if (lines.length < DATA.minLines) return false;
  return lines.filter((line) => CELL.test(line.trim())).length >= lines.length * PAGE_SHARE;
}

const PAGE_SHARE = 0.9;

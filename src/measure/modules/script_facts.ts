/**
 * What a JavaScript or TypeScript text says about other files. Clauses are read from the text, so that one syntax error hides
 * nothing; the tree says what is code at all, and what an `export` declares.
 */

import type { Node, Tree } from "web-tree-sitter";
import { words } from "../../base/text.ts";
import type { ExportFact, ImportFact, ModuleFacts, Names, ReexportFact } from "./facts.ts";
import { saysHowToRun } from "./python_facts.ts";

// Files that a script loads together: bundlers' globs, names with a hole in them, folders that are listed.

const QUOTED = String.raw`["'\x60]([^"'\x60\n]{1,300})["'\x60]`;

/** `import.meta.glob("./a/*.ts")`, also with several patterns and with types. */
const META_GLOB = /\bimport\.meta\.glob(?:Eager)?\s{0,5}(?:<[^()]{0,200}>)?\(([^)]{0,2000})/g;
const CONTEXT = new RegExp(String.raw`\brequire\.context\s{0,5}\(\s{0,20}${QUOTED}`, "g");
/** A dynamic import whose name has a hole: it takes every file of that shape. */
const HOLE = /\b(?:import|require)\s{0,5}\(\s{0,50}(?:\/\*[^*]{0,300}\*\/\s{0,50}){0,3}`([^`\n]{1,300})`/g;
/** A path with holes that is put together anywhere, from its file or from the root of the package. */
const TEMPLATE = /`(\.{1,2}\/[^`\n$]{1,200}\$\{[^`\n]{0,300})`/g;
/** `require("./" + name)`: a file beside it. */
const BESIDE_IT = /\b(?:import|require)\s{0,5}\(\s{0,20}(?:["']\.\/["']\s{0,10}\+|`\.\/\$\{)/;
/** A command line whose commands lie in a folder. */
const COMMAND_FOLDER = new RegExp(String.raw`\.commandDir\s{0,5}\(\s{0,20}${QUOTED}`, "g");
const JOINED = /\b(?:import|require)\s{0,5}\(\s{0,20}["']([^"'\n]{1,300}\/)["']\s{0,10}\+/g;
/** What may lie beside the file, put together from literal parts behind a name or `dirname(…)`. */
const BESIDE =
  /\b(?:join|resolve)\s{0,5}\(\s{0,20}(?:[\w$.]{1,60}|(?:path\.)?dirname\s{0,5}\([^,\n]{1,100}\))\s{0,10},([^()\n]{1,300})\)/g;
const LISTS =
  /\b(?:readdir|readdirSync|glob|globSync|fg|globby|walk|Glob|autoload|loadFiles|scandir)\b|Dirs?\(/;
/** What is listed is loaded: a name that is no literal is imported. */
const LOADS = /\b(?:require|import)\s{0,5}\(\s{0,20}(?![\s"'`)])|Dirs?\(|\bautoload/;

/** Patterns relative to the file. */
function globFacts(text: string): string[] {
  const found: string[] = [];
  for (const [, inner = ""] of text.matchAll(META_GLOB)) {
    for (const [, pattern = ""] of inner.matchAll(new RegExp(QUOTED, "g"))) {
      if (!pattern.startsWith("!")) found.push(pattern);
    }
  }
  for (const [, folder = ""] of text.matchAll(CONTEXT)) found.push(`${folder.replace(/\/$/, "")}/**`);
  for (const [, folder = ""] of text.matchAll(COMMAND_FOLDER))
    found.push(`./${folder.replace(/^\.\/|\/$/g, "")}/**`);
  if (BESIDE_IT.test(text)) found.push("./*", "./*/index.*");
  for (const [, written = ""] of [...text.matchAll(HOLE), ...text.matchAll(TEMPLATE)]) {
    const pattern = written.includes("${") ? withoutHoles(written) : "";
    // Without a name before the hole it could be anything.
    if (/[^./*]/.test(pattern.slice(0, pattern.indexOf("*")))) found.push(pattern);
  }
  for (const [, start = ""] of text.matchAll(JOINED)) if (/[^./]/.test(start)) found.push(`${start}**`);
  return found;
}

/** A hole that is a whole last segment may hold slashes. */
function withoutHoles(pattern: string): string {
  return pattern.replace(/\/\$\{[^}]{0,200}\}$/, "/**").replace(/\$\{[^}]{0,200}\}/g, "*");
}

/** A file that is put together is loaded; a folder only where the text lists folders and loads what it finds. */
function folderGlobs(text: string): string[] {
  const loads = LISTS.test(text) && LOADS.test(text);
  const found: string[] = [];
  for (const [, inner = ""] of text.matchAll(BESIDE)) {
    const parts = [...inner.matchAll(new RegExp(QUOTED, "g"))].map(([, part = ""]) => part);
    const path = parts.join("/").replace(/^\/+/, "");
    // A way that only leads up is the root of something, not what is loaded.
    if (!/[^./]/.test(path)) continue;
    const whole = path.startsWith(".") ? path : `./${path}`;
    found.push(whole, ...(loads ? [`${whole}/*`, `${whole}/*/index.*`] : []));
  }
  if (loads && LISTS_ITSELF.test(text)) found.push("./*", "./*/index.*");
  return found;
}

const LISTS_ITSELF =
  /\b(?:readdir|readdirSync|walk)\s{0,5}\(\s{0,20}(?:__dirname|import\.meta\.dir(?:name)?)\s{0,5}[,)]/;

/** More places than these in one file are read as if they were not there: no hand wrote them. */
const MAX_PLACES = 20_000;
const MAX_SPECIFIER = 300;

/**
 * Looking up a place in a tree takes at most as many steps as the tree has nodes, and one of broken text has hidden ones. Beyond so many of them all together the lines alone
 * say what is code, and exports are not read.
 */
const MAX_STEPS = 200_000_000;

const SPECIFIER = `["'\`]([^"'\`\\n\\r\\\\]{1,${MAX_SPECIFIER}})["'\`]`;
/** What stands between `import` and its specifier: names, a star, braces. */
const CLAUSE = String.raw`(?:type(?:\s{1,20}|(?=\{)))?([\w$]{1,200})?\s{0,20},?\s{0,20}(\*\s{0,20}as\s{1,20}[\w$]{1,200}|\{[^{}"'\x60]{0,50000}\})?`;

const KEYWORDS =
  /\b(?:import|require|export|exports)\b|["'`](?=\.{1,2}\/)|\b(?:(?:un)?(?:mock|doMock)|requireActual|importActual|requireMock|importMock|proxyquire|importScripts|addModule)\s{0,5}\(\s{0,20}(?=["'`])/g;

const STATIC = new RegExp(String.raw`import\s{0,20}${CLAUSE}\s{0,20}from\s{0,20}${SPECIFIER}`, "y");
const SIDE_EFFECT = new RegExp(String.raw`import\s{0,20}${SPECIFIER}`, "y");
const CALLED = new RegExp(
  String.raw`(?:import|require)(?:\.resolve|\.main\.require|\.context)?\s{0,20}(?:<[^<>()]{0,200}>)?\(\s{0,200}(?:/\*[^*]{0,300}\*/\s{0,200}){0,3}(?:\{\s{0,20})?${SPECIFIER}`,
  "y",
);
const REEXPORT = new RegExp(
  String.raw`export\s{1,20}(?:type\s{1,20})?(\*\s{0,20}(?:as\s{1,20}([\w$]{1,200}|"[^"\n]{1,200}"))?|\{[^{}\x60]{0,50000}\})\s{0,20}from\s{0,20}${SPECIFIER}`,
  "y",
);
const LITERAL = new RegExp(SPECIFIER, "y");
const REFERENCE = /^\/\/\/\s*<reference\s+path\s*=\s*["']([^"'\n]{1,300})["']/gm;
const MAIN_GUARD =
  /\brequire\.main\s*===?\s*module\b|\bmodule\s*===?\s*require\.main\b|\bimport\.meta\.main\b/;
/** `const { a, b: c } = await import(` before the call. */
const TAKEN = /\{([^{}]{1,2000})\}\s{0,20}=\s{0,20}(?:await\s{1,20})?$/;

/**
 * Reads one text. `source` is what was parsed; `text` the whole file, where a component has markup around its scripts. Without a tree
 * only lines that are comments are no code, and exports are not read: enough for files that only use others.
 */
export function scriptFacts(tree: Tree | undefined, source: string, text: string): ModuleFacts {
  const root = tree?.rootNode;
  const reading: Reading = {
    root,
    lookups:
      root === undefined ? 0 : Math.floor(MAX_STEPS / Math.max(1, source.length, root.descendantCount)),
    source,
    text,
    imports: [],
    reexports: [],
    exports: [],
  };
  readPlaces(reading);
  for (const [, path = ""] of text.matchAll(REFERENCE)) add(reading, relative(path), "all");
  if (source !== text) for (const [, path = ""] of text.matchAll(SCRIPT_SOURCE)) add(reading, path, "all");
  const globs = [...new Set([...globFacts(text), ...folderGlobs(text)])];
  for (const one of globs) if (!one.includes("*")) add(reading, one, "all");
  return {
    imports: reading.imports,
    reexports: reading.reexports,
    exports: withOwnUses(reading),
    globs: globs.filter((one) => one.includes("*")),
    isProgram:
      text.startsWith("#!") ||
      MAIN_GUARD.test(text) ||
      saysHowToRun(text) ||
      (tree !== undefined && isRunByHand(reading)),
  };
}

/** What hands out nothing and works on files or processes is a program that somebody runs; what only loads packages is there for that. */
function isRunByHand({ imports, exports, reexports, text }: Reading): boolean {
  if (exports.length > 0 || reexports.length > 0) return false;
  return (
    (imports.length > 0 &&
      imports.every(({ specifier, names }) => names.length === 0 && /^[\w@]/.test(specifier))) ||
    imports.some(({ specifier }) => SYSTEM.test(specifier)) ||
    /\bprocess\.(?:argv|exit|stdin)\b|\.listen\(/.test(text)
  );
}

const SYSTEM =
  /^(?:node:.+|fs|fs\/promises|fs-extra|child_process|readline|os|path|cluster|worker_threads|zx|shelljs|execa)$/;

const SCRIPT_SOURCE = /<script\b[^>]{0,300}?\bsrc\s{0,5}=\s{0,5}["']([^"'\n]{1,300})["']/gi;

interface Reading {
  readonly root: Node | undefined;
  /** Places that may still be looked up in the tree. */
  lookups: number;
  readonly source: string;
  readonly text: string;
  readonly imports: ImportFact[];
  readonly reexports: ReexportFact[];
  readonly exports: ExportFact[];
}

function add(reading: Reading, specifier: string, names: Names): void {
  reading.imports.push({ specifier, names });
}

function relative(path: string): string {
  return path.startsWith(".") ? path : `./${path}`;
}

function readPlaces(reading: Reading): void {
  const { text } = reading;
  KEYWORDS.lastIndex = 0;
  for (let places = 0; places < MAX_PLACES; places++) {
    const found = KEYWORDS.exec(text);
    if (found === null) return;
    if (!isCode(reading, found.index)) continue;
    KEYWORDS.lastIndex = Math.max(KEYWORDS.lastIndex, readPlace(reading, found[0], found.index));
  }
}

/** Reads what stands at a keyword or a quote; gives the index behind it. */
function readPlace(reading: Reading, word: string, at: number): number {
  // A member of something is no keyword, whatever it is called.
  if (/^(?:import|require|export)$/.test(word) && reading.text.charAt(at - 1) === ".") return 0;
  if (word === "import") return readImport(reading, at);
  if (word === "require") return readCall(reading, at);
  if (word === "export") return readExport(reading, at);
  if (word === "exports") {
    readCommonExport(reading, at);
    return 0;
  }
  const quote = word.length === 1 ? at : at + word.length;
  const literal = match(LITERAL, reading.text, quote);
  if (literal === undefined) return 0;
  add(reading, literal[1] ?? "", "all");
  return quote + literal[0].length;
}

function match(pattern: RegExp, text: string, at: number): RegExpExecArray | undefined {
  pattern.lastIndex = at;
  return pattern.exec(text) ?? undefined;
}

/** Whether a place is code: no comment, no part of a string, no prose between tags. Markup around scripts counts as code. */
function isCode(reading: Reading, at: number): boolean {
  const { source, text } = reading;
  if (source !== text && /\s/.test(source.charAt(at)) && !/\s/.test(text.charAt(at))) return true;
  if (reading.root === undefined || reading.lookups <= 0)
    return !COMMENT_LINE.test(text.slice(text.lastIndexOf("\n", at - 1) + 1, at).slice(0, 200));
  const node = nodeAt(reading, at);
  return node === undefined || !NO_CODE.has(node.type);
}

function nodeAt(reading: Reading, at: number): Node | undefined {
  if (reading.lookups-- <= 0) return undefined;
  return reading.root?.descendantForIndex(at, at + 1) ?? undefined;
}

const COMMENT_LINE = /^\s*(?:\/\/|\/?\*)/;

const NO_CODE: ReadonlySet<string> = new Set(
  words(`
  comment html_comment hash_bang_line string_fragment escape_sequence template_string regex_pattern jsx_text
`),
);

function readImport(reading: Reading, at: number): number {
  const { text } = reading;
  const clause = match(STATIC, text, at);
  if (clause !== undefined) {
    const [whole, single, braces, specifier = ""] = clause;
    // `import type from "…"` takes a default of that name.
    const names = single === undefined && braces !== undefined ? [] : ["default"];
    if (braces?.startsWith("*")) add(reading, specifier, "all");
    else add(reading, specifier, [...names, ...pairsOf(braces).map(({ name }) => name)]);
    return at + whole.length;
  }
  const bare = match(SIDE_EFFECT, text, at);
  if (bare === undefined) return readCall(reading, at);
  add(reading, bare[1] ?? "", []);
  return at + bare[0].length;
}

/** A dynamic import or a `require`, with the names that the statement takes of it. */
function readCall(reading: Reading, at: number): number {
  const { text } = reading;
  const call = match(CALLED, text, at);
  if (call === undefined) return 0;
  const [whole, specifier = ""] = call;
  add(reading, specifier, takenNames(text, at, at + whole.length));
  return at + whole.length;
}

function takenNames(text: string, at: number, end: number): Names {
  const behind = text.slice(end, end + 60);
  const before = text.slice(Math.max(0, at - 2_000), at);
  const taken = TAKEN.exec(before)?.[1];
  if (taken !== undefined && /^\s*\)\s*(?:;|\n|$)/.test(behind)) {
    if (taken.includes("...")) return "all";
    return pairsOf(taken.replace(/:/g, " as ")).map(({ name }) => name);
  }
  const member = /^\s*\)\s*\.\s*([\w$]{1,200})/.exec(behind)?.[1];
  // `import("./x").then(…)` takes what the function takes; `require("./x").a`, and `import("./x").T` of a type, take one name.
  if (member === undefined || ["then", "catch", "finally", "default"].includes(member)) return "all";
  return [member];
}

/** The names between braces: `a`, `b as c`, `type d`. */
function pairsOf(braces: string | undefined): { name: string; as: string }[] {
  if (braces === undefined) return [];
  return braces
    .replace(/\/\*[^*]{0,1000}\*\/|\/\/[^\n]{0,1000}/g, " ")
    .replace(/[{}]/g, " ")
    .split(",")
    .flatMap((part) => {
      const words = part.trim().split(/\s+/);
      if (words[0] === "type" && words.length > 1 && words[1] !== "as") words.shift();
      const [name = "", keyword, as] = words.map((word) => word.replace(/^["']|["']$/g, ""));
      return name === "" ? [] : [{ name, as: keyword === "as" && as !== undefined ? as : name }];
    });
}

function readExport(reading: Reading, at: number): number {
  const { text } = reading;
  const from = match(REEXPORT, text, at);
  if (from !== undefined) {
    const [whole, names = "", as, specifier = ""] = from;
    const pairs = names.startsWith("{") ? pairsOf(names) : [{ name: "*", as: as?.replace(/"/g, "") ?? "*" }];
    reading.reexports.push({ specifier, names: pairs[0]?.as === "*" ? "all" : pairs });
    return at + whole.length;
  }
  const statement = nodeAt(reading, at)?.parent;
  // What a namespace or an ambient module exports belongs to it.
  if (statement?.type === "export_statement" && statement.parent?.type === "program") {
    for (const one of declaredNames(statement)) reading.exports.push(one);
  }
  return 0;
}

const COMMON = /exports(?:\.([\w$]{1,200})\s{0,20}=(?!=)|\s{0,20}=\s{0,20}\{)/y;

/** `exports.a = …`, `module.exports.a = …`, `module.exports = { a, b }`. */
function readCommonExport(reading: Reading, at: number): void {
  const { text, root } = reading;
  const found = root === undefined ? undefined : match(COMMON, text, at);
  if (
    root === undefined ||
    found === undefined ||
    (text.charAt(at - 1) === "." && text.slice(at - 7, at) !== "module.")
  )
    return;
  const line = (index: number) => (nodeAt(reading, index)?.startPosition.row ?? 0) + 1;
  const [whole, name] = found;
  if (name !== undefined) {
    reading.exports.push({ name, line: line(at) });
    return;
  }
  const object = nodeAt(reading, at + whole.length - 1)?.parent;
  if (object?.type !== "object") return;
  for (const member of object.namedChildren) {
    const key = member.type === "pair" || member.type === "method_definition" ? member.namedChild(0) : member;
    const word = key?.text.slice(0, 200) ?? "";
    if (/^[\w$]+$/.test(word)) reading.exports.push({ name: word, line: member.startPosition.row + 1 });
  }
}

/**
 * The exports, each once, and which of them their own file uses. A type that it uses is exported because whoever takes the value
 * needs its name: that says nothing about use.
 */
function withOwnUses({ exports, source }: Reading): ExportFact[] {
  const counts = new Map(exports.map(({ name }) => [name, 0]));
  if (counts.size > 0) {
    for (const [word] of source.matchAll(/[\w$]+/g)) {
      const count = counts.get(word);
      if (count !== undefined) counts.set(word, count + 1);
    }
  }
  return exports.flatMap((one) => {
    const count = counts.get(one.name);
    counts.delete(one.name);
    const inside = (count ?? 0) > 1 && one.name !== "default";
    if (count === undefined || (inside && one.isType === true)) return [];
    return [inside ? { ...one, inside } : one];
  });
}

// The names that one `export` statement declares.

const TYPES: ReadonlySet<string> = new Set(["interface_declaration", "type_alias_declaration"]);

const MAX_NAME = 200;

/** The names of `export …` without a `from`. */
export function declaredNames(statement: Node): ExportFact[] {
  const names: ExportFact[] = [];
  for (const child of statement.children) {
    if (child.type === "default") return [{ name: "default", line: lineOf(child) }];
    if (child.type === "=") return [];
    if (child.type === "export_clause") {
      for (const one of child.namedChildren) {
        const name = one.childForFieldName("alias") ?? one.childForFieldName("name");
        if (name !== null) names.push({ name: textOf(name).replace(/^["']|["']$/g, ""), line: lineOf(one) });
      }
      return names;
    }
  }
  const declaration = statement.childForFieldName("declaration");
  return declaration === null ? [] : namesOf(declaration);
}

function namesOf(declaration: Node): ExportFact[] {
  if (declaration.type === "ambient_declaration") {
    const inner = declaration.namedChild(0);
    return inner === null ? [] : namesOf(inner);
  }
  if (declaration.type === "lexical_declaration" || declaration.type === "variable_declaration") {
    return declaration.namedChildren.flatMap((declarator) => {
      const name = declarator.childForFieldName("name");
      if (name === null) return [];
      // `const undo = register({ … })`: the call may hand the value on, so that it is used though nothing names it.
      const isHandedOn =
        declarator.childForFieldName("value")?.childForFieldName("function")?.type === "identifier";
      return patternNames(name).map((one) => (isHandedOn ? { ...one, inside: true } : one));
    });
  }
  const name = declaration.childForFieldName("name");
  if (name === null) return [];
  const isType = TYPES.has(declaration.type);
  return [{ name: textOf(name), line: lineOf(name), ...(isType ? { isType } : {}) }];
}

/** An identifier, or every name of a destructuring pattern. */
function patternNames(pattern: Node): ExportFact[] {
  if (pattern.type === "identifier") return [{ name: textOf(pattern), line: lineOf(pattern) }];
  return pattern
    .descendantsOfType(["shorthand_property_identifier_pattern", "identifier"])
    .map((one) => ({ name: textOf(one), line: lineOf(one) }));
}

function textOf(node: Node): string {
  return node.text.slice(0, MAX_NAME);
}

function lineOf(node: Node): number {
  return node.startPosition.row + 1;
}

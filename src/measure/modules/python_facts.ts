/**
 * What one Python file says about others: its imports, the names it hands to the import machinery as text, and the folders it
 * loads from. Those are imports whose specifier is a pattern: `.*` is every module beside the file, `*.tasks` every one of that name.
 * The specifier of a name given as text ends with a colon: it may as well be a field of something.
 */

import type { Node, Tree } from "web-tree-sitter";
import { eachNode } from "../complexity.ts";
import type { ImportFact, ModuleFacts } from "./facts.ts";

// A file whose own head says how to start it is started by hand.

const HEAD = 2_000;
const USAGE =
  /\b(?:usage|run(?: (?:it|this))?(?: (?:with|as|like this))?|execute)[ \t]{0,3}:\s{0,10}(?:[#*/$>`]{1,3}[ \t]{0,5}){0,4}(?:node|bun|deno|tsx|ts-node|npx|python[\d.]{0,5}|uv run|poetry run|pipenv run|scrapy runspider|\.\/)\s?/i;

/** Whether a comment at the head of a text tells how to run it. */
export function saysHowToRun(text: string): boolean {
  return USAGE.test(text.slice(0, HEAD));
}

/** A module name written as text; a colon parts the module from the object in it. */
const MODULE_TEXT = /^\.{0,3}[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*(?::[\w.]+)?$/;

/** A longer text is no module name, and a file with more of them is data. */
const MAX_NAME = 200;
const MAX_TEXTS = 5_000;

/** Calls that run a file as a program when they stand by themselves at the top of it. */
const RUNNING = /^(main|cli|run|app|start|execute_from_command_line|[\w.]*\.(run|main|run_forever))$/;

interface Found {
  readonly imports: ImportFact[];
  readonly patterns: Set<string>;
  /** Texts that look like module names. */
  readonly texts: Set<string>;
  /** Texts of one word, which name submodules in a package that loads them lazily. */
  readonly words: Set<string>;
  isProgram: boolean;
  /** It imports by a name that is computed. */
  importsComputed: boolean;
  listsFiles: boolean;
  lazy: boolean;
  /** It has functions or classes that others could take. */
  defines: boolean;
  /** It does something as soon as it is loaded. */
  acts: boolean;
  /** It takes everything of a settings module. */
  takesSettings: boolean;
}

/** What a server or a worker looks for in the module that it is started with. */
const DOOR = /^application$/;
/** A settings module, which the environment of a process names, begins with another one and sets more. */
const SETTINGS_MODULE = /(?:^|[._])settings?(?:$|[._])/;

/** Reads the facts of a parsed file. `isPackage` for an `__init__.py`, whose `.` is its own folder's name. */
export function pythonFacts(tree: Tree, text: string, isPackage: boolean): ModuleFacts {
  const found: Found = {
    imports: [],
    patterns: new Set(),
    texts: new Set(),
    words: new Set(),
    isProgram: /^#!.{0,100}python/.test(text) || saysHowToRun(text),
    importsComputed: false,
    listsFiles: false,
    lazy: false,
    defines: false,
    acts: false,
    takesSettings: false,
  };
  eachNode(tree, (cursor, depth) => READERS.get(cursor.nodeType)?.(cursor.currentNode, found, depth));
  if (found.importsComputed && found.listsFiles) found.patterns.add(".**");
  // The packages that a module lies in are run before it.
  const imports: ImportFact[] = [{ specifier: isPackage ? ".." : ".", names: [] }, ...found.imports];
  for (const text of found.texts) imports.push({ specifier: `${text}:`, names: "all" });
  for (const specifier of found.patterns) imports.push({ specifier, names: "all" });
  if (isPackage && found.lazy && found.words.size > 0)
    imports.push({ specifier: ".", names: [...found.words] });
  return {
    imports,
    reexports: [],
    exports: [],
    globs: [],
    isProgram: found.isProgram || ((found.acts || found.takesSettings) && !found.defines),
  };
}

/** What each kind of node says; `depth` is 1 at the top of the file. */
const READERS = new Map<string, (node: Node, found: Found, depth: number) => void>([
  ["import_statement", readImport],
  ["import_from_statement", readFrom],
  ["string", readText],
  ["call", readCall],
  ["if_statement", readCondition],
  ["for_statement", readAct],
  ["while_statement", readAct],
  ["with_statement", readAct],
  ["class_definition", readDefinition],
  ["function_definition", readFunction],
  ["assignment", readAssignment],
]);

function readImport(statement: Node, found: Found): void {
  for (const name of importedNames(statement)) found.imports.push({ specifier: name, names: "all" });
}

function readCondition(statement: Node, found: Found, depth: number): void {
  if (depth === 1 && isMainGuard(statement)) found.isProgram = true;
}

function readAct(_: Node, found: Found, depth: number): void {
  if (depth === 1) found.acts = true;
}

/** With a decorator it lies one deeper. */
function readDefinition(_: Node, found: Found, depth: number): void {
  if (depth === 1 || depth === 2) found.defines = true;
}

function readFunction(definition: Node, found: Found, depth: number): void {
  readDefinition(definition, found, depth);
  if (depth !== 1) return;
  const name = nameOf(definition.childForFieldName("name"));
  if (name === "__getattr__") found.lazy = true;
  // Whoever starts a daemon calls its `main`: a unit file, a wrapper, an entry point of a package.
  if (name === "main") found.isProgram = true;
}

/** A setting may leave a hole in a module's name: `ROOT_URLCONF = "site.urls.%s"`. */
function readAssignment(node: Node, found: Found, depth: number): void {
  const name = nameOf(node.childForFieldName("left"));
  if (name === "__all__") found.lazy = true;
  const value = node.childForFieldName("right");
  if (depth === 2 && name !== undefined && DOOR.test(name) && value?.type === "call") found.isProgram = true;
  if (name === undefined || !/^[A-Z][A-Z0-9_]*$/.test(name) || value?.type !== "string") return;
  const pattern = withHoles(value);
  if (/^[A-Za-z_]\w*(\.\w+)*\.\*$/.test(pattern)) found.patterns.add(pattern);
}

function importedNames(statement: Node): string[] {
  return statement.childrenForFieldName("name").flatMap((child) => {
    const name = child?.type === "aliased_import" ? child.childForFieldName("name") : child;
    return name === null || name === undefined || name.text.length > MAX_NAME ? [] : [squeezed(name.text)];
  });
}

function readFrom(statement: Node, found: Found): void {
  const module = statement.childForFieldName("module_name");
  if (module === null || module.text.length > MAX_NAME) return;
  const names = importedNames(statement);
  const whole = statement.namedChildren.some((child) => child?.type === "wildcard_import");
  if (whole && SETTINGS_MODULE.test(module.text)) found.takesSettings = true;
  found.imports.push({ specifier: squeezed(module.text), names: whole ? "all" : names });
}

function readText(node: Node, found: Found): void {
  const text = plainText(node);
  if (text === undefined || text.length > MAX_NAME || !MODULE_TEXT.test(text)) return;
  const name = text.replace(/:.*/, "");
  if (name.includes(".")) {
    if (found.texts.size < MAX_TEXTS) found.texts.add(name);
  } else if (found.words.size < MAX_TEXTS) found.words.add(name);
}

function readCall(call: Node, found: Found, depth: number): void {
  const callee = call.childForFieldName("function");
  const name = callee?.type === "attribute" ? nameOf(callee.childForFieldName("attribute")) : nameOf(callee);
  if (name === undefined) return;
  // Only what starts a process says which settings it runs with.
  if (depth === 2 && name === "setdefault" && /\benviron\b.*_SETTINGS_MODULE/.test(short(call)))
    found.isProgram = true;
  if (depth === 2 && call.parent?.type === "expression_statement" && RUNNING.test(short(callee)))
    found.isProgram = true;
  CALLS.get(name)?.(call, found);
}

type CallReader = (call: Node, found: Found) => void;

/** What calls of some functions say, by their names. */
const CALLS = new Map<string, CallReader>([
  // These import a module by its name, given as text.
  ...named("import_module __import__ import_string import_object importorskip", readImporting),
  ...named("spec_from_file_location", (_, found) => {
    found.importsComputed = true;
  }),
  // These list a folder; beside an import by a computed name they find plug-ins.
  ...named("listdir iterdir glob rglob scandir walk", (_, found) => {
    found.listsFiles = true;
  }),
  // These make a package's names load with their first use.
  ...named("attach attach_stub _LazyModule", (_, found) => {
    found.lazy = true;
  }),
  // These load the module of one name from every package.
  ...named("autodiscover_modules", readDiscovering),
  ...named("autodiscover_tasks", (call, found) => {
    found.patterns.add("*.tasks");
    readDiscovering(call, found);
  }),
  // These list the modules of a package.
  ...named("iter_modules", (call, found) => readListing(call, "*", found)),
  ...named("walk_packages", (call, found) => readListing(call, "**", found)),
]);

function named(names: string, read: CallReader): (readonly [string, CallReader])[] {
  return names.split(" ").map((name) => [name, read]);
}

function readDiscovering(call: Node, found: Found): void {
  for (const child of call.childForFieldName("arguments")?.namedChildren ?? []) {
    const value = child?.type === "keyword_argument" ? child.childForFieldName("value") : child;
    const text = value?.type === "string" ? plainText(value) : undefined;
    if (text !== undefined && /^\w{1,100}$/.test(text)) found.patterns.add(`*.${text}`);
  }
}

function readListing(call: Node, below: string, found: Found): void {
  const listed = /([\w.]+)\.__path__/.exec(short(call.childForFieldName("arguments")))?.[1];
  // The listed package may have been imported by its whole name, or from beside the file.
  for (const folder of listed === undefined ? [""] : [listed, `.${listed}`])
    found.patterns.add(`${folder}.${below}`);
}

function readImporting(call: Node, found: Found): void {
  const argument = call.childForFieldName("arguments")?.namedChild(0);
  const pattern = argument ? patternOf(argument) : undefined;
  if (pattern === undefined || pattern === "*") {
    found.importsComputed = true;
    return;
  }
  if (pattern.length > MAX_NAME || !/^[\w.*]+$/.test(pattern)) return;
  if (pattern.includes("*")) found.patterns.add(pattern);
  else if (!pattern.includes(".")) found.imports.push({ specifier: pattern, names: "all" });
}

/** What is known of a module name that is put together: holes are `*`. */
function patternOf(node: Node): string | undefined {
  if (node.type === "string") return withHoles(node);
  if (node.type === "binary_operator") {
    const left = node.childForFieldName("left");
    const pattern = left === null ? undefined : patternOf(left);
    if (pattern === undefined) return undefined;
    return pattern.endsWith(".") ? `${pattern}*` : pattern;
  }
  if (node.type === "call") {
    const callee = node.childForFieldName("function");
    const object = callee?.type === "attribute" ? callee.childForFieldName("object") : null;
    return object?.type === "string" && nameOf(callee?.childForFieldName("attribute")) === "format"
      ? withHoles(object)
      : undefined;
  }
  return undefined;
}

/** The text of a string; `*` stands for each part that is put in, nothing for the module's own name. */
function withHoles(node: Node): string {
  let text = "";
  for (const child of node.namedChildren) {
    if (child?.type === "string_content") text += child.text;
    else if (child?.type === "interpolation") text += /__(name|package)__/.test(short(child)) ? "" : "*";
  }
  return text.slice(0, MAX_NAME + 1).replace(/\{[^{}]{0,50}\}|%(\(\w{0,50}\))?s/g, "*");
}

/** The text of a string without holes. */
function plainText(node: Node): string | undefined {
  const { startIndex, endIndex } = node;
  if (endIndex - startIndex > MAX_NAME + 8) return undefined;
  return /^[A-Za-z]{0,2}(['"]{3}|['"])([^'"{}%\\\s]*)\1$/.exec(node.text)?.[2];
}

function isMainGuard(statement: Node): boolean {
  const condition = short(statement.childForFieldName("condition"));
  return condition.includes("__name__") && condition.includes("__main__");
}

function nameOf(node: Node | null | undefined): string | undefined {
  return node?.type === "identifier" ? node.text.slice(0, MAX_NAME) : undefined;
}

function short(node: Node | null | undefined): string {
  return node === null || node === undefined || node.endIndex - node.startIndex > MAX_NAME ? "" : node.text;
}

/** Names may be written with white space around their dots. */
function squeezed(name: string): string {
  return name.replace(/\s+|\\/g, "");
}

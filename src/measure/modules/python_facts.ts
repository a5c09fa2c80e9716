/**
 * What one Python file says about others: its imports, the names it hands to the import machinery as text, and the folders it
 * loads from. Those are imports whose specifier is a pattern: `.*` is every module beside the file, `*.tasks` every one of that name.
 * The specifier of a name given as text ends with a colon: it may as well be a field of something.
 */
import type { Node, Tree, TreeCursor } from "web-tree-sitter";
import type { ImportFact, ModuleFacts } from "./facts.ts";
import { saysHowToRun } from "./usage_line.ts";

/** Functions that import a module by its name, given as text. */
const IMPORTING = new Set(["import_module", "__import__", "import_string", "import_object", "importorskip"]);

/** Functions that list the modules of a package. */
const LISTING_MODULES = new Set(["iter_modules", "walk_packages"]);

/** Functions that load the module of one name from every package. */
const DISCOVERING = new Set(["autodiscover_modules", "autodiscover_tasks"]);

/** Functions that list a folder; beside an import by a computed name they find plug-ins. */
const LISTING_FILES = new Set(["listdir", "iterdir", "glob", "rglob", "scandir", "walk"]);

/** Functions that make a package's names load with their first use. */
const LAZY = new Set(["attach", "attach_stub", "_LazyModule"]);

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
}

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
  };
  const cursor = tree.walk();
  try {
    walk(cursor, found);
  } finally {
    cursor.delete();
  }
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
    isProgram: found.isProgram || (found.acts && !found.defines),
  };
}

/** Visits every node once, whatever its depth. */
function walk(cursor: TreeCursor, found: Found): void {
  let depth = 0;
  for (;;) {
    visit(cursor, depth, found);
    if (cursor.gotoFirstChild()) {
      depth++;
      continue;
    }
    while (!cursor.gotoNextSibling()) {
      if (!cursor.gotoParent()) return;
      depth--;
    }
  }
}

function visit(cursor: TreeCursor, depth: number, found: Found): void {
  switch (cursor.nodeType) {
    case "import_statement":
      for (const name of importedNames(cursor.currentNode))
        found.imports.push({ specifier: name, names: "all" });
      break;
    case "import_from_statement":
      readFrom(cursor.currentNode, found);
      break;
    case "string":
      readText(plainText(cursor.currentNode), found);
      break;
    case "call":
      readCall(cursor.currentNode, depth, found);
      break;
    case "if_statement":
      if (depth === 1 && isMainGuard(cursor.currentNode)) found.isProgram = true;
      break;
    case "for_statement":
    case "while_statement":
    case "with_statement":
      if (depth === 1) found.acts = true;
      break;
    case "class_definition":
      if (depth === 1 || depth === 2) found.defines = true;
      break;
    case "function_definition":
      if (depth === 1 || depth === 2) found.defines = true;
      if (depth === 1 && nameOf(cursor.currentNode.childForFieldName("name")) === "__getattr__")
        found.lazy = true;
      break;
    case "assignment":
      readAssignment(cursor.currentNode, found);
  }
}

/** A setting may leave a hole in a module's name: `ROOT_URLCONF = "site.urls.%s"`. */
function readAssignment(node: Node, found: Found): void {
  const name = nameOf(node.childForFieldName("left"));
  if (name === "__all__") found.lazy = true;
  const value = node.childForFieldName("right");
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
  found.imports.push({ specifier: squeezed(module.text), names: whole ? "all" : names });
}

function readText(text: string | undefined, found: Found): void {
  if (text === undefined || text.length > MAX_NAME || !MODULE_TEXT.test(text)) return;
  const name = text.replace(/:.*/, "");
  if (name.includes(".")) {
    if (found.texts.size < MAX_TEXTS) found.texts.add(name);
  } else if (found.words.size < MAX_TEXTS) found.words.add(name);
}

function readCall(call: Node, depth: number, found: Found): void {
  const callee = call.childForFieldName("function");
  const name = callee?.type === "attribute" ? nameOf(callee.childForFieldName("attribute")) : nameOf(callee);
  if (name === undefined) return;
  if (depth === 2 && call.parent?.type === "expression_statement" && RUNNING.test(short(callee)))
    found.isProgram = true;
  if (LISTING_FILES.has(name)) found.listsFiles = true;
  if (LAZY.has(name)) found.lazy = true;
  if (IMPORTING.has(name)) readImporting(firstArgument(call), found);
  if (name === "spec_from_file_location") found.importsComputed = true;
  if (name === "autodiscover_tasks") found.patterns.add("*.tasks");
  if (DISCOVERING.has(name)) {
    for (const child of call.childForFieldName("arguments")?.namedChildren ?? []) {
      const value = child?.type === "keyword_argument" ? child.childForFieldName("value") : child;
      const text = value?.type === "string" ? plainText(value) : undefined;
      if (text !== undefined && /^\w{1,100}$/.test(text)) found.patterns.add(`*.${text}`);
    }
  }
  if (LISTING_MODULES.has(name)) {
    const below = name === "walk_packages" ? "**" : "*";
    const listed = /([\w.]+)\.__path__/.exec(short(call.childForFieldName("arguments")))?.[1];
    // The listed package may have been imported by its whole name, or from beside the file.
    for (const folder of listed === undefined ? [""] : [listed, `.${listed}`])
      found.patterns.add(`${folder}.${below}`);
  }
}

function readImporting(argument: Node | undefined, found: Found): void {
  const pattern = argument === undefined ? undefined : patternOf(argument);
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

function firstArgument(call: Node): Node | undefined {
  return call.childForFieldName("arguments")?.namedChild(0) ?? undefined;
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

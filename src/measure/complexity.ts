/** Cyclomatic complexity of every function, from tree-sitter trees. */

import { existsSync } from "node:fs";
import { join } from "node:path";
import { Language, type Node, Parser, type Tree, type TreeCursor } from "web-tree-sitter";
import { words } from "../base/text.ts";
import { COMPLEXITY_RULES, type GrammarName, type GrammarRules } from "./complexity_rules.ts";

// The name of a function in a report: an identifier chain, never source text.

const ANONYMOUS = "(anonymous)";
const MAX_NAME = 200;
/** What gives its name to a value, with the field that holds the name. */
const NAMED_PARENTS: Readonly<Record<string, string>> = {
  variable_declarator: "name",
  pair: "key",
  public_field_definition: "name",
  field_definition: "property",
  assignment_expression: "left",
  assignment_pattern: "left",
  assignment: "left",
  let_declaration: "pattern",
  short_var_declaration: "left",
  init_declarator: "declarator",
};

/** Calls of the grammars, with the field that holds what is called. */
const CALLS: Readonly<Record<string, string>> = {
  call_expression: "function",
  new_expression: "constructor",
  method_invocation: "name",
  invocation_expression: "function",
  function_call_expression: "function",
  member_call_expression: "name",
  scoped_call_expression: "name",
};

/** What stands around a value without giving it a name. */
const WRAPPERS: ReadonlySet<string> = new Set(
  words(`
  parenthesized_expression as_expression satisfies_expression non_null_expression await_expression expression_list
  arguments argument_list argument jsx_expression
`),
);

/** Steps up from a function to what names it. */
const MAX_STEPS = 8;

/**
 * Names a function node: its own name, the name that it is given to, or `(anonymous)`. One that is handed to a call is the callback
 * of what is called. `outer`: the function around it, which helps to find what has no name of its own.
 */
function functionName(node: Node, outer?: Node): string {
  const own = node.childForFieldName("name") ?? ownName(node) ?? declaratorName(node);
  if (own !== null) return cleanName(textOf(own));
  const { name, callee } = givenName(node);
  if (name !== ANONYMOUS) return name;
  const found = callee === undefined ? ANONYMOUS : `${callee} callback`;
  const around = outer === undefined ? ANONYMOUS : functionName(outer);
  return around === ANONYMOUS ? found : short(`${found} in ${around}`);
}

/** The name that a value is given to, and what it is handed to on the way there. */
function givenName(node: Node): { readonly name: string; readonly callee?: string } {
  let callee: string | undefined;
  let below = node;
  for (let step = 0; step < MAX_STEPS; step++) {
    const { parent } = below;
    if (parent === null) break;
    const field = NAMED_PARENTS[parent.type];
    const call = CALLS[parent.type];
    if (field !== undefined) {
      const name = cleanName(textOf(parent.childForFieldName(field)));
      return { name, ...(callee === undefined ? {} : { callee }) };
    }
    if (parent.type === "jsx_attribute") return { name: cleanName(textOf(parent.namedChild(0))) };
    if (parent.type === "export_statement") return { name: "default" };
    if (call !== undefined) callee ??= calleeName(parent.childForFieldName(call), below);
    else if (!WRAPPERS.has(parent.type)) break;
    below = parent;
  }
  return { name: ANONYMOUS, ...(callee === undefined ? {} : { callee }) };
}

/** The last name of what is called: of `a.b().c(…)` it is `c`. A function that is called on the spot has none. */
function calleeName(called: Node | null, value: Node): string | undefined {
  if (called === null || called.id === value.id) return undefined;
  const whole = cleanName(textOf(called));
  const last = ["property", "field", "name"]
    .map((field) => called.childForFieldName(field))
    .find((one) => one !== null);
  const name = whole === ANONYMOUS ? cleanName(textOf(last ?? null)) : whole;
  return name === ANONYMOUS ? undefined : name;
}

/** The text of a node that can be a name; taking long ones again and again would take the square of a text. */
function textOf(node: Node | null): string {
  return node === null || node.endIndex - node.startIndex > MAX_NAME * 4 ? "" : node.text;
}

function ownName(node: Node): Node | null {
  return node.namedChildren.find((child) => child?.type === "function_name") ?? null;
}

/** C and C++ wrap the name into declarators: pointers, references, the parameter list. */
function declaratorName(node: Node): Node | null {
  let at = node.childForFieldName("declarator");
  for (let depth = 0; at !== null && depth < 20; depth++) {
    const inner: Node | null =
      at.childForFieldName("declarator") ??
      (/_declarator$/.test(at.type) ? (at.namedChildren.find((child) => child !== null) ?? null) : null);
    if (inner === null) return at;
    at = inner;
  }
  return null;
}

const CHAIN =
  /^[~@#$]?[\p{L}_][\p{L}\p{N}_$]*[?!=]?(?:(?:\.|::|->)[~#$]?[\p{L}_$][\p{L}\p{N}_$]*)*[?!=]?$|^[$_][\p{L}\p{N}_$]*$/u;
const OPERATOR = /^(?:(?:[\p{L}_][\p{L}\p{N}_]*::)*operator ?)?[-+*/%<>=!~^&|[\]()]{1,3}$/u;
const COMMAND = /^[\p{L}_][\p{L}\p{N}_:.-]*$/u;

/** Keeps identifier chains, operator names and shell-style names; anything else has no name. */
export function cleanName(text: string): string {
  const name = text.trim();
  if (name.length > MAX_NAME * 4) return ANONYMOUS;
  const bare = /^(["'])([\p{L}\p{N}_$.-]+)\1$/u.exec(name)?.[2] ?? name;
  if (!CHAIN.test(bare) && !OPERATOR.test(bare) && !COMMAND.test(bare)) return ANONYMOUS;
  return short(bare);
}

function short(name: string): string {
  return [...name].slice(0, MAX_NAME).join("");
}

/** A function with its complexity. Lines count from 1; `length` is in lines. */
export interface MeasuredFunction {
  readonly name: string;
  readonly line: number;
  readonly complexity: number;
  readonly length: number;
}

/** A grammar ready to parse, with the meaning of each of its node types. */
export interface Grammar {
  readonly parser: Parser;
  readonly meanings: Uint8Array;
  /** For a token: the parents below which it is a decision. */
  readonly parents: ReadonlyMap<number, ReadonlySet<number>>;
  /** A function node without a body is a declaration only. */
  readonly needsBody: boolean;
  /** Macros can stand in front of a statement. */
  readonly hasMacros: boolean;
}

const FUNCTION = 1;
const DECISION = 2;
const ARM = 3;
const TOKEN = 4;

/**
 * Most hundreds of steps that the parser takes for one file. Steps and not time, so that a busy machine gives the same figures as
 * an idle one: the densest file of 1 MiB that is no attack takes 50,000 of them, and they last a few seconds.
 */
const PARSE_BUDGET = 60_000;

/** Loads grammars once each from folders of `tree-sitter-<name>.wasm` files. */
export function grammarLoader(folders: readonly string[]): (name: GrammarName) => Promise<Grammar> {
  const loaded = new Map<GrammarName, Promise<Grammar>>();
  return (name) => loaded.getOrInsertComputed(name, () => loadGrammar(folders, name));
}

async function loadGrammar(folders: readonly string[], name: GrammarName): Promise<Grammar> {
  await Parser.init();
  const files = folders.map((folder) => join(folder, `tree-sitter-${name}.wasm`));
  const language = await Language.load(files.find((file) => existsSync(file)) ?? `no grammar ${name}`);
  const parser = new Parser();
  parser.setLanguage(language);
  const rules: GrammarRules = COMPLEXITY_RULES[name];
  const hasMacros = name === "c" || name === "cpp";
  return { parser, needsBody: rules.needsBody === true, hasMacros, ...meaningsOf(language, rules) };
}

/** Several ids can carry one name, so every id is looked up by its name. */
function meaningsOf(language: Language, rules: GrammarRules): Pick<Grammar, "meanings" | "parents"> {
  const meanings = new Uint8Array(language.nodeTypeCount);
  const parents = new Map<number, Set<number>>();
  const ids = new Map<string, number[]>();
  for (let id = 0; id < language.nodeTypeCount; id++) {
    const type = language.nodeTypeForId(id);
    if (type === null) continue;
    const key = `${language.nodeTypeIsNamed(id) ? "named" : "token"} ${type}`;
    ids.getOrInsert(key, []).push(id);
  }
  const set = (names: readonly string[], meaning: number) => {
    for (const name of names) for (const id of ids.get(`named ${name}`) ?? []) meanings[id] = meaning;
  };
  set(rules.functions, FUNCTION);
  set(rules.decisions, DECISION);
  set(rules.arms ?? [], ARM);
  for (const [parent, tokens] of Object.entries(rules.tokens)) {
    for (const token of tokens) {
      for (const id of ids.get(`token ${token}`) ?? []) {
        meanings[id] = TOKEN;
        const allowed = parents.getOrInsert(id, new Set());
        for (const above of ids.get(`named ${parent}`) ?? []) allowed.add(above);
      }
    }
  }
  return { meanings, parents };
}

/** What `read` makes of the tree of a text; `undefined` when parsing takes more than the budget. Syntax errors are normal. */
export function withTree<T>(
  grammar: Grammar,
  text: string,
  read: (tree: Tree) => T,
  budget: number = PARSE_BUDGET,
): T | undefined {
  let steps = 0;
  let tree: Tree | null = null;
  try {
    tree = grammar.parser.parse(text, null, { progressCallback: () => ++steps > budget });
    if (tree !== null) return read(tree);
    grammar.parser.reset();
    return undefined;
  } finally {
    tree?.delete();
  }
}

/** Visits every node of a tree once, from the root at depth 0. */
export function eachNode(tree: Tree, visit: (cursor: TreeCursor, depth: number) => void): void {
  const cursor = tree.walk();
  try {
    for (let depth = 0; ; ) {
      visit(cursor, depth);
      if (cursor.gotoFirstChild()) depth++;
      else
        while (!cursor.gotoNextSibling()) {
          if (!cursor.gotoParent()) return;
          depth--;
        }
    }
  } finally {
    cursor.delete();
  }
}

interface OpenFunction {
  readonly depth: number;
  readonly node: Node;
  decisions: number;
}

/** A macro in front of a statement makes C's grammar read the two as a function with that name. */
const STATEMENTS: ReadonlySet<string> = new Set(["if", "for", "while", "switch", "do", "else", "return"]);

/**
 * The functions of one tree; those that are found count, whatever cannot be parsed. Looking for a name costs more than all else,
 * so it is done where it is asked for.
 */
export function functionsIn(
  grammar: Grammar,
  tree: Tree,
  isNamed: (complexity: number) => boolean,
): readonly MeasuredFunction[] {
  const done: MeasuredFunction[] = [];
  const open: OpenFunction[] = [];
  const types: number[] = [];
  eachNode(tree, (cursor, depth) => {
    // Arriving at a depth closes the functions that were opened at it or below.
    closeFrom(open, depth, done, isNamed);
    const type = cursor.nodeTypeId;
    types[depth] = type;
    const meaning = grammar.meanings[type] ?? 0;
    if (meaning === FUNCTION) {
      const node = cursor.currentNode;
      const isStatement = grammar.hasMacros && STATEMENTS.has(functionName(node));
      if (!isStatement && (!grammar.needsBody || node.childForFieldName("body") !== null))
        open.push({ depth, node, decisions: 0 });
    } else if (meaning !== 0) {
      const current = open.at(-1);
      const above = types[depth - 1] ?? -1;
      if (current !== undefined && isDecision(grammar, meaning, type, above, cursor)) current.decisions++;
    }
  });
  closeFrom(open, 0, done, isNamed);
  return done;
}

function isDecision(
  grammar: Grammar,
  meaning: number,
  type: number,
  above: number,
  cursor: TreeCursor,
): boolean {
  if (meaning === TOKEN) return grammar.parents.get(type)?.has(above) === true;
  return meaning === DECISION || !isWildcard(cursor.currentNode);
}

/** An arm that takes everything is the `default` of its language. */
function isWildcard(arm: Node): boolean {
  const pattern = arm.namedChild(0)?.text.trim() ?? "";
  return pattern === "_" || pattern === "*" || pattern.toLowerCase() === "default";
}

function closeFrom(
  open: OpenFunction[],
  depth: number,
  done: MeasuredFunction[],
  isNamed: (complexity: number) => boolean,
): void {
  for (let last = open.at(-1); last !== undefined && last.depth >= depth; last = open.at(-1)) {
    open.pop();
    const { node, decisions } = last;
    const complexity = 1 + decisions;
    const name = isNamed(complexity) ? functionName(node, open.at(-1)?.node) : "";
    const first = node.startPosition.row;
    done.push({ name, line: first + 1, complexity, length: node.endPosition.row - first + 1 });
  }
}

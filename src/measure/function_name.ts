/** The name of a function in a report: an identifier chain, never source text. */
import type { Node } from "web-tree-sitter";

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
const WRAPPERS: ReadonlySet<string> = new Set([
  "parenthesized_expression",
  "as_expression",
  "satisfies_expression",
  "non_null_expression",
  "await_expression",
  "expression_list",
  "arguments",
  "argument_list",
  "argument",
  "jsx_expression",
]);

/** Steps up from a function to what names it. */
const MAX_STEPS = 8;

/**
 * Names a function node: its own name, the name that it is given to, or `(anonymous)`. One that is handed to a call is the callback
 * of what is called. `outer`: the function around it, which helps to find what has no name of its own.
 */
export function functionName(node: Node, outer?: Node): string {
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

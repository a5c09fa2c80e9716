/** The name of a function in a report: an identifier chain, never source text. */
import type { Node } from "web-tree-sitter";

const ANONYMOUS = "(anonymous)";
const MAX_NAME = 200;
const NAMED_PARENTS: Readonly<Record<string, string>> = {
  variable_declarator: "name",
  pair: "key",
  public_field_definition: "name",
  field_definition: "property",
  assignment_expression: "left",
  assignment: "left",
  let_declaration: "pattern",
};

/** Names a function node: its own name, the name it is assigned to, or `(anonymous)`. */
export function functionName(node: Node): string {
  const own = node.childForFieldName("name") ?? ownName(node) ?? declaratorName(node);
  return cleanName((own ?? assignedName(node))?.text ?? "");
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

function assignedName(node: Node): Node | null {
  const parent = node.parent;
  const field = parent === null ? undefined : NAMED_PARENTS[parent.type];
  return parent === null || field === undefined ? null : parent.childForFieldName(field);
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
  return [...bare].slice(0, MAX_NAME).join("");
}

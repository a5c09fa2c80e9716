/** The names that one `export` statement declares. */
import type { Node } from "web-tree-sitter";
import type { ExportFact } from "./facts.ts";

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

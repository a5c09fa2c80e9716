/** `setup.py` is a program and is never run. Lists that it writes down are read from its syntax tree; what it works out is a gap. */
import type { Node } from "web-tree-sitter";
import type { Manifest } from "./names.ts";
import { pythonPackages } from "./python.ts";

const LISTS = new Set(["install_requires", "extras_require", "tests_require"]);

/** Names that stand for names are followed so far. */
const MAX_DEPTH = 20;
/** More values than these are no list of packages. */
const MAX_VALUES = 5_000;

/** Reads the tree of a `setup.py`; `undefined` when it lists nothing. */
export function readSetupPy(root: Node): Manifest | undefined {
  const setup = root.descendantsOfType("call").find((call) => isSetup(call));
  const passed = setup?.childForFieldName("arguments")?.namedChildren ?? [];
  const reader = new ValueReader(root);
  let listed = false;
  for (const argument of passed) {
    const name = argument?.childForFieldName("name")?.text ?? "";
    const value = argument?.childForFieldName("value");
    if (argument?.type === "dictionary_splat") reader.complete = false;
    if (!LISTS.has(name) || value === null || value === undefined) continue;
    listed = true;
    reader.read(value, 0);
  }
  if (!listed && reader.complete) return undefined;
  return pythonPackages(
    reader.strings,
    reader.complete ? {} : { gap: "works out its packages when it is run" },
  );
}

function isSetup(call: Node): boolean {
  return /^(?:\w+\.)?setup$/.test(call.childForFieldName("function")?.text.slice(0, 50) ?? "");
}

/** The strings of lists, of lists by name, and of what is put together from them. */
class ValueReader {
  readonly strings: string[] = [];
  complete = true;
  readonly #assigned = new Map<string, Node>();
  #values = 0;

  constructor(root: Node) {
    for (const statement of root.namedChildren) {
      const assignment = statement?.namedChild(0);
      if (assignment?.type !== "assignment") continue;
      const [name, value] = [assignment.childForFieldName("left"), assignment.childForFieldName("right")];
      if (name?.type === "identifier" && value !== null) this.#assigned.set(name.text, value);
    }
  }

  read(node: Node, depth: number): void {
    if (depth > MAX_DEPTH || ++this.#values > MAX_VALUES) {
      this.complete = false;
      return;
    }
    const inside = () => {
      for (const child of node.namedChildren) if (child !== null) this.read(child, depth + 1);
    };
    if (node.type === "string") this.#readString(node);
    else if (CONTAINERS.has(node.type)) inside();
    else if (node.type === "pair") this.#follow(node.childForFieldName("value"), depth);
    else if (node.type === "binary_operator" && node.childForFieldName("operator")?.text === "+") inside();
    else if (node.type === "identifier") this.#follow(this.#assigned.get(node.text), depth);
    else if (node.type !== "comment") this.complete = false;
  }

  #follow(node: Node | null | undefined, depth: number): void {
    if (node === null || node === undefined) this.complete = false;
    else this.read(node, depth + 1);
  }

  #readString(node: Node): void {
    const parts = node.namedChildren.map((child) => child?.type ?? "");
    if (parts.includes("interpolation")) this.complete = false;
    else
      this.strings.push(
        node.namedChildren.map((child) => (child?.type === "string_content" ? child.text : "")).join(""),
      );
  }
}

const CONTAINERS = new Set(["list", "tuple", "set", "dictionary", "parenthesized_expression"]);

/**
 * What counts as a function and as a decision, by grammar. Cyclomatic complexity is 1 + the decisions of the
 * innermost function; a nested function counts on its own. Python's lambdas and Rust's closures are expressions of the
 * function they stand in, as other counters have it. `else`, `default`, `_`, `?.`, default parameters, Rust's
 * `?`, `assert`, `try`, `finally` and an endless `loop` are no decisions.
 */

import { words } from "../base/text.ts";

/** The rules of one tree-sitter grammar, in the grammar's own node names. */
export interface GrammarRules {
  readonly functions: readonly string[];
  readonly decisions: readonly string[];
  /** Arms that are no decision when their pattern is a wildcard (`_`, `*`). */
  readonly arms?: readonly string[];
  /** Abstract and interface methods look like functions and have no body. */
  readonly needsBody?: true;
  /** Tokens that are decisions below these parents only. */
  readonly tokens: Readonly<Record<string, readonly string[]>>;
}

const JAVASCRIPT: GrammarRules = {
  functions: words(`
      function_declaration function_expression generator_function_declaration generator_function
      arrow_function method_definition
    `),
  decisions: words(`
      if_statement for_statement for_in_statement while_statement do_statement catch_clause ternary_expression
      switch_case
    `),
  tokens: {
    binary_expression: ["&&", "||", "??"],
    augmented_assignment_expression: ["&&=", "||=", "??="],
  },
};

/** A function above this complexity is a complex one (spec, Measures). */
export const COMPLEX = 15;

/** Version of these rules; any change raises it. */
export const COMPLEXITY_RULES_VERSION = 2;

export const COMPLEXITY_RULES = {
  javascript: JAVASCRIPT,
  typescript: JAVASCRIPT,
  tsx: JAVASCRIPT,
  python: {
    functions: words("function_definition"),
    decisions: words(`
      if_statement elif_clause for_statement while_statement except_clause conditional_expression
      boolean_operator for_in_clause if_clause
    `),
    arms: words("case_clause"),
    tokens: {},
  },
  go: {
    functions: words("function_declaration method_declaration func_literal"),
    decisions: words("if_statement for_statement expression_case type_case communication_case"),
    tokens: { binary_expression: ["&&", "||"] },
  },
  java: {
    needsBody: true,
    functions: words(`
      method_declaration constructor_declaration compact_constructor_declaration lambda_expression
    `),
    decisions: words(`
      if_statement for_statement enhanced_for_statement while_statement do_statement catch_clause
      ternary_expression
    `),
    tokens: { binary_expression: ["&&", "||"], switch_label: ["case"] },
  },
  c: {
    needsBody: true,
    functions: words("function_definition"),
    decisions: words("if_statement for_statement while_statement do_statement conditional_expression"),
    tokens: { binary_expression: ["&&", "||"], case_statement: ["case"] },
  },
  cpp: {
    needsBody: true,
    functions: words("function_definition lambda_expression"),
    decisions: words(`
      if_statement for_statement for_range_loop while_statement do_statement catch_clause
      conditional_expression
    `),
    tokens: { binary_expression: ["&&", "||", "and", "or"], case_statement: ["case"] },
  },
  rust: {
    functions: words("function_item"),
    decisions: words("if_expression for_expression while_expression"),
    arms: words("match_arm"),
    tokens: { binary_expression: ["&&", "||"], let_chain: ["&&"] },
  },
  "c-sharp": {
    needsBody: true,
    functions: words(`
      method_declaration constructor_declaration destructor_declaration operator_declaration
      conversion_operator_declaration local_function_statement lambda_expression anonymous_method_expression
    `),
    decisions: words(`
      if_statement for_statement foreach_statement while_statement do_statement catch_clause
      conditional_expression
    `),
    arms: words("switch_expression_arm"),
    tokens: {
      binary_expression: ["&&", "||", "??"],
      assignment_expression: ["??="],
      switch_section: ["case"],
    },
  },
  php: {
    needsBody: true,
    functions: words("function_definition method_declaration anonymous_function arrow_function"),
    decisions: words(`
      if_statement else_if_clause for_statement foreach_statement while_statement do_statement catch_clause
      conditional_expression case_statement match_conditional_expression
    `),
    tokens: { binary_expression: ["&&", "||", "and", "or", "??"], augmented_assignment_expression: ["??="] },
  },
  ruby: {
    functions: words("method singleton_method lambda"),
    decisions: words(`
      if elsif unless if_modifier unless_modifier while until while_modifier until_modifier for rescue
      rescue_modifier conditional when
    `),
    arms: words("in_clause"),
    tokens: { binary: ["&&", "||", "and", "or"], operator_assignment: ["&&=", "||="] },
  },
  bash: {
    functions: words("function_definition"),
    decisions: words("if_statement elif_clause for_statement c_style_for_statement while_statement"),
    arms: words("case_item"),
    tokens: { list: ["&&", "||"], binary_expression: ["&&", "||"] },
  },
  powershell: {
    functions: words("function_statement"),
    decisions: words(`
      if_statement elseif_clause for_statement foreach_statement while_statement do_statement catch_clause
    `),
    arms: words("switch_clause"),
    tokens: { logical_expression: ["-and", "-or"] },
  },
} as const satisfies Record<string, GrammarRules>;

export type GrammarName = keyof typeof COMPLEXITY_RULES;

/** The grammar of each language of the line counter that one covers. `.tsx` and `.h` are settled by `grammarsOf`. */
export const GRAMMAR_OF_LANGUAGE: Readonly<Record<string, GrammarName>> = {
  JavaScript: "javascript",
  TypeScript: "typescript",
  Vue: "typescript",
  Svelte: "typescript",
  Astro: "typescript",
  Python: "python",
  Go: "go",
  Java: "java",
  C: "c",
  "C++": "cpp",
  Cuda: "cpp",
  Rust: "rust",
  "C#": "c-sharp",
  PHP: "php",
  Ruby: "ruby",
  Shell: "bash",
  PowerShell: "powershell",
};

interface NamedFile {
  readonly path: string;
  readonly language: { readonly name: string };
}

/** The grammar that reads a file of the project, when one covers its language. */
export function grammarsOf(files: readonly NamedFile[]): (file: NamedFile) => GrammarName | undefined {
  const headers = headerGrammar(files);
  return ({ path, language }) => {
    const lower = path.toLowerCase();
    if (language.name === "TypeScript" && lower.endsWith(".tsx")) return "tsx";
    return language.name === "C" && lower.endsWith(".h") ? headers : GRAMMAR_OF_LANGUAGE[language.name];
  };
}

/** A header that shows no C++ of its own is C where most of the project's other files of the two languages are C; headers alone are read as C++, which takes both. */
function headerGrammar(files: readonly NamedFile[]): GrammarName {
  let c = 0;
  for (const { path, language } of files) {
    if (language.name === "C" && path.toLowerCase().endsWith(".c")) c++;
    else if (language.name === "C++") c--;
  }
  return c > 0 ? "c" : "cpp";
}

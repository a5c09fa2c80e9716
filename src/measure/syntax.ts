/** How each family of languages writes comments and strings: the data of the line counter. */

/** Constructs that need more than an opener and a closer; `lines.ts` reads them. */
export type SpecialName =
  | "template" // JavaScript `…${…}…`
  | "regex" // JavaScript /…/
  | "python-string" // with docstrings as comments
  | "inline-tests" // Rust #[cfg(test)] items
  | "c-tests" // #ifdef …_TEST
  | "rust-string" // r#"…"#, lifetimes
  | "cpp-raw" // R"x(…)x"
  | "verbatim" // C# @"…"
  | "char" // 'x' where a lone ' is no string
  | "lua-long" // [==[…]==], also behind --
  | "heredoc-word" // shell <<EOF
  | "heredoc-upper" // Ruby, Perl <<~EOF
  | "heredoc-php" // <<<EOT
  | "pod" // Perl =word … =cut
  | "begin-end" // Ruby =begin … =end
  | "elixir-doc" // @doc """…"""
  | "template-comment" // {% comment %}, {# #} and {{/* */}} in HTML
  | "escapes"; // a backslash outside a string takes the next character

export interface Syntax {
  /** Openers of comments that end with the line. */
  readonly line?: readonly string[];
  /** A line comment opens only where a word can start (shell) or only as the first word of the line. */
  readonly lineAt?: "word" | "first";
  readonly block?: readonly (readonly [open: string, close: string])[];
  readonly nested?: true;
  /** Quotes of strings that end with the line; a backslash escapes. */
  readonly quotes?: string;
  /** Strings that may run over lines: opener, closer, and what escapes inside. */
  readonly long?: readonly (readonly [open: string, close: string, escape: "backslash" | "none"])[];
  readonly special?: readonly SpecialName[];
  /** Files made of parts in several languages; the rest of the entry then describes the markup. */
  readonly parts?: "html" | "astro" | "php";
}

const HTML_COMMENT = ["<!--", "-->"] as const;
const C_BLOCK = ["/*", "*/"] as const;
const TRIPLE = ['"""', '"""', "backslash"] as const;
const TRIPLE_RAW = ['"""', '"""', "none"] as const;
const DOUBLE = ['"', '"', "backslash"] as const;
const SINGLE = ["'", "'", "backslash"] as const;
const SINGLE_RAW = ["'", "'", "none"] as const;

export const SYNTAXES = {
  javascript: { line: ["//"], block: [C_BLOCK], quotes: "'\"", special: ["template", "regex"] },
  css: { block: [C_BLOCK], quotes: "'\"" },
  scss: { line: ["//"], block: [C_BLOCK], quotes: "'\"" },
  html: { block: [HTML_COMMENT], special: ["template-comment"], parts: "html" },
  astro: { block: [HTML_COMMENT], parts: "astro" },
  blade: { block: [HTML_COMMENT, ["{{--", "--}}"]], parts: "html" },
  jinja: { block: [HTML_COMMENT, ["{#", "#}"]], special: ["template-comment"], parts: "html" },
  liquid: { block: [HTML_COMMENT], special: ["template-comment"], parts: "html" },
  handlebars: { block: [HTML_COMMENT, ["{{!--", "--}}"], ["{{!", "}}"]], parts: "html" },
  erb: { block: [HTML_COMMENT, ["<%#", "%>"], ["<%--", "--%>"]], parts: "html" },
  razor: { block: [HTML_COMMENT, ["@*", "*@"]], parts: "html" },
  php: {
    line: ["//", "#"],
    block: [C_BLOCK],
    long: [DOUBLE, SINGLE],
    special: ["heredoc-php"],
    parts: "php",
  },
  python: { line: ["#"], special: ["python-string"] },
  ruby: { line: ["#"], quotes: "'\"`", special: ["heredoc-upper", "begin-end"] },
  perl: { line: ["#"], lineAt: "word", quotes: "'\"", special: ["heredoc-upper", "pod", "escapes"] },
  go: { line: ["//"], block: [C_BLOCK], quotes: "'\"", long: [["`", "`", "none"]] },
  rust: {
    line: ["//"],
    block: [C_BLOCK],
    nested: true,
    long: [DOUBLE],
    special: ["inline-tests", "rust-string", "char"],
  },
  c: { line: ["//"], block: [C_BLOCK], quotes: '"', special: ["c-tests", "char"] },
  cpp: { line: ["//"], block: [C_BLOCK], quotes: '"', special: ["c-tests", "cpp-raw", "char"] },
  csharp: { line: ["//"], block: [C_BLOCK], quotes: '"', long: [TRIPLE_RAW], special: ["verbatim", "char"] },
  fsharp: { line: ["//"], block: [["(*", "*)"]], long: [TRIPLE_RAW, DOUBLE], special: ["char"] },
  java: { line: ["//"], block: [C_BLOCK], quotes: "'\"", long: [TRIPLE] },
  kotlin: {
    line: ["//"],
    block: [C_BLOCK],
    nested: true,
    quotes: '"',
    long: [TRIPLE_RAW],
    special: ["char"],
  },
  groovy: { line: ["//"], block: [C_BLOCK], quotes: "'\"", long: [TRIPLE, ["'''", "'''", "backslash"]] },
  swift: { line: ["//"], block: [C_BLOCK], nested: true, quotes: '"', long: [TRIPLE] },
  dart: {
    line: ["//"],
    block: [C_BLOCK],
    nested: true,
    quotes: "'\"",
    long: [TRIPLE, ["'''", "'''", "backslash"]],
  },
  zig: { line: ["//"], quotes: "'\"" },
  basic: { line: ["'"], quotes: '"' },
  elixir: {
    line: ["#"],
    quotes: "'\"",
    long: [TRIPLE, ["'''", "'''", "backslash"]],
    special: ["elixir-doc"],
  },
  erlang: { line: ["%"], quotes: "'\"" },
  haskell: {
    line: ["--"],
    block: [["{-", "-}"]],
    nested: true,
    quotes: '"',
    long: [TRIPLE_RAW],
    special: ["char"],
  },
  ocaml: { block: [["(*", "*)"]], nested: true, long: [DOUBLE], special: ["char"] },
  lisp: { line: [";"], block: [["#|", "|#"]], nested: true, long: [DOUBLE], special: ["escapes"] },
  julia: { line: ["#"], block: [["#=", "=#"]], nested: true, quotes: '"', long: [TRIPLE], special: ["char"] },
  nim: {
    line: ["#"],
    block: [["#[", "]#"]],
    nested: true,
    quotes: '"',
    long: [TRIPLE_RAW],
    special: ["char"],
  },
  lua: { line: ["--"], quotes: "'\"", special: ["lua-long"] },
  hash: { line: ["#"], quotes: "'\"" },
  slashes: { line: ["//"] },
  haml: { line: ["-#"], lineAt: "first" },
  shell: { line: ["#"], lineAt: "word", long: [DOUBLE, SINGLE_RAW], special: ["heredoc-word", "escapes"] },
  powershell: { line: ["#"], block: [["<#", "#>"]], quotes: "'\"" },
  batch: { line: ["REM ", "rem ", "Rem ", "@REM ", "@rem ", "::"], lineAt: "first" },
  cmake: { line: ["#"], block: [["#[[", "]]"]], long: [DOUBLE] },
  dockerfile: { line: ["#"], lineAt: "first" },
  hcl: { line: ["#", "//"], block: [C_BLOCK], quotes: '"', special: ["heredoc-word"] },
  nix: { line: ["#"], block: [C_BLOCK], long: [DOUBLE, ["''", "''", "none"]] },
  fortran: { line: ["!"], quotes: "'\"" },
  pascal: {
    line: ["//"],
    block: [
      ["{", "}"],
      ["(*", "*)"],
    ],
    quotes: "'",
  },
  tex: { line: ["%"], special: ["escapes"] },
  prolog: { line: ["%"], block: [C_BLOCK], quotes: '"' },
  matlab: { line: ["%"], block: [["%{", "%}"]], quotes: '"' },
  // Each assembler has its own sign; `#` is also what its preprocessor starts with.
  assembly: { line: [";", "//", "@"], block: [C_BLOCK], quotes: '"', lineAt: "word" },
  m4: { line: ["dnl", "#"], lineAt: "word" },
  vim: { line: ['"'], lineAt: "first" },
  sql: { line: ["--"], block: [C_BLOCK], long: [SINGLE_RAW, ['"', '"', "none"]] },
} as const satisfies Record<string, Syntax>;

export type SyntaxName = keyof typeof SYNTAXES;

/** What of a file is compared with other files: its code alone, each line at its own number, in a copy with a name of our own. */

import type { Language } from "../languages.ts";
import { emptyImports } from "./imports.ts";

/** Start and end of each comment, one behind the other. */
export type CommentSpans = readonly number[];

/** The text without comments, docstrings and imports. */
export function codeOnly(text: string, comments: CommentSpans, language: Language): string {
  let code = "";
  let at = 0;
  for (let index = 0; index < comments.length; index += 2) {
    const start = comments[index] ?? at;
    const end = comments[index + 1] ?? start;
    code += text.slice(at, start) + newlines(text, start, end);
    at = end;
  }
  const lines = (code + text.slice(at)).split("\n");
  emptyImports(lines, language.name);
  return lines.join("\n");
}

function newlines(text: string, from: number, to: number): string {
  let count = 0;
  for (let at = from; at < to; at++) if (text.charCodeAt(at) === 10) count++;
  return count === 0 ? " " : "\n".repeat(count);
}

/**
 * The extension under which the comparing tool knows a language, where it is not the language's first one. Languages that it does not
 * know are read as a near relative, or as words and signs: their comments are gone already.
 */
export const COPY_EXTENSIONS: Readonly<Record<string, string>> = {
  Astro: "txt",
  PostCSS: "css",
  Blade: "html",
  "C++": "cpp",
  Cuda: "cpp",
  Elixir: "txt",
  Nim: "txt",
  Fish: "txt",
  Batchfile: "txt",
  Starlark: "py",
  Makefile: "txt",
  Prolog: "txt",
  MATLAB: "txt",
  Assembly: "txt",
  Yacc: "c",
  Lex: "c",
  M4: "txt",
  Dockerfile: "txt",
  Nix: "txt",
  Just: "txt",
  "Vim Script": "txt",
  GLSL: "c",
  HLSL: "c",
  WGSL: "c",
  Jinja: "twig",
  Liquid: "html",
  "HTML+ERB": "html",
};

/** The name of the copy of the file that was selected as the `index`th. */
export function copyName(index: number, path: string, language: Language): string {
  const own = /\.[jt]sx$/i.exec(path)?.[0].slice(1).toLowerCase();
  const extension = COPY_EXTENSIONS[language.name] ?? own ?? language.extensions[0] ?? "txt";
  return `${Math.floor(index / FOLDER_SIZE)}/${index % FOLDER_SIZE}.${extension}`;
}

const FOLDER_SIZE = 1_000;

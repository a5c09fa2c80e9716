/** Which files are modules, and how each is parsed. */

import { GRAMMAR_OF_LANGUAGE, type GrammarName } from "../complexity_rules.ts";

export interface ModuleReading {
  readonly grammar: GrammarName;
  /** A single-file component holds its scripts between markup; MDX holds imports between prose. */
  readonly component?: "markup" | "astro" | "mdx";
}

const LANGUAGE_OF_EXTENSION: Readonly<Record<string, string>> = {
  js: "JavaScript",
  mjs: "JavaScript",
  cjs: "JavaScript",
  jsx: "JavaScript",
  ts: "TypeScript",
  mts: "TypeScript",
  cts: "TypeScript",
  tsx: "TypeScript",
  vue: "Vue",
  svelte: "Svelte",
  astro: "Astro",
  py: "Python",
};

/** Languages whose files are modules, by the line counter's names. */
export const MODULE_LANGUAGES: ReadonlySet<string> = new Set(Object.values(LANGUAGE_OF_EXTENSION));

/** Packages that somebody installed into the repository, and squeezed code: nothing of the project's own is named in them. */
const NOT_READ = /(^|\/)(node_modules|bower_components|jspm_packages|\.yarn)\/|[.-]min\.[cm]?js$/;

/** How a module is parsed; `undefined` for what is none. `language` is what the selection calls a file of the project's own. */
export function moduleReading(path: string, language: string | undefined): ModuleReading | undefined {
  if (NOT_READ.test(path)) return undefined;
  const extension = path.slice(path.lastIndexOf(".") + 1).toLowerCase();
  if (extension === "mdx") return { grammar: "tsx", component: "mdx" };
  const name = language ?? LANGUAGE_OF_EXTENSION[extension];
  if (name === undefined || !MODULE_LANGUAGES.has(name)) return undefined;
  const grammar = extension === "tsx" ? "tsx" : GRAMMAR_OF_LANGUAGE[name];
  if (grammar === undefined) return undefined;
  if (name === "Astro") return { grammar, component: "astro" };
  return name === "Vue" || name === "Svelte" ? { grammar, component: "markup" } : { grammar };
}

/**
 * Frameworks that import by themselves what a text names: Nuxt, and the plug-ins that do the same for Vite. A component or a function
 * below one of their folders is used by whoever holds its name as a word.
 */

import { capital, words } from "../../base/text.ts";
import { type ModuleFacts, stemOf } from "./facts.ts";

/** Packages that import by name. */
const AUTO_IMPORTING = words(`
  nuxt nuxt3 nuxt-edge nuxt-nightly @nuxt/kit @nuxt/components unplugin-vue-components unplugin-auto-import
  unplugin-svelte-components vite-plugin-components @slidev/cli
`);

const COMPONENTS = /(?:^|\/)components\/(.+)\.(?:vue|[jt]sx?|svelte)$/;
const FUNCTIONS = /(?:^|\/)(?:composables|utils|stores?|hooks|shared\/(?:utils|types)|use)\/.+\.[cm]?[jt]s$/;

/** Whether a package of these dependencies imports by name. */
export function isAutoImporting(depends: (name: string) => boolean): boolean {
  return AUTO_IMPORTING.some(depends);
}

/** The words by which a file is found; none when its folder is not searched. */
export function autoImportWords(path: string, facts: ModuleFacts | undefined): string[] {
  const inner = COMPONENTS.exec(path)?.[1];
  if (inner !== undefined) return componentWords(inner);
  if (!FUNCTIONS.test(path)) return [];
  const stem = stemOf(path);
  const exports = (facts?.exports ?? []).map(({ name }) => name);
  const names = exports.filter((name) => name !== "default");
  // The name of the file is that of its default export.
  return names.length < exports.length || names.length === 0 ? [...names, camel(stem), stem] : names;
}

/** Whether uses of the exports of a file can be words alone. */
export function isAutoImported(path: string): boolean {
  return COMPONENTS.test(path) || FUNCTIONS.test(path);
}

/** `base/list/ListItem` is `BaseListItem`, `ListItem`, and each of these lazy or with dashes. */
function componentWords(path: string): string[] {
  const parts = path.split("/");
  // Behind the first dot stands how a component is rendered.
  parts.push((parts.pop() ?? "").replace(/(?<=.)\..*$/, ""));
  if (parts.at(-1)?.toLowerCase() === "index" && parts.length > 1) parts.pop();
  const words = new Set<string>();
  for (let from = Math.max(0, parts.length - 6); from < parts.length; from++) {
    const segments = parts.slice(from).flatMap(wordsOf);
    const name = withoutRepeats(segments).map(capital).join("");
    const whole = segments.map(capital).join("");
    for (const one of [name, whole]) {
      words.add(one);
      words.add(`Lazy${one}`);
      words.add(dashed(one));
      words.add(`lazy-${dashed(one)}`);
    }
  }
  return [...words];
}

function wordsOf(text: string): string[] {
  return text
    .replace(/([a-z\d])([A-Z])/g, "$1 $2")
    .replace(/([A-Z])([A-Z][a-z])/g, "$1 $2")
    .split(/[^A-Za-z\d]+/)
    .filter((word) => word !== "");
}

/** The words of a folder that the next name begins with are said once. */
function withoutRepeats(words: readonly string[]): string[] {
  const lower = words.map((word) => word.toLowerCase());
  const kept: string[] = [];
  for (let i = 0; i < words.length; ) {
    let repeat = 0;
    for (let size = Math.min(4, kept.length, words.length - i); size > 0 && repeat === 0; size--) {
      const before = kept.slice(-size).join(" ").toLowerCase();
      if (before === lower.slice(i, i + size).join(" ")) repeat = size;
    }
    i += repeat;
    if (repeat === 0) kept.push(words[i++] ?? "");
  }
  return kept;
}

function camel(text: string): string {
  const [first = "", ...rest] = wordsOf(text);
  return first.charAt(0).toLowerCase() + first.slice(1) + rest.map(capital).join("");
}

function dashed(name: string): string {
  return wordsOf(name).join("-").toLowerCase();
}

/** Files that are kept for each word: a word that more hold than these is held. */
const MAX_HOLDERS = 100;

/** Searches all texts for words in one pass: feed it every text, then ask who holds them. */
export function searchWords(words: Iterable<string>) {
  const holders = new Map<string, string[]>();
  const held = new Map<string, string[]>();
  for (const word of words) holders.set(word, []);
  return {
    /** There is no word to look for. */
    isEmpty: holders.size === 0,
    read: (path: string, text: string) => {
      if (holders.size === 0) return;
      const own: string[] = [];
      const isScript = /\.(?:[cm]?[jt]sx?|vue|svelte|astro)$/.test(path);
      const declared = new Set<string>();
      const noted = new Set<string>();
      const note = (word: string, at: number) => {
        const found = holders.get(word);
        if (found === undefined) return;
        const before = text.slice(Math.max(0, at - 12), at);
        // A function of a script is named in scripts; a member of something else is another thing.
        if (/\.\s{0,5}$/.test(before) && !before.endsWith("...")) return;
        if (!isScript && !isComponentName(word)) return;
        if (DECLARES.test(before)) declared.add(word);
        noted.add(word);
      };
      for (const { index, 0: word } of text.matchAll(WORD)) {
        note(word, index);
        if (!word.includes("-")) continue;
        // A dash is a minus as well.
        let at = index;
        for (const part of word.split("-")) {
          note(part, at);
          at += part.length + 1;
        }
      }
      for (const word of noted) {
        const found = holders.get(word);
        if (found === undefined || declared.has(word) || found.length > MAX_HOLDERS) continue;
        found.push(path);
        own.push(word);
      }
      if (own.length > 0) held.set(path, own);
    },
    /** Whether a file other than `path` holds the word, of those that `counts`. */
    isHeld: (word: string, path: string, counts: (holder: string) => boolean) => {
      const found = holders.get(word) ?? [];
      return found.length > MAX_HOLDERS || found.some((holder) => holder !== path && counts(holder));
    },
    /** The words that a file holds. */
    heldBy: (path: string): readonly string[] => held.get(path) ?? [],
  };
}

/** Components are written with a capital or with a dash. */
function isComponentName(word: string): boolean {
  return /^[A-Z]|-/.test(word);
}

/** What a file declares itself is not imported for it. */
const DECLARES = /\b(?:function\*?|const|let|var|class)\s{1,5}$/;

const WORD = /[A-Za-z_$][\w$]{0,200}(?:-[\w$]{1,100}){0,10}/g;

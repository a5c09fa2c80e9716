/** Single-file components: everything outside the scripts becomes spaces, so that line numbers stay right. */

const OPEN = /<script\b(?:"[^"]{0,1000}"|'[^']{0,1000}'|[^>"']){0,1000}>/gi;
const CLOSE = /<\/script/gi;

/** The script text of a Vue, Svelte or Astro file, at its own lines. */
export function scriptsOnly(text: string, astro: boolean): string {
  let out = "";
  let at = 0;
  for (const [start, end] of [...(astro ? frontMatter(text) : []), ...scripts(text)]) {
    if (start < at) continue;
    out += blank(text.slice(at, start)) + text.slice(start, end);
    at = end;
  }
  return out + blank(text.slice(at));
}

type Part = readonly [start: number, end: number];

function frontMatter(text: string): Part[] {
  const open = /^\s*---[ \t]*\r?\n/.exec(text)?.[0].length;
  const close = open === undefined ? -1 : text.indexOf("\n---", open - 1);
  return open === undefined || close < open ? [] : [[open, close]];
}

function scripts(text: string): Part[] {
  const parts: Part[] = [];
  OPEN.lastIndex = 0;
  for (let match = OPEN.exec(text); match !== null; match = OPEN.exec(text)) {
    const start = OPEN.lastIndex;
    CLOSE.lastIndex = start;
    const end = CLOSE.exec(text)?.index;
    if (end === undefined) break;
    parts.push([start, end]);
    OPEN.lastIndex = end;
  }
  return parts;
}

function blank(text: string): string {
  return text.replace(/[^\n]/g, " ");
}

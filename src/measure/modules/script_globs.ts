/** Files that a script loads together: bundlers' globs, names with a hole in them, folders that are listed. */

const QUOTED = String.raw`["'\x60]([^"'\x60\n]{1,300})["'\x60]`;

/** `import.meta.glob("./a/*.ts")`, also with several patterns and with types. */
const META_GLOB = /\bimport\.meta\.glob(?:Eager)?\s{0,5}(?:<[^()]{0,200}>)?\(([^)]{0,2000})/g;
const CONTEXT = new RegExp(String.raw`\brequire\.context\s{0,5}\(\s{0,20}${QUOTED}`, "g");
/** A dynamic import whose name has a hole: it takes every file of that shape. */
const HOLE =
  /\b(?:import|require|new URL)\s{0,5}\(\s{0,50}(?:\/\*[^*]{0,300}\*\/\s{0,50}){0,3}`([^`\n]{1,300})`/g;
const JOINED = /\b(?:import|require)\s{0,5}\(\s{0,20}["']([^"'\n]{1,300}\/)["']\s{0,10}\+/g;
/** A folder beside the file, put together from literal parts. */
const BESIDE =
  /\b(?:join|resolve)\s{0,5}\(\s{0,20}(?:__dirname|import\.meta\.dir(?:name)?|dirname)\s{0,10},([^()\n]{1,300})\)/g;
const LISTS =
  /\b(?:readdir|readdirSync|glob|globSync|fg|globby|walk|Bun\.Glob|autoload|loadFiles|requireAll|scandir)\b/i;

/** Patterns relative to the file. */
export function globFacts(text: string): string[] {
  const found: string[] = [];
  for (const [, inner = ""] of text.matchAll(META_GLOB)) {
    for (const [, pattern = ""] of inner.matchAll(new RegExp(QUOTED, "g"))) {
      if (!pattern.startsWith("!")) found.push(pattern);
    }
  }
  for (const [, folder = ""] of text.matchAll(CONTEXT)) found.push(`${folder.replace(/\/$/, "")}/**`);
  for (const [, pattern = ""] of text.matchAll(HOLE)) {
    const hole = pattern.indexOf("${");
    if (hole > 0 && pattern.slice(0, hole).includes("/")) found.push(withoutHoles(pattern));
  }
  for (const [, start = ""] of text.matchAll(JOINED)) found.push(`${start}**`);
  return found;
}

/** A hole that is a whole last segment may hold slashes. */
function withoutHoles(pattern: string): string {
  return pattern.replace(/\/\$\{[^}]{0,200}\}$/, "/**").replace(/\$\{[^}]{0,200}\}/g, "*");
}

/** A file that is put together is loaded; a folder only where the text lists folders. */
export function folderGlobs(text: string): string[] {
  const lists = LISTS.test(text);
  const found: string[] = [];
  for (const [, inner = ""] of text.matchAll(BESIDE)) {
    const parts = [...inner.matchAll(new RegExp(QUOTED, "g"))].map(([, part = ""]) => part);
    if (parts.length === 0) continue;
    const path = parts.join("/").replace(/^\/+/, "");
    found.push(path.startsWith(".") ? path : `./${path}`);
    if (lists) found.push(`${path.startsWith(".") ? path : `./${path}`}/**`);
  }
  if (
    lists &&
    /\b(?:readdir|readdirSync|walk)\s{0,5}\(\s{0,20}(?:__dirname|import\.meta\.dir(?:name)?)\s{0,5}[,)]/.test(
      text,
    )
  ) {
    found.push("./*");
  }
  return found;
}

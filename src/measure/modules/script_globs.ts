/** Files that a script loads together: bundlers' globs, names with a hole in them, folders that are listed. */

const QUOTED = String.raw`["'\x60]([^"'\x60\n]{1,300})["'\x60]`;

/** `import.meta.glob("./a/*.ts")`, also with several patterns and with types. */
const META_GLOB = /\bimport\.meta\.glob(?:Eager)?\s{0,5}(?:<[^()]{0,200}>)?\(([^)]{0,2000})/g;
const CONTEXT = new RegExp(String.raw`\brequire\.context\s{0,5}\(\s{0,20}${QUOTED}`, "g");
/** A dynamic import whose name has a hole: it takes every file of that shape. */
const HOLE = /\b(?:import|require)\s{0,5}\(\s{0,50}(?:\/\*[^*]{0,300}\*\/\s{0,50}){0,3}`([^`\n]{1,300})`/g;
/** A path with holes that is put together anywhere, from its file or from the root of the package. */
const TEMPLATE = /`(\.{1,2}\/[^`\n$]{1,200}\$\{[^`\n]{0,300})`/g;
/** `require("./" + name)`: a file beside it. */
const BESIDE_IT = /\b(?:import|require)\s{0,5}\(\s{0,20}(?:["']\.\/["']\s{0,10}\+|`\.\/\$\{)/;
/** A command line whose commands lie in a folder. */
const COMMAND_FOLDER = new RegExp(String.raw`\.commandDir\s{0,5}\(\s{0,20}${QUOTED}`, "g");
const JOINED = /\b(?:import|require)\s{0,5}\(\s{0,20}["']([^"'\n]{1,300}\/)["']\s{0,10}\+/g;
/** A folder beside the file, put together from literal parts. */
const BESIDE =
  /\b(?:join|resolve)\s{0,5}\(\s{0,20}(?:__dirname|import\.meta\.dir(?:name)?|dirname)\s{0,10},([^()\n]{1,300})\)/g;
const LISTS =
  /\b(?:readdir|readdirSync|glob|globSync|fg|globby|walk|Glob|autoload|loadFiles|scandir)\b|Dirs?\(/;
/** What is listed is loaded: a name that is no literal is imported. */
const LOADS = /\b(?:require|import)\s{0,5}\(\s{0,20}(?![\s"'`)])|Dirs?\(|\bautoload/;

/** Patterns relative to the file. */
export function globFacts(text: string): string[] {
  const found: string[] = [];
  for (const [, inner = ""] of text.matchAll(META_GLOB)) {
    for (const [, pattern = ""] of inner.matchAll(new RegExp(QUOTED, "g"))) {
      if (!pattern.startsWith("!")) found.push(pattern);
    }
  }
  for (const [, folder = ""] of text.matchAll(CONTEXT)) found.push(`${folder.replace(/\/$/, "")}/**`);
  for (const [, folder = ""] of text.matchAll(COMMAND_FOLDER))
    found.push(`./${folder.replace(/^\.\/|\/$/g, "")}/**`);
  if (BESIDE_IT.test(text)) found.push("./*", "./*/index.*");
  for (const [, written = ""] of [...text.matchAll(HOLE), ...text.matchAll(TEMPLATE)]) {
    const pattern = written.includes("${") ? withoutHoles(written) : "";
    // Without a name before the hole it could be anything.
    if (/[^./*]/.test(pattern.slice(0, pattern.indexOf("*")))) found.push(pattern);
  }
  for (const [, start = ""] of text.matchAll(JOINED)) if (/[^./]/.test(start)) found.push(`${start}**`);
  return found;
}

/** A hole that is a whole last segment may hold slashes. */
function withoutHoles(pattern: string): string {
  return pattern.replace(/\/\$\{[^}]{0,200}\}$/, "/**").replace(/\$\{[^}]{0,200}\}/g, "*");
}

/** A file that is put together is loaded; a folder only where the text lists folders and loads what it finds. */
export function folderGlobs(text: string): string[] {
  const loads = LISTS.test(text) && LOADS.test(text);
  const found: string[] = [];
  for (const [, inner = ""] of text.matchAll(BESIDE)) {
    const parts = [...inner.matchAll(new RegExp(QUOTED, "g"))].map(([, part = ""]) => part);
    const path = parts.join("/").replace(/^\/+/, "");
    // A way that only leads up is the root of something, not what is loaded.
    if (!/[^./]/.test(path)) continue;
    const whole = path.startsWith(".") ? path : `./${path}`;
    found.push(whole, ...(loads ? [`${whole}/*`, `${whole}/*/index.*`] : []));
  }
  if (loads && LISTS_ITSELF.test(text)) found.push("./*", "./*/index.*");
  return found;
}

const LISTS_ITSELF =
  /\b(?:readdir|readdirSync|walk)\s{0,5}\(\s{0,20}(?:__dirname|import\.meta\.dir(?:name)?)\s{0,5}[,)]/;

/**
 * Patterns of paths as a measured repository writes them: `*` and `?` within one name, `**` across folders. No braces and no
 * alternatives, so that the time to match grows with the length of the pattern and the path alone.
 */

/** Matches whole paths. Characters of `literal` stand for themselves beside braces. */
export function pathGlob(pattern: string, literal = ""): (path: string) => boolean {
  const escaped = [...pattern].map((one) => (`{}${literal}`.includes(one) ? `\\${one}` : one)).join("");
  const glob = new Bun.Glob(escaped.replace(/^!/, "\\!"));
  return (path) => glob.match(path);
}

/** Matches the file of that path and everything in the folder of that path. Brackets are common in names of files: no pattern. */
export function fileOrFolder(pattern: string): (path: string) => boolean {
  const trimmed = pattern.replace(/\/+$/, "");
  if (!/[*?]/.test(trimmed)) return (path) => path === trimmed || path.startsWith(`${trimmed}/`);
  const file = pathGlob(trimmed, "[]");
  const folder = pathGlob(`${trimmed}/**`, "[]");
  return (path) => file(path) || folder(path);
}

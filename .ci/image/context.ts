/** The folder an image is built in: what of it a `COPY` may take, and taking it. */

import { cpSync, existsSync, lstatSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { basename, dirname, join, posix } from "node:path";

/** Whether a path of the folder is left out, by its `.dockerignore`: of the patterns that fit it or a folder above, the last decides. */
export function ignoredBy(text: string): (path: string) => boolean {
  const rules = text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "" && !line.startsWith("#"))
    .map((line) => ({
      keeps: line.startsWith("!"),
      fits: pattern(line.replace(/^!/, "").replace(/^\/|\/$/g, "")),
    }));
  return (path) => {
    const above = path.split("/").map((_, index, parts) => parts.slice(0, index + 1).join("/"));
    return rules.reduce(
      (ignored, { keeps, fits }) => (above.some((one) => fits.test(one)) ? !keeps : ignored),
      false,
    );
  };
}

/** `*` and `?` stay within a name, `**` does not. */
function pattern(text: string): RegExp {
  const body = text.replace(/\*\*\/?|[*?]|[.+^${}()|[\]\\]/g, (part) =>
    part.startsWith("**") ? "(?:.*/)?" : part === "*" ? "[^/]*" : part === "?" ? "[^/]" : `\\${part}`,
  );
  return new RegExp(`^${body}$`);
}

/**
 * Copies as `COPY` does: a folder's contents, a file by its name or to the name that was given; folders on the way are made, owners are
 * not kept. Throws when a source is not there, or is left out.
 */
export function copyInto(
  from: string,
  root: string,
  cwd: string,
  paths: { sources: readonly string[]; to: string },
  isIgnored: (path: string) => boolean,
): void {
  const intoFolder = paths.to.endsWith("/") || paths.to === "." || paths.sources.length > 1;
  if (paths.sources.length > 1 && !paths.to.endsWith("/"))
    throw new Error("several sources need a folder that ends with /");
  const to = join(root, posix.resolve(cwd, paths.to));
  const found = paths.sources.flatMap((source) => {
    const names = expand(from, posix.join(".", source)).filter(
      (path) => !isIgnored(path) || hasKept(from, path, isIgnored),
    );
    if (names.length === 0) throw new Error(`${source} is not there, or .dockerignore leaves it out`);
    return names;
  });
  for (const path of found) {
    const source = join(from, path);
    if (lstatSync(source).isDirectory()) {
      mkdirSync(to, { recursive: true });
      cpSync(source, to, {
        recursive: true,
        verbatimSymlinks: true,
        filter: (one) => {
          const inside = posix.relative(from, one);
          return !isIgnored(inside) || hasKept(from, inside, isIgnored);
        },
      });
    } else {
      const target =
        intoFolder || (existsSync(to) && lstatSync(to).isDirectory()) ? join(to, basename(path)) : to;
      mkdirSync(dirname(target), { recursive: true });
      cpSync(source, target, { verbatimSymlinks: true });
    }
  }
}

/** A folder that is left out may hold something that is not. */
function hasKept(from: string, path: string, isIgnored: (path: string) => boolean): boolean {
  const full = join(from, path);
  if (!lstatSync(full).isDirectory()) return false;
  return readdirSync(full).some(
    (name) => !isIgnored(`${path}/${name}`) || hasKept(from, `${path}/${name}`, isIgnored),
  );
}

/** The paths a source names; a `*` stands for names of one folder. */
function expand(from: string, source: string): string[] {
  if (!source.includes("*")) return existsSync(join(from, source)) ? [source] : [];
  const fits = pattern(source);
  const folder = dirname(source);
  if (folder.includes("*")) throw new Error(`${source}: a * is understood in the last name alone`);
  return readdirSync(join(from, folder))
    .map((name) => posix.join(folder, name))
    .filter((path) => fits.test(path));
}

/** The folder's own rules. */
export function rulesOf(folder: string): (path: string) => boolean {
  const file = join(folder, ".dockerignore");
  return ignoredBy(existsSync(file) ? readFileSync(file, "utf8") : "");
}

/** Package lists of JavaScript. */
import { asObject, attempt, dig, keysOf, type Manifest, ownName } from "./names.ts";

const LOCAL = /^(workspace|file|link|portal):/;

/** `"a": "npm:real@1"` installs `real`. */
const ALIAS = /^npm:(@?[^@]+)/;

/** `package.json`: what it installs by name, without peers. A version from a catalogue is a version like any other. */
export function readPackageJson(text: string): Manifest | undefined {
  const json = attempt(() => JSON.parse(text));
  if (json === undefined) return undefined;
  const names: string[] = [];
  for (const group of ["dependencies", "devDependencies", "optionalDependencies"]) {
    for (const [name, version] of Object.entries(asObject(json[group]) ?? {})) {
      if (typeof version !== "string") names.push(name);
      else if (!LOCAL.test(version)) names.push(ALIAS.exec(version)?.[1] ?? name);
    }
  }
  return { ecosystem: "npm", names, ...ownName(json["name"]) };
}

/** `deno.json`: what its import map takes from a registry. */
export function readDenoJson(text: string): Manifest | undefined {
  const json = attempt(() => Bun.JSONC.parse(text));
  if (json === undefined) return undefined;
  const imports = dig(json, "imports");
  const names = keysOf(imports).flatMap((key) => {
    const [, registry, name] = /^(npm|jsr):\/?(@?[^@/]+(?:\/[^@/]+)?)/.exec(String(dig(imports, key))) ?? [];
    if (name === undefined) return [];
    return [registry === "npm" ? withoutPath(name) : `jsr:${name}`];
  });
  return { ecosystem: "npm", names };
}

/** `react/jsx-runtime` is a file of `react`. */
function withoutPath(name: string): string {
  return name.startsWith("@") ? name : (name.split("/", 1)[0] ?? name);
}

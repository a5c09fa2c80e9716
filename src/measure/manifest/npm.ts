import { asObject, attempt, type Manifest } from "./names.ts";

const LOCAL = /^(workspace|file|link|portal):/;

/** `package.json`: what it installs by name, without peers and without packages of the same repository. */
export function readPackageJson(text: string): Manifest | undefined {
  const json = attempt(() => JSON.parse(text));
  if (json === undefined) return undefined;
  const names: string[] = [];
  for (const group of ["dependencies", "devDependencies", "optionalDependencies"]) {
    for (const [name, version] of Object.entries(asObject(json[group]) ?? {})) {
      if (typeof version !== "string" || !LOCAL.test(version)) names.push(name);
    }
  }
  return { ecosystem: "npm", names };
}

/** The package's own name, so that siblings which depend on it are not counted. */
export function packageJsonName(text: string): string | undefined {
  const name = attempt(() => JSON.parse(text))?.["name"];
  return typeof name === "string" ? name : undefined;
}

/** The measuring tools: where they lie and which versions they are. */

import { dirname, join } from "node:path";

/** Places of the tools; an absent one leaves its measures unmeasured. */
export interface Tools {
  readonly git: string | undefined;
  readonly jscpd: string | undefined;
  /** The folders of the tree-sitter grammars. */
  readonly grammars: readonly string[] | undefined;
  /** Versions of the parser and of its packages of grammars, from their own package files. */
  readonly treeSitter: string | undefined;
}

/** The machine, as `process` names it. */
export interface Machine {
  readonly platform: string;
  readonly arch: string;
}

/** Finds the tools next to this program. `git` is looked up in `path`. */
export async function findTools(machine: Machine, path: string | undefined): Promise<Tools> {
  const [parser, grammars, c] = ["web-tree-sitter", "@vscode/tree-sitter-wasm", "tree-sitter-c"].map(
    packageFolder,
  );
  const versions = await Promise.all([parser, grammars, c].map(packageVersion));
  return {
    git: Bun.which("git", path === undefined ? {} : { PATH: path }) ?? undefined,
    jscpd: findJscpd(machine),
    grammars: grammars === undefined || c === undefined ? undefined : [join(grammars, "wasm"), c],
    treeSitter: versions.includes(undefined) ? undefined : versions.join("/"),
  };
}

/** jscpd is one program per machine kind, each an optional package: a missing one does not fail the install. */
function findJscpd({ platform, arch }: Machine): string | undefined {
  const kinds = platform === "linux" ? [`linux-${arch}-gnu`, `linux-${arch}-musl`] : [`${platform}-${arch}`];
  const names = platform === "win32" ? [`windows-${arch}-msvc`] : kinds;
  for (const name of names) {
    const folder = packageFolder(`jscpd-${name}`);
    if (folder !== undefined) return join(folder, "bin", platform === "win32" ? "jscpd.exe" : "jscpd");
  }
  return undefined;
}

function packageFolder(name: string): string | undefined {
  try {
    return dirname(Bun.resolveSync(`${name}/package.json`, import.meta.dir));
  } catch {
    return undefined;
  }
}

async function packageVersion(folder: string | undefined): Promise<string | undefined> {
  if (folder === undefined) return undefined;
  try {
    const { version } = await Bun.file(join(folder, "package.json")).json();
    return typeof version === "string" ? version : undefined;
  } catch {
    return undefined;
  }
}

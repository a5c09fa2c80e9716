/** The measuring tools: where they lie and which versions they are. */
import { dirname, join } from "node:path";

/** Places of the tools; an absent one leaves its measures unmeasured. */
export interface Tools {
  readonly git: string | undefined;
  readonly jscpd: string | undefined;
  /** The folder of the tree-sitter grammars. */
  readonly grammars: string | undefined;
  /** Version of the parser and of its grammars, from their own package files. */
  readonly treeSitter: string | undefined;
}

/** The machine, as `process` names it. */
export interface Machine {
  readonly platform: string;
  readonly arch: string;
}

/** Finds the tools next to this program. `git` is looked up in `path`. */
export async function findTools(machine: Machine, path: string | undefined): Promise<Tools> {
  const grammars = packageFolder("@vscode/tree-sitter-wasm");
  const [parser, wasm] = await Promise.all([
    packageVersion(packageFolder("web-tree-sitter")),
    packageVersion(grammars),
  ]);
  return {
    git: Bun.which("git", path === undefined ? {} : { PATH: path }) ?? undefined,
    jscpd: findJscpd(machine),
    grammars: grammars === undefined ? undefined : join(grammars, "wasm"),
    treeSitter: parser === undefined || wasm === undefined ? undefined : `${parser}/${wasm}`,
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

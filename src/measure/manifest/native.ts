/** Package lists of Go, Rust, Swift, Dart and Elixir. */
import { asObject, attempt, captures, dig, keysOf, type Manifest } from "./names.ts";

/** `go.mod`: required modules, without the indirect ones. */
export function readGoMod(text: string): Manifest | undefined {
  if (!/^module\s/m.test(text)) return undefined;
  const names: string[] = [];
  let block = false;
  for (const raw of text.split("\n")) {
    const line = raw.trim();
    if (/^require\s*\($/.test(line)) block = true;
    else if (line === ")") block = false;
    else if (!/\/\/\s*indirect\b/.test(line)) {
      const name = (block ? /^([^\s/]\S*)\s+v\S+/ : /^require\s+(\S+)\s+v\S+/).exec(line)?.[1];
      if (name !== undefined) names.push(name);
    }
  }
  return { ecosystem: "go", names };
}

/** `Cargo.toml`: all dependency tables, also per target and of the workspace, without paths. */
export function readCargo(text: string): Manifest | undefined {
  const toml = attempt(() => Bun.TOML.parse(text));
  if (toml === undefined) return undefined;
  const targets = dig(toml, "target");
  const holders = [toml, dig(toml, "workspace"), ...keysOf(targets).map((key) => dig(targets, key))];
  const names = holders.flatMap((holder) =>
    ["dependencies", "dev-dependencies", "build-dependencies"].flatMap((table) => crates(dig(holder, table))),
  );
  return { ecosystem: "cargo", names };
}

function crates(table: unknown): string[] {
  return Object.entries(asObject(table) ?? {})
    .filter(([, value]) => dig(value, "path") === undefined && dig(value, "workspace") !== true)
    .map(([name, value]) => {
      const renamed = dig(value, "package");
      return typeof renamed === "string" ? renamed : name;
    });
}

/** `pubspec.yaml`: dependencies, without those of the SDK and without paths. */
export function readPubspec(text: string): Manifest | undefined {
  const yaml = attempt(() => Bun.YAML.parse(text));
  if (yaml === undefined) return undefined;
  const names = ["dependencies", "dev_dependencies"].flatMap((group) =>
    Object.entries(asObject(yaml[group]) ?? {})
      .filter(([, value]) => dig(value, "sdk") === undefined && dig(value, "path") === undefined)
      .map(([name]) => name),
  );
  return { ecosystem: "pub", names };
}

/** `mix.exs`: the `{:name, …}` tuples of its `deps` function, read as text. */
export function readMix(text: string): Manifest | undefined {
  const deps = /defp?\s+deps\b[\s\S]*?\bdo\b([\s\S]*?)\n\s*end\b/.exec(stripHash(text))?.[1];
  if (deps === undefined) return undefined;
  return { ecosystem: "hex", names: captures(deps, /\{\s*:(\w+)\s*,(?![^}]*\b(?:path|in_umbrella):)/g) };
}

/** `Package.swift`: the addresses of its packages, read as text. */
export function readPackageSwift(text: string): Manifest | undefined {
  if (!/\bPackage\s*\(/.test(text)) return undefined;
  const urls = captures(text.replace(/^\s*\/\/.*$/gm, ""), /\.package\s*\([^)]*?url:\s*"([^"]+)"/g);
  return { ecosystem: "swift", names: urls.map((url) => url.toLowerCase().replace(/\.git$/, "")) };
}

function stripHash(text: string): string {
  return text.replace(/^\s*#.*$/gm, "");
}

/** Package lists of Go, Rust, Swift, Dart and Elixir. */
import { searchFor } from "../find.ts";
import { asObject, attempt, dig, keysOf, type Manifest, ownName, readToml } from "./names.ts";
import { comesBefore, firstInside, lineHeads, withoutCommentLines } from "./text.ts";

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
  return { ecosystem: "go", names, ...ownName(/^module\s+(\S+)/m.exec(text)?.[1]) };
}

/** `Cargo.toml`: all dependency tables, also per target and of the workspace, without paths. */
export function readCargo(text: string): Manifest | undefined {
  const toml = readToml(text);
  if (toml === undefined) return undefined;
  const targets = dig(toml, "target");
  const holders = [toml, dig(toml, "workspace"), ...keysOf(targets).map((key) => dig(targets, key))];
  const names = holders.flatMap((holder) =>
    ["dependencies", "dev-dependencies", "build-dependencies"].flatMap((table) => crates(dig(holder, table))),
  );
  return { ecosystem: "cargo", names, ...ownName(dig(toml, "package", "name")) };
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
  return { ecosystem: "pub", names, ...ownName(yaml["name"]) };
}

/** `mix.exs`: the `{:name, …}` tuples of its `deps` function, read as text. */
export function readMix(text: string): Manifest | undefined {
  const deps = mixDeps(withoutCommentLines(text, "#"));
  if (deps === undefined) return undefined;
  const local = searchFor(deps, /\b(?:path|in_umbrella):/g);
  const closes = searchFor(deps, "}");
  const tuples = [...deps.matchAll(/\{\s*:(\w+)\s*,/g)].filter(({ index, 0: { length } }) => {
    const path = local(index + length);
    return path === undefined || !comesBefore(path.at, closes, index + length);
  });
  return { ecosystem: "hex", names: tuples.map((tuple) => tuple[1] ?? "") };
}

/** The body of the first `def deps` or `defp deps`, up to the first line that starts with `end`. */
function mixDeps(text: string): string | undefined {
  const head = searchFor(text, /defp?\s+deps\b/g)(0);
  const body = head === undefined ? undefined : searchFor(text, /\bdo\b/g)(head.end);
  const firstEnd = body === undefined ? undefined : text.indexOf("\n", body.end);
  if (body === undefined || firstEnd === undefined || firstEnd < 0) return undefined;
  for (const at of lineHeads(text.slice(firstEnd))) {
    if (/^end(?!\w)/.test(text.slice(firstEnd + at, firstEnd + at + 4)))
      return text.slice(body.end, firstEnd + at);
  }
  return undefined;
}

/** `Package.swift`: the addresses of its packages, read as text. */
export function readPackageSwift(text: string): Manifest | undefined {
  if (!/\bPackage\s*\(/.test(text)) return undefined;
  const plain = withoutCommentLines(text, "//");
  const urls = firstInside(plain, /\.package\s*\(/g, /url:\s*"([^"]+)"/g, ")");
  return { ecosystem: "swift", names: urls.map((url) => url.toLowerCase().replace(/\.git$/, "")) };
}

/** Packages the project installs by name, from the package lists in its tree. Static reading only. */
import { VENDOR_SEGMENTS } from "./foreign.ts";
import { readGradle, readPom, readProject, readVersionCatalogue } from "./manifest/jvm.ts";
import type { ManifestReader } from "./manifest/names.ts";
import { readCargo, readGoMod, readMix, readPackageSwift, readPubspec } from "./manifest/native.ts";
import { packageJsonName, readPackageJson } from "./manifest/npm.ts";
import { readPipfile, readPyproject, readRequirements, readSetupCfg } from "./manifest/python.ts";
import { readComposer, readGemfile } from "./manifest/web.ts";
import { isTestFile } from "./test_files.ts";

const READERS: readonly (readonly [pattern: RegExp, reader: ManifestReader])[] = [
  [/^package\.json$/, readPackageJson],
  [/^(?:.*[-_.])?requirements(?:[-_.].*)?\.(?:txt|in)$/, readRequirements],
  [/^pyproject\.toml$/, readPyproject],
  [/^Pipfile$/, readPipfile],
  [/^setup\.cfg$/, readSetupCfg],
  [/^go\.mod$/, readGoMod],
  [/^Cargo\.toml$/, readCargo],
  [/^composer\.json$/, readComposer],
  [/^(?:Gemfile|gems\.rb)$/, readGemfile],
  [/^pom\.xml$/, readPom],
  [/^build\.gradle(?:\.kts)?$/, readGradle],
  [/^libs\.versions\.toml$/, readVersionCatalogue],
  [/\.(?:cs|fs|vb)proj$/, readProject],
  [/^pubspec\.yaml$/, readPubspec],
  [/^mix\.exs$/, readMix],
  [/^Package\.swift$/, readPackageSwift],
];

const SIDE_SEGMENTS = new Set([
  ...VENDOR_SEGMENTS,
  "fixture",
  "fixtures",
  "example",
  "examples",
  "samples",
  "sample",
]);

/** The package lists among the paths, outside of tests, fixtures, examples and other people's code. */
export function manifestPaths(paths: readonly string[]): string[] {
  return paths.filter((path) => readerOf(path) !== undefined && !isTestFile(path) && !isAside(path));
}

function isAside(path: string): boolean {
  return path
    .split("/")
    .slice(0, -1)
    .some((segment) => SIDE_SEGMENTS.has(segment));
}

function readerOf(path: string): ManifestReader | undefined {
  const name = path.slice(path.lastIndexOf("/") + 1);
  return READERS.find(([pattern]) => pattern.test(name))?.[1];
}

/** Distinct packages over all package lists; `undefined` when none could be read. */
export function countDependencies(manifests: ReadonlyMap<string, string>): number | undefined {
  const own = new Set<string>();
  const names = new Set<string>();
  let read = 0;
  for (const [path, text] of manifests) {
    if (path.endsWith("package.json")) own.add(packageJsonName(text) ?? "");
  }
  for (const [path, text] of manifests) {
    const manifest = readerOf(path)?.(text);
    if (manifest === undefined) continue;
    read++;
    for (const name of manifest.names) {
      if (manifest.ecosystem !== "npm" || !own.has(name)) names.add(`${manifest.ecosystem} ${name}`);
    }
  }
  return read === 0 ? undefined : names.size;
}

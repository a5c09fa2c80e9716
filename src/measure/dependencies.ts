/** Packages the project installs by name, from the package lists in its tree. Static reading only. */
import { vendoredFolders } from "./foreign/folders.ts";
import { readGradle, readPom, readProject, readVersionCatalogue } from "./manifest/jvm.ts";
import type { Manifest, ManifestReader } from "./manifest/names.ts";
import { readCargo, readGoMod, readMix, readPackageSwift, readPubspec } from "./manifest/native.ts";
import { packageJsonName, readPackageJson } from "./manifest/npm.ts";
import { readPipfile, readPyproject, readRequirements, readSetupCfg } from "./manifest/python.ts";
import { readComposer, readGemfile } from "./manifest/web.ts";
import { isTestFile } from "./test_files.ts";

/** Raised with any change of which lists are read, or of what counts as a package. */
export const PACKAGE_READER = "codepackages 1.0.0";

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

const SIDE_SEGMENTS = new Set(["dist", "fixture", "fixtures", "example", "examples", "samples", "sample"]);

/** The package lists among the paths, outside of tests, fixtures, examples and other people's code. */
export function manifestPaths(paths: readonly string[]): string[] {
  const isVendored = vendoredFolders(paths);
  return paths.filter(
    (path) => readerOf(path) !== undefined && !isTestFile(path) && !isAside(path) && !isVendored(path),
  );
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

/** What one package list holds. */
export interface ManifestReading extends Manifest {
  /** The name under which the list itself is a package of its ecosystem. */
  readonly own?: string;
}

/** Reads one package list; `undefined` when it is not what its name promises. */
export function readManifest(path: string, text: string): ManifestReading | undefined {
  const manifest = readerOf(path)?.(text);
  const own = path.endsWith("package.json") ? packageJsonName(text) : undefined;
  return manifest === undefined || own === undefined ? manifest : { ...manifest, own };
}

/** Distinct packages over all package lists; `undefined` when none could be read. */
export function countDependencies(manifests: readonly ManifestReading[]): number | undefined {
  const own = new Set(manifests.map((manifest) => manifest.own));
  const names = new Set<string>();
  for (const manifest of manifests) {
    for (const name of manifest.names) {
      if (manifest.ecosystem !== "npm" || !own.has(name)) names.add(`${manifest.ecosystem} ${name}`);
    }
  }
  return manifests.length === 0 ? undefined : names.size;
}

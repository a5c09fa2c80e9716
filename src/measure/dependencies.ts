/** Packages the project installs by name, from the package lists in its tree. Static reading only. */

import { dirname, join } from "node:path/posix";
import { vendoredFolders } from "./foreign/folders.ts";
import {
  readBuildSource,
  readGradle,
  readPackagesConfig,
  readPom,
  readProject,
  readVersionCatalogue,
} from "./manifest/jvm.ts";
import {
  type Manifest,
  type ManifestReader,
  readCargo,
  readComposer,
  readDenoJson,
  readGemfile,
  readGemspec,
  readGoMod,
  readMix,
  readPackageJson,
  readPackageSwift,
  readPodfile,
  readPubspec,
} from "./manifest/native.ts";
import {
  readEnvironment,
  readPipfile,
  readPyproject,
  readRequirements,
  readSetupCfg,
} from "./manifest/python.ts";
import { isTestFile } from "./test_files.ts";

/** Raised with any change of which lists are read, or of what counts as a package. */
export const PACKAGE_READER = "codepackages 1.1.0";

/** Package lists by path. */
const READERS: readonly (readonly [pattern: RegExp, reader: ManifestReader])[] = [
  [/(?:^|\/)package\.json$/, readPackageJson],
  [/(?:^|\/)deno\.jsonc?$/, readDenoJson],
  // `requirements.txt`, with one word of what they are for before it, and any behind it.
  [/(?:^|\/)(?:[A-Za-z\d]+[-_.])?requirements(?:[-_.][^/]*)?\.(?:txt|in)$/, readRequirements],
  [/(?:^|\/)requirements\/[^/]+\.(?:txt|in)$/, readRequirements],
  [/(?:^|\/)pyproject\.toml$/, readPyproject],
  [/(?:^|\/)Pipfile$/, readPipfile],
  [/(?:^|\/)setup\.cfg$/, readSetupCfg],
  [/(?:^|\/)environment\.ya?ml$/, readEnvironment],
  [/(?:^|\/)go\.mod$/, readGoMod],
  [/(?:^|\/)Cargo\.toml$/, readCargo],
  [/(?:^|\/)composer\.json$/, readComposer],
  [/(?:^|\/)(?:Gemfile|gems\.rb|[^/]+\.gemfile)$/, readGemfile],
  [/\.gemspec$/, readGemspec],
  [/(?:^|\/)Podfile$/, readPodfile],
  [/(?:^|\/)pom\.xml$/, readPom],
  [/(?:^|\/)buildSrc\/.*\.(?:kt|java|groovy)$/, readBuildSource],
  [/\.gradle(?:\.kts)?$/, readGradle],
  [/\.versions\.toml$/, readVersionCatalogue],
  [/\.(?:cs|fs|vb)proj$/, readProject],
  [/(?:^|\/)Directory\.[^/]*\.(?:props|targets)$/, readProject],
  [/(?:^|\/)packages\.config$/, readPackagesConfig],
  [/(?:^|\/)pubspec\.yaml$/, readPubspec],
  [/(?:^|\/)mix\.exs$/, readMix],
  [/(?:^|\/)Package\.swift$/, readPackageSwift],
];

/** A program that lists packages: it is parsed, never run. */
export const SETUP_PY = /(?:^|\/)setup\.py$/;

/** Folders of projects that show or try the project, or that are made from it. */
const SIDE_SEGMENTS =
  /^(?:dist|fixtures?|examples?|samples?|demos?|benchmarks?|playgrounds?|templates?|template-[^/]*|project_template)$/;

/** The package lists among the paths, outside of tests, fixtures, examples and other people's code. */
export function manifestPaths(paths: readonly string[]): string[] {
  const isVendored = vendoredFolders(paths);
  const lists = paths.filter(
    (path) => isManifest(path) && !isTestFile(path) && !isAside(path) && !isVendored(path),
  );
  const known = new Set(lists);
  // A list that was compiled from the one beside it holds what that one's packages need as well.
  return lists.filter((path) => !path.endsWith(".txt") || !known.has(path.replace(/\.txt$/, ".in")));
}

function isManifest(path: string): boolean {
  return SETUP_PY.test(path) || readerOf(path) !== undefined;
}

function isAside(path: string): boolean {
  return path
    .split("/")
    .slice(0, -1)
    .some((segment) => SIDE_SEGMENTS.test(segment));
}

function readerOf(path: string): ManifestReader | undefined {
  return READERS.find(([pattern]) => pattern.test(path))?.[1];
}

/** Reads one package list; `undefined` when it is not what its name promises. A list that another one includes may have any name. */
export function readManifest(path: string, text: string): Manifest | undefined {
  return (readerOf(path) ?? readRequirements)(text);
}

/** A list that was read, and where it lies. */
export interface ReadList {
  readonly path: string;
  readonly manifest: Manifest;
}

/** The paths of the lists that a list includes; `missing` are those that are not in the tree. */
export function includedPaths(
  { path, manifest }: ReadList,
  has: (path: string) => boolean,
): { paths: string[]; missing: string[] } {
  const named = manifest.includes ?? [];
  const resolved = named.map((name) => join(dirname(path), name));
  return {
    paths: resolved.filter((one) => has(one)),
    missing: named.filter((_, at) => !has(resolved[at] ?? "")),
  };
}

/** Distinct packages over all package lists, without those that are lists of the tree themselves. */
export function countDependencies(manifests: readonly Manifest[]): number {
  const own = new Set(
    manifests.flatMap(({ ecosystem, own = [] }) => own.map((name) => `${ecosystem} ${name}`)),
  );
  const names = new Set(
    manifests.flatMap(({ ecosystem, names }) => names.map((name) => `${ecosystem} ${name}`)),
  );
  return [...names].filter((name) => !own.has(name)).length;
}

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

/** Which files are tests: the defaults of the usual test runners and build tools, case-sensitive. */

/** Directory segments that hold tests in any language. */
export const TEST_SEGMENTS: readonly string[] = [
  "test",
  "tests",
  "__tests__",
  "__mocks__",
  "__fixtures__",
  "__snapshots__",
  "spec",
  "specs",
  "e2e",
  "cypress",
  "testdata",
  "test-fixtures",
  // Snake case is of Python, Ruby and Dart; `test-utils` is the name of packages that help others to test.
  "test_utils",
  "test_data",
  "test_driver",
  "integration_test",
  "integration_tests",
  "unit_tests",
  "unittests",
];

/** Path shapes. */
export const TEST_DIRECTORIES: readonly RegExp[] = [
  // Source sets of Maven and Gradle, also of single platforms.
  /(^|\/)src\/(test|\w*Test|testFixtures)\//,
  // Maven's integration tests; `src/it/` alone is where a site keeps its Italian.
  /(^|\/)src\/it\/(java|kotlin|scala|groovy|resources[^/]*)\//,
  // Projects of .NET: `A.Tests`, `A.UnitTests`, `A.Tests.Shared`, `FunctionalTests`.
  /(^|\/)([^/]+\.)?([A-Z]\w*)?Tests(\.[^/]+)?\/.*\.(cs|vb|fs|razor|cshtml)$/,
  /(^|\/)[^/]+\.([A-Z]\w*)?Tests?\//,
  // Targets of Xcode and Swift packages, bundles of Symfony.
  /(^|\/)\w*Tests\/.*\.(swift|m|mm|h|php)$/,
  // Cargo's benchmarks: targets that are never shipped.
  /(^|\/)benches\/.*\.rs$/,
  // Perl's distributions.
  /(^|\/)x?t\/(.*\/)?[^/]+\.(t|pl|pm)$/,
];

/** File names that runners pick up by default. */
export const TEST_NAMES: readonly RegExp[] = [
  /\.(test|spec|cy|e2e)(-d)?\.[cm]?[jt]sx?$/,
  // Deno.
  /_test\.[jt]sx?$/,
  // pytest; `tests.py` is where Django puts the tests of an application, and `test.py` is what helps others to test.
  /^(test_.*|tests)\.py$/,
  /_tests?\.py$/,
  /^conftest\.py$/,
  /_test\.(go|rb|dart|exs|clj|cljs|cljc|gd)$/,
  /_spec\.(rb|lua)$/,
  /_tests?\.rs$/,
  /^tests\.rs$/,
  // C and C++.
  /^tests?[-_].*\.(c|cc|cpp|cxx|h|hpp)$/,
  /[-_](test|tests|unittest)\.(c|cc|cpp|cxx)$/,
  /^tests?\.(c|cc|cpp|cxx)$/,
  /^tst_.*\.(cpp|h)$/,
  // Surefire, PHPUnit, NUnit, XCTest, ScalaTest, Spock.
  /(Test|Tests|TestCase|IT|ITCase|Spec)\.(java|kt|cs|php|scala|swift|groovy|hs)$/,
  /Suite\.scala$/,
  /^Test[A-Z].*\.java$/,
  /(_SUITE|_tests)\.erl$/,
  /\.Tests\.ps1$/,
  /\.(bats|t\.sol|tftest\.hcl)$/,
  /^test_.*\.(ml|gd)$/,
  // Sublime Text runs them against a syntax, whatever their language.
  /^syntax_test_/,
];

/**
 * The sources that a Java, Kotlin, Scala or Groovy build ships. Below it no name makes a test: `TestStepResult` is a result, and a
 * package `test` helps others.
 */
const SHIPPED = /(^|\/)src\/(main|\w+Main)\/.*\.(java|kts?|scala|groovy)$/;

const SEGMENTS = new Set(TEST_SEGMENTS);

/** Whether a path is a test file. */
export function isTestFile(path: string): boolean {
  const shipped = SHIPPED.exec(path);
  const folders = shipped === null ? path : path.slice(0, shipped.index + 1);
  const segments = folders.split("/");
  const name = segments.pop() ?? "";
  return (
    segments.some((segment) => SEGMENTS.has(segment)) ||
    TEST_DIRECTORIES.some((pattern) => pattern.test(folders)) ||
    (shipped === null && TEST_NAMES.some((pattern) => pattern.test(name)))
  );
}

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

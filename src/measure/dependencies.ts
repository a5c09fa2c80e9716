/** Packages the project installs by name, from the package lists in its tree. Static reading only. */

import { dirname, join } from "node:path/posix";
import { vendoredFolders } from "./foreign/foreign.ts";
import {
  between,
  dig,
  firstInside,
  keysOf,
  type Manifest,
  type ManifestReader,
  matchHeads,
  ownName,
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
  readToml,
  without,
  withoutCommentLines,
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
    (path) =>
      (SETUP_PY.test(path) || readerOf(path) !== undefined) &&
      !isTestFile(path) &&
      !isAside(path) &&
      !isVendored(path),
  );
  const known = new Set(lists);
  // A list that was compiled from the one beside it holds what that one's packages need as well.
  return lists.filter((path) => !path.endsWith(".txt") || !known.has(path.replace(/\.txt$/, ".in")));
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
export function includedPaths({ path, manifest }: ReadList, has: (path: string) => boolean) {
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

// Package lists of Java, Kotlin and .NET builds. Build scripts are read as text, never run.

const MAVEN = "maven";

/** `pom.xml`: dependencies, without dependency management and without plug-ins. Its own artifact is a module of the build. */
export function readPom(text: string): Manifest | undefined {
  if (!/<project\b/.test(text)) return undefined;
  let own = without(text, "<!--", "-->");
  for (const name of ASIDE) own = without(own, `<${name}>`, `</${name}>`);
  const [parent = ""] = between(own, "<parent>", "</parent>");
  let head = own;
  for (const name of BELOW) head = without(head, `<${name}>`, `</${name}>`);
  const group = element(head, "groupId") || element(parent, "groupId");
  const artifact = element(head, "artifactId");
  const names = between(own, "<dependency>", "</dependency>").map(
    (body) => [element(body, "groupId").replace(OWN_GROUP, group), element(body, "artifactId")] as const,
  );
  return {
    ecosystem: MAVEN,
    names: names
      .filter(([groupId, artifactId]) => groupId !== "" && artifactId !== "")
      .map(([groupId, artifactId]) => `${groupId}:${artifactId}`),
    ...ownName(group === "" || artifact === "" ? undefined : `${group}:${artifact}`),
  };
}

/** What a module writes for the group of its own project. */
const OWN_GROUP = /^\$\{(?:project\.|pom\.)?(?:parent\.)?groupId\}$/;
/** Parts of a pom.xml that hold coordinates of others. */
const BELOW = ["parent", "dependencies", "build", "profiles", "reporting", "distributionManagement"];

/** Parts of a pom.xml whose dependencies are none of the project's own, the outer ones first. */
const ASIDE = ["dependencyManagement", "pluginManagement", "plugins", "exclusions"];

/** The text of the first element of this name that holds text alone, on one line. */
function element(body: string, name: string): string {
  const found = between(body, `<${name}>`, `</${name}>`).map((text) => text.trim());
  return found.find((text) => text !== "" && !/[<\n\r\u2028\u2029]/.test(text)) ?? "";
}

/** `build.gradle` and `build.gradle.kts`: string coordinates behind a configuration name, and coordinates by their parts. */
export function readGradle(text: string): Manifest {
  const plain = without(withoutCommentLines(text, "//"), "/*", "*/");
  const names = matchHeads(
    plain,
    /\w+[ (]+(?:(?:platform|enforcedPlatform|kotlin)\s*\(\s*)?["']([\w.${}-]+:[\w.${}-]+)(?::[^"']*)?["']/y,
  ).map(({ group }) => group);
  for (const match of plain.matchAll(BY_PARTS)) names.push(`${match[1]}:${match[2]}`);
  return { ecosystem: MAVEN, names };
}

const BY_PARTS = /\bgroup ?[:=] ?["']([\w.-]{1,200})["'], ?name ?[:=] ?["']([\w.-]{1,200})["']/g;

/** Sources of `buildSrc`: constants that hold coordinates with a version. */
export function readBuildSource(text: string): Manifest {
  const plain = without(withoutCommentLines(text, "//"), "/*", "*/");
  const found = plain.matchAll(/["']([\w.-]{1,200}:[\w.-]{1,200}):[\w.${}+-]{1,200}["']/g);
  return { ecosystem: MAVEN, names: [...found].map((match) => match[1] ?? "") };
}

/** `libs.versions.toml`: the libraries of a Gradle version catalogue. */
export function readVersionCatalogue(text: string): Manifest | undefined {
  const toml = readToml(text);
  if (toml === undefined) return undefined;
  const libraries = dig(toml, "libraries");
  const names = keysOf(libraries).map((key) => {
    const entry = dig(libraries, key);
    const module = typeof entry === "string" ? entry.split(":").slice(0, 2).join(":") : dig(entry, "module");
    return typeof module === "string" ? module : `${dig(entry, "group")}:${dig(entry, "name")}`;
  });
  return { ecosystem: MAVEN, names };
}

/**
 * `*.csproj`, `*.fsproj`, `*.vbproj`, and the `*.props` and `*.targets` that projects share: package references. Versions that are
 * managed in one place (`PackageVersion`) are no references.
 */
export function readProject(text: string): Manifest | undefined {
  if (!/<Project\b/.test(text)) return undefined;
  const plain = without(text, "<!--", "-->");
  const names = firstInside(plain, /<(?:Global)?PackageReference\s/g, /Include="([^"]+)"/g, ">");
  return {
    ecosystem: "nuget",
    names: names
      .flatMap((name) => name.split(";"))
      .map(cleanName)
      .filter(Boolean),
  };
}

/** `packages.config` of older .NET projects. */
export function readPackagesConfig(text: string): Manifest | undefined {
  if (!/<packages\b/.test(text)) return undefined;
  const names = firstInside(without(text, "<!--", "-->"), /<package\s/g, /\bid="([^"]+)"/g, ">");
  return { ecosystem: "nuget", names: names.map(cleanName) };
}

function cleanName(name: string): string {
  return name.trim().toLowerCase();
}

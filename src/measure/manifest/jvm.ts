/** Package lists of Java, Kotlin and .NET builds. Build scripts are read as text, never run. */

import {
  between,
  dig,
  firstInside,
  keysOf,
  type Manifest,
  matchHeads,
  ownName,
  readToml,
  without,
  withoutCommentLines,
} from "./native.ts";

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

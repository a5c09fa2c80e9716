/** Package lists of Java, Kotlin and .NET builds. Build scripts are read as text, never run. */
import { dig, keysOf, type Manifest, readToml } from "./names.ts";
import { between, firstInside, matchHeads, without, withoutCommentLines } from "./text.ts";

const MAVEN = "maven";

/** `pom.xml`: dependencies, without dependency management and without plug-ins. */
export function readPom(text: string): Manifest | undefined {
  if (!/<project\b/.test(text)) return undefined;
  let own = without(text, "<!--", "-->");
  for (const name of ASIDE) own = without(own, `<${name}>`, `</${name}>`);
  const names = between(own, "<dependency>", "</dependency>").map(
    (body) => [element(body, "groupId"), element(body, "artifactId")] as const,
  );
  return {
    ecosystem: MAVEN,
    names: names
      .filter(([group, artifact]) => group !== "" && artifact !== "")
      .map(([group, artifact]) => `${group}:${artifact}`),
  };
}

/** Parts of a pom.xml whose dependencies are none of the project's own, the outer ones first. */
const ASIDE = ["dependencyManagement", "pluginManagement", "plugins", "exclusions"];

/** The text of the first element of this name that holds text alone, on one line. */
function element(body: string, name: string): string {
  const found = between(body, `<${name}>`, `</${name}>`).map((text) => text.trim());
  return found.find((text) => text !== "" && !/[<\n\r\u2028\u2029]/.test(text)) ?? "";
}

/** `build.gradle` and `build.gradle.kts`: string coordinates behind a configuration name. */
export function readGradle(text: string): Manifest {
  const plain = without(withoutCommentLines(text, "//"), "/*", "*/");
  const names = matchHeads(
    plain,
    /\w+[ (]+(?:(?:platform|enforcedPlatform|kotlin)\s*\(\s*)?["']([\w.-]+:[\w.-]+)(?::[^"']*)?["']/y,
  );
  return { ecosystem: MAVEN, names: names.map(({ group }) => group) };
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

/** `*.csproj`, `*.fsproj`, `*.vbproj`: package references. */
export function readProject(text: string): Manifest | undefined {
  if (!/<Project\b/.test(text)) return undefined;
  const plain = without(text, "<!--", "-->");
  const names = firstInside(plain, /<PackageReference\s/g, /Include="([^"]+)"/g, ">");
  return { ecosystem: "nuget", names: names.map((name) => name.toLowerCase()) };
}

/** Package lists of Java, Kotlin and .NET builds. Build scripts are read as text, never run. */
import { attempt, captures, dig, keysOf, type Manifest } from "./names.ts";

const MAVEN = "maven";

/** `pom.xml`: dependencies, without dependency management and without plug-ins. */
export function readPom(text: string): Manifest | undefined {
  if (!/<project\b/.test(text)) return undefined;
  const own = text
    .replace(/<!--[\s\S]*?-->/g, "")
    .replace(/<(dependencyManagement|plugins|pluginManagement|exclusions)>[\s\S]*?<\/\1>/g, "");
  const names = [...own.matchAll(/<dependency>([\s\S]*?)<\/dependency>/g)].map(([, body = ""]) => {
    const group = /<groupId>\s*([^<]+?)\s*<\/groupId>/.exec(body)?.[1] ?? "";
    return `${group}:${/<artifactId>\s*([^<]+?)\s*<\/artifactId>/.exec(body)?.[1] ?? ""}`;
  });
  return { ecosystem: MAVEN, names: names.filter((name) => /^.+:.+$/.test(name)) };
}

/** `build.gradle` and `build.gradle.kts`: string coordinates behind a configuration name. */
export function readGradle(text: string): Manifest {
  const plain = text.replace(/^\s*\/\/.*$/gm, "").replace(/\/\*[\s\S]*?\*\//g, "");
  const names = captures(
    plain,
    /^\s*\w+[ (]+(?:(?:platform|enforcedPlatform|kotlin)\s*\(\s*)?["']([\w.-]+:[\w.-]+)(?::[^"']*)?["']/gm,
  );
  return { ecosystem: MAVEN, names };
}

/** `libs.versions.toml`: the libraries of a Gradle version catalogue. */
export function readVersionCatalogue(text: string): Manifest | undefined {
  const toml = attempt(() => Bun.TOML.parse(text));
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
  const names = captures(text.replace(/<!--[\s\S]*?-->/g, ""), /<PackageReference\s[^>]*?Include="([^"]+)"/g);
  return { ecosystem: "nuget", names: names.map((name) => name.toLowerCase()) };
}

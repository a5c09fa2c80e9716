import { dig, keysOf, type Manifest, readToml, stringsOf } from "./names.ts";

const REQUIREMENT = /^\s*([A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?)\s*(?:\[|[=<>!~;@,( ]|$)/;

/** The normalised name of one requirement (PEP 508, PEP 503). */
function requirementName(text: string): string | undefined {
  return REQUIREMENT.exec(text)?.[1]
    ?.toLowerCase()
    .replace(/[-_.]+/g, "-");
}

function manifest(requirements: readonly string[]): Manifest {
  return {
    ecosystem: "python",
    names: requirements
      .map(requirementName)
      .filter((name) => name !== undefined && name !== "python") as string[],
  };
}

/** `requirements*.txt` and `.in`: lines that are no option and no comment. */
export function readRequirements(text: string): Manifest {
  return manifest(
    text
      .split("\n")
      .map((line) => withoutComment(line).trim())
      .filter((line) => line !== "" && !line.startsWith("-")),
  );
}

/** A comment starts at the start of the line or behind white space. */
function withoutComment(line: string): string {
  for (let at = line.indexOf("#"); at >= 0; at = line.indexOf("#", at + 1)) {
    if (line.charAt(at - 1).trim() === "") return line.slice(0, at);
  }
  return line;
}

/** `pyproject.toml`: project, optional and group dependencies, and Poetry's tables. */
export function readPyproject(text: string): Manifest | undefined {
  const toml = readToml(text);
  if (toml === undefined) return undefined;
  const poetry = dig(toml, "tool", "poetry");
  const groups = dig(poetry, "group");
  return manifest([
    ...stringsOf(dig(toml, "project", "dependencies")),
    ...listsIn(dig(toml, "project", "optional-dependencies")),
    ...listsIn(dig(toml, "dependency-groups")),
    ...keysOf(dig(poetry, "dependencies")),
    ...keysOf(dig(poetry, "dev-dependencies")),
    ...keysOf(groups).flatMap((group) => keysOf(dig(groups, group, "dependencies"))),
  ]);
}

function listsIn(value: unknown): string[] {
  return keysOf(value).flatMap((key) => stringsOf(dig(value, key)));
}

/** `Pipfile`. */
export function readPipfile(text: string): Manifest | undefined {
  const toml = readToml(text);
  return toml === undefined
    ? undefined
    : manifest([...keysOf(toml["packages"]), ...keysOf(toml["dev-packages"])]);
}

/** `setup.cfg`: `install_requires` and the extras. `setup.py` is code and is never read. */
export function readSetupCfg(text: string): Manifest | undefined {
  const requirements: string[] = [];
  let section = "";
  let listed = false;
  for (const line of text.split("\n")) {
    if (/^\s*[#;]/.test(line) || line.trim() === "") continue;
    const header = /^\[(.+)\]/.exec(line)?.[1];
    const option = /^([\w.-]+)\s*[=:]/.exec(line);
    if (header !== undefined) {
      section = header;
      listed = false;
    } else if (option !== null) {
      listed =
        section === "options.extras_require" || (section === "options" && option[1] === "install_requires");
      if (listed) requirements.push(line.slice(option[0].length).trim());
    } else if (listed) requirements.push(line.trim());
  }
  return requirements.length === 0 ? undefined : manifest(requirements);
}

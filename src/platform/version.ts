import packageFile from "../../package.json" with { type: "json" };

/** This release's version: `package.json` is the one place that says it. */
export function towerVersion(): string {
  return packageFile.version;
}

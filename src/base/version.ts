/** This release's version: `package.json` is the one place that says it. */

import packageFile from "../../package.json";

export function towerVersion(): string {
  return packageFile.version;
}

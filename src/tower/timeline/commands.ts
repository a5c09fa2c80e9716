/** The commands that post an annotation, as text to be copied. The token stays in the environment. */
import { curlLines, type Destination } from "../sending/commands.ts";

/** Quotes a value as a JSON string inside the single quotes of a shell. */
function jsonWord(value: string): string {
  return JSON.stringify(value).replaceAll("'", `'\\''`);
}

/** A call of curl. `ref` is what the shell puts in. Its retries send the same body, and so store it once. */
function call(destination: Pick<Destination, "asset" | "ingest">, ref: string): readonly string[] {
  const at = "$(date -u +%Y-%m-%dT%H:%M:%SZ)";
  return curlLines(
    {
      variable: "TOWER_TOKEN",
      options: "-sS --fail-with-body --retry 3 --retry-connrefused",
      address: `${destination.ingest}/api/annotations`,
    },
    [`-d '{"asset":${jsonWord(destination.asset)},"at":"'"${at}"'","kind":"deploy","ref":"'"${ref}"'"}'`],
  );
}

/** Posts a deploy of the checkout the shell stands in. */
export function annotationCommand(destination: Pick<Destination, "asset" | "ingest">): string {
  return call(destination, "$(git rev-parse HEAD)").join("\n");
}

/** The step of a repository's workflow, to stand after the one that deploys. */
export function annotationStep(destination: Pick<Destination, "asset" | "ingest">): string {
  return [
    "- name: Note the deploy on the timeline",
    "  env:",
    `    TOWER_TOKEN: ${["$", "{{ secrets.TOWER_TOKEN }}"].join("")}`,
    "  run: |",
    ...call(destination, "$GITHUB_SHA").map((line) => `    ${line}`),
  ].join("\n");
}

/** What the action takes: the one list that its description, its steps and every workflow that calls it are made of. Pure. */

/** One input. */
export interface Input {
  readonly name: string;
  /** The variable in which the steps' scripts find it. */
  readonly variable: string;
  readonly about: string;
  readonly required?: true;
  /** Which step is given it. What holds the token never sees the repository, and the other way round. */
  readonly step: "measure" | "post" | "both";
}

export const INPUTS = [
  { name: "asset", variable: "ASSET", step: "measure", required: true, about: "The site's id." },
  {
    name: "ingest-url",
    variable: "INGEST_URL",
    step: "post",
    about: "Base address of the ingest. Without it, or without the token, the report becomes an artifact.",
  },
  { name: "token", variable: "ASSET_TOKEN", step: "post", about: "The site's token (a repository secret)." },
  {
    name: "build-passed",
    variable: "BUILD_PASSED",
    step: "measure",
    about:
      "How the build ended (success, failure, skipped, cancelled). Empty, skipped and cancelled send nothing.",
  },
  {
    name: "tests-passed",
    variable: "TESTS_PASSED",
    step: "measure",
    about:
      "How the tests ended (success, failure, skipped, cancelled). Empty, skipped and cancelled send nothing.",
  },
  {
    name: "vulnerable-dependencies",
    variable: "VULNERABLE_DEPENDENCIES",
    step: "measure",
    about: "Count of packages with a known vulnerability. Empty sends nothing.",
  },
  {
    name: "paths",
    variable: "PATHS",
    step: "measure",
    about: "Measured paths, one per line, at most 20. Empty measures the whole repository.",
  },
  {
    name: "image",
    variable: "IMAGE",
    step: "measure",
    about:
      "The measuring image with its digest (name@sha256:…). Empty builds it from the sources beside the action.",
  },
  {
    name: "fail-on-error",
    variable: "FAIL_ON_ERROR",
    step: "both",
    about:
      "true ends the step with a failure where a warning would stand: nothing measured, or the report refused.",
  },
] as const satisfies readonly Input[];

export type InputName = (typeof INPUTS)[number]["name"];

/** An expression of the workflow's own language. */
export function expression(text: string): string {
  return ["$", "{{ ", text, " }}"].join("");
}

/** The variables of a step, as lines of its `env`. */
export function variablesOf(step: "measure" | "post"): string[] {
  return INPUTS.filter((input) => input.step === step || input.step === "both").map(
    ({ name, variable }) => `${variable}: ${expression(`inputs.${name}`)}`,
  );
}

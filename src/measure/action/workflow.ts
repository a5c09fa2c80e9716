/** The workflows that measure a repository, as text. Pure. */

// The places whose runners carry the action, and what is different there. Pure.

/** A place for repositories with runners of its own. */
export interface Forge {
  readonly name: string;
  /** The folder it reads workflows and actions from. */
  readonly folder: string;
  /** How a step keeps a file. The newest generation of the first one refuses every place but its own. */
  readonly keeps: string;
  readonly checksOut: string;
}

const CHECKOUT = "actions/checkout@11bd71901bbe5b1630ceea73d27597364c9af683 # v4.2.2";

export const FORGES = [
  {
    name: "github",
    folder: ".github",
    keeps: "actions/upload-artifact@ea165f8d65b6e75b540449e92b4886f43607fa02 # v4.6.2",
    checksOut: CHECKOUT,
  },
  {
    name: "forgejo",
    folder: ".forgejo",
    keeps: "https://code.forgejo.org/forgejo/upload-artifact@v4",
    checksOut: "https://code.forgejo.org/actions/checkout@v4",
  },
  { name: "gitea", folder: ".gitea", keeps: "actions/upload-artifact@v3", checksOut: "actions/checkout@v4" },
] as const satisfies readonly Forge[];

export const GITHUB: Forge = FORGES[0];

/** The folder of GitLab, which has jobs of scripts and no actions. */
export const GITLAB_FOLDER = ".gitlab";

/** Where the action lies in a repository. */
export function actionFolder({ folder }: Forge): string {
  return `${folder}/actions/codebase-report`;
}

// What the action takes: the one list that its description, its steps and every workflow that calls it are made of.
// Pure.

/** One input. */
interface Input {
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

type InputName = (typeof INPUTS)[number]["name"];

/** An expression of the workflow's own language. */
function expression(text: string): string {
  return ["$", "{{ ", text, " }}"].join("");
}

/** The variables of a step, as lines of its `env`. */
function variablesOf(step: "measure" | "post"): string[] {
  return INPUTS.filter((input) => input.step === step || input.step === "both").map(
    ({ name, variable }) => `${variable}: ${expression(`inputs.${name}`)}`,
  );
}

/** The secrets a repository is given. */
export const SECRETS = { ingest: "INGEST_URL", token: "ASSET_TOKEN" } as const;

function input(name: InputName, value: string): string {
  return `          ${name}: ${value}`;
}

/** A workflow of its own: on each push to the main branch, once a week, and by hand. */
export function workflowFile(forge: Forge, asset: string): string {
  return [
    "name: Codebase report",
    "on:",
    "  push:",
    "    branches: [main, master]",
    "  schedule:",
    '    - cron: "17 4 * * 1"',
    "  workflow_dispatch:",
    "permissions:",
    "  contents: read",
    "concurrency:",
    `  group: codebase-report-${expression("github.ref")}`,
    "  cancel-in-progress: true",
    "jobs:",
    "  codebase-report:",
    "    runs-on: ubuntu-latest",
    "    timeout-minutes: 40",
    "    # To send how build and tests ended, put this job into the workflow",
    "    # that has theirs, and uncomment these two lines and those of the last",
    "    # three that your jobs can tell.",
    "    # needs: [build, test]",
    "    # if: always()",
    "    steps:",
    `      - uses: ${forge.checksOut}`,
    "        with:",
    "          # The whole history, for the figures of the last 30 days.",
    "          fetch-depth: 0",
    "          persist-credentials: false",
    `      - uses: ./${actionFolder(forge)}`,
    "        with:",
    input("asset", JSON.stringify(asset)),
    input("ingest-url", expression(`secrets.${SECRETS.ingest}`)),
    input("token", expression(`secrets.${SECRETS.token}`)),
    input("build-passed", expression("needs.build.result")).replace("build-", "# build-"),
    input("tests-passed", expression("needs.test.result")).replace("tests-", "# tests-"),
    input("vulnerable-dependencies", expression("needs.audit.outputs.count")).replace("vuln", "# vuln"),
    "",
  ].join("\n");
}

/** The job for GitLab, for `include: { local: … }`. Docker is a service beside it, and there is no step that keeps a file. */
export function gitlabFile(asset: string): string {
  const scripts = `${GITLAB_FOLDER}/codebase-report`;
  return [
    "codebase-report:",
    "  stage: .post",
    "  image: docker:28",
    "  services: [docker:28-dind]",
    "  rules:",
    '    - if: $CI_COMMIT_BRANCH == $CI_DEFAULT_BRANCH || $CI_PIPELINE_SOURCE == "schedule"',
    "      when: always",
    "  timeout: 40 minutes",
    "  allow_failure: true",
    "  variables:",
    "    # The whole history, for the figures of the last 30 days.",
    '    GIT_DEPTH: "0"',
    `    ASSET: ${JSON.stringify(asset)}`,
    "    # To send how build and tests ended, let their jobs set these",
    "    # (artifacts: reports: dotenv).",
    '    # BUILD_PASSED: "1"',
    '    # TESTS_PASSED: "1"',
    "  before_script:",
    "    - apk add --no-cache bash curl",
    "  script:",
    '    - export CHECKOUT="$CI_PROJECT_DIR" REPORT="$CI_PROJECT_DIR/codebase-report.json"',
    `    - env -u ${SECRETS.token} bash ${scripts}/measure.sh`,
    `    - bash ${scripts}/post.sh`,
    "  artifacts:",
    "    when: always",
    "    paths: [codebase-report.json]",
    "",
  ].join("\n");
}

// The text of `action.yml`. Pure.

/** Two steps measure and post; what each does stands in a script beside the file, where no expression is ever filled in. */
export function actionFile(forge: Forge): string {
  const report = `REPORT: ${expression("runner.temp")}/codebase-report.json`;
  return [
    "# Made from src/measure/action of Tower (`bun run action`): change it there.",
    "name: Codebase report",
    "description: Measures this repository at one commit and sends the figures to a Tower, or keeps them as an artifact.",
    "",
    "inputs:",
    ...INPUTS.flatMap(inputLines),
    "",
    "runs:",
    "  using: composite",
    "  steps:",
    "    # Two steps: what reads the repository has no network and no token, what holds the token never sees the repository.",
    "    - name: Measure",
    "      id: measure",
    "      shell: bash",
    "      env:",
    ...variablesOf("measure").map((line) => `        ${line}`),
    `        CHECKOUT: ${expression("github.workspace")}`,
    `        ${report}`,
    '      run: bash "$GITHUB_ACTION_PATH/measure.sh"',
    "",
    "    - name: Post",
    "      id: post",
    "      if: steps.measure.outputs.measured == '1'",
    "      shell: bash",
    "      env:",
    ...variablesOf("post").map((line) => `        ${line}`),
    `        ${report}`,
    '      run: bash "$GITHUB_ACTION_PATH/post.sh"',
    "",
    "    # always(): a refused report is kept, too. A full store of artifacts must not fail the job, either.",
    "    - name: Keep the report",
    "      if: always() && steps.measure.outputs.measured == '1' && steps.post.outputs.posted != '1'",
    "      continue-on-error: true",
    `      uses: ${forge.keeps}`,
    "      with:",
    `        name: codebase-report-${expression("inputs.asset")}`,
    `        path: ${expression("runner.temp")}/codebase-report.json`,
    "        if-no-files-found: ignore",
    "        overwrite: true",
    "",
  ].join("\n");
}

function inputLines({ name, about, required }: Input): string[] {
  const lines = [`  ${name}:`, `    description: ${JSON.stringify(about)}`];
  return [...lines, required === true ? "    required: true" : '    default: ""'];
}

/** The workflows that measure a repository, as text. Pure. */
import { actionFolder, type Forge, GITLAB_FOLDER } from "./forge.ts";
import { expression, type InputName } from "./inputs.ts";

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

/** The text of `action.yml`. Pure. */
import type { Forge } from "./forge.ts";
import { expression, INPUTS, type Input, variablesOf } from "./inputs.ts";

/** Two steps measure and post; what each does stands in a script beside the file, where no expression is ever filled in. */
export function actionFile(forge: Forge): string {
  const report = `REPORT: ${expression("runner.temp")}/codebase-report.json`;
  return [
    "# Made from src/action of Tower (`bun run action`): change it there.",
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

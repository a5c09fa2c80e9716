/** The commands that send a report, as text to be copied. */

/** Whose reports, where to, and with which token. `token` null leaves a place for it. */
export interface Destination {
  readonly asset: string;
  /** The ingest's address, without a slash at its end. */
  readonly ingest: string;
  readonly token: string | null;
  /** The ingest answers on this computer only. */
  readonly loopback: boolean;
}

/** Stands where the token goes while it is not known. */
export const TOKEN_PLACE = "your-site-token";

/** Quotes a value for a POSIX shell when it holds anything but harmless characters. */
export function shellWord(value: string): string {
  return /^[A-Za-z0-9_./:@%+=,-]+$/.test(value) ? value : `'${value.replaceAll("'", `'\\''`)}'`;
}

function tokenOf(destination: Destination): string {
  return destination.token ?? TOKEN_PLACE;
}

/** Measures a checkout on the installation's computer and posts the report. */
export function localCommand(destination: Destination): string {
  return [
    `INGEST_URL=${shellWord(destination.ingest)} \\`,
    `ASSET=${shellWord(destination.asset)} \\`,
    `ASSET_TOKEN=${shellWord(tokenOf(destination))} \\`,
    "  bun run tower measure path/to/checkout --post",
  ].join("\n");
}

/** The workflow's own expression for a repository secret. */
function secret(name: string): string {
  return ["$", "{{ secrets.", name, " }}"].join("");
}

/** The job of a repository's own workflow. */
export function workflowJob(destination: Destination): string {
  return [
    "on:",
    "  push: { branches: [main] }",
    "  schedule: [{ cron: '17 4 * * 1' }]",
    "  workflow_dispatch: {}",
    "permissions: { contents: read }",
    "jobs:",
    "  codebase-report:",
    "    runs-on: ubuntu-latest",
    "    steps:",
    "      - uses: actions/checkout@v4",
    "        with: { fetch-depth: 0, persist-credentials: false }",
    "      - uses: ./.github/actions/codebase-report",
    "        with:",
    `          asset: ${JSON.stringify(destination.asset)}`,
    `          ingest-url: ${secret("INGEST_URL")}`,
    `          token: ${secret("ASSET_TOKEN")}`,
  ].join("\n");
}

/**
 * A call of curl that posts with the token of a variable. The header comes from standard input, so that the token is in no list of
 * processes: a shell's own `printf` is no process. `rest` is the lines after the address.
 */
export function curlLines(
  call: { readonly variable: string; readonly options: string; readonly address: string },
  rest: readonly string[],
): readonly string[] {
  return [
    `printf 'Authorization: Bearer %s\\n' "$${call.variable}" |`,
    `  curl ${call.options} ${shellWord(call.address)} -H @- \\`,
    "    -H 'Content-Type: application/json' \\",
    ...rest.map((line) => `    ${line}`),
  ];
}

/** The line that puts a site's token into a variable of the shell, whose commands do not get to see it. */
export function tokenLine(destination: Destination): string {
  return `ASSET_TOKEN=${shellWord(tokenOf(destination))}`;
}

/**
 * The least nightly report that the contract takes: no metric, so that trying it leaves no invented figure in the history. The
 * shell fills in the time.
 */
export function nightlyCommand(destination: Destination): string {
  const call = { variable: "ASSET_TOKEN", options: "-sS", address: `${destination.ingest}/api/pulse` };
  const body = `'{"asset":"${destination.asset}","generatedAt":"'"$(date -u +%FT%TZ)"'","metrics":{}}'`;
  return [tokenLine(destination), ...curlLines(call, [`-d ${body}`])].join("\n");
}

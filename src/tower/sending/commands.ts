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
 * The least nightly report that the contract takes: no metric, so that trying it leaves no invented figure in the history. The
 * shell fills in the time, and the token stands on a line of its own, so that no list of processes shows it.
 */
export function nightlyCommand(destination: Destination): string {
  const address = shellWord(`${destination.ingest}/api/pulse`);
  return [
    `ASSET_TOKEN=${shellWord(tokenOf(destination))}`,
    `curl -sS ${address} \\`,
    '  -H "Authorization: Bearer $ASSET_TOKEN" \\',
    "  -H 'Content-Type: application/json' \\",
    `  -d '{"asset":"${destination.asset}","generatedAt":"'"$(date -u +%FT%TZ)"'","metrics":{}}'`,
  ].join("\n");
}

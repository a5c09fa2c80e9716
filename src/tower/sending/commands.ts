/** The commands that send a report, as text to be copied. */
import { GITHUB, workflowFile } from "../../action/mod.ts";
import { TOWER_COMMAND } from "../../platform/command_word.ts";

/** Whose reports, where to, and with which token. `token` null leaves a place for it. */
export interface Destination {
  readonly asset: string;
  /** The ingest's address, without a slash at its end. */
  readonly ingest: string;
  /** The same, as Tower's own computer reaches it, or its own container. */
  readonly here: string;
  /** The name of the container that Tower runs in; null outside of one. */
  readonly container: string | null;
  readonly token: string | null;
  /** The ingest answers on this computer only, or in this container only. */
  readonly loopback: boolean;
}

/** Stands where the token goes while it is not known. */
const TOKEN_PLACE = "your-site-token";

/** Quotes a value for a POSIX shell when it holds anything but harmless characters. */
export function shellWord(value: string): string {
  return /^[A-Za-z0-9_./:@%+=,-]+$/.test(value) ? value : `'${value.replaceAll("'", `'\\''`)}'`;
}

function tokenOf(destination: Destination): string {
  return destination.token ?? TOKEN_PLACE;
}

/** Stands where the folder of a checkout goes; Docker takes only a whole path, with a slash before it. */
const CHECKOUT = "path/to/checkout";

/** As whoever owns the checkout, so that what is written there, or may be read by nobody else, is no matter. */
const AS_OWNER = '--user "$(id -u):$(id -g)"';

/**
 * Measures a checkout on the installation's computer and posts the report. Where Tower runs in a container, the measuring image runs
 * in its network, whose loopback the ingest is on. The token is in the environment alone.
 */
export function localCommand(destination: Destination): string {
  const { asset, here, container } = destination;
  const token = `ASSET_TOKEN=${shellWord(tokenOf(destination))} \\`;
  if (container === null) {
    return [
      `INGEST_URL=${shellWord(here)} \\`,
      `ASSET=${shellWord(asset)} \\`,
      token,
      `  ${TOWER_COMMAND} measure ${CHECKOUT} --post`,
    ].join("\n");
  }
  return [
    token,
    `  docker run --rm --network ${shellWord(`container:${container}`)} --read-only --tmpfs /tmp:size=1g \\`,
    `    --cap-drop ALL --security-opt no-new-privileges ${AS_OWNER} \\`,
    `    --mount type=bind,source=/${CHECKOUT},target=/repo,readonly \\`,
    `    -e INGEST_URL=${shellWord(here)} -e ASSET=${shellWord(asset)} -e ASSET_TOKEN \\`,
    "    tower-measure /repo --post",
  ].join("\n");
}

/** Writes the action, its image's sources and the workflow into a checkout. */
export function actionCommand({ asset, container }: Destination): string {
  const rest = `--asset ${shellWord(asset)}`;
  if (container === null) return `${TOWER_COMMAND} action write ${CHECKOUT} ${rest}`;
  return [
    `docker run --rm ${AS_OWNER} --entrypoint bun \\`,
    `  --mount type=bind,source=/${CHECKOUT},target=/repo \\`,
    `  tower src/cli.ts action write /repo ${rest}`,
  ].join("\n");
}

/** The workflow that the command above writes. */
export function workflowText({ asset }: Destination): string {
  return workflowFile(GITHUB, asset).trimEnd();
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

/** The free disk space in MiB: one real figure that any Linux or macOS has, so that nothing invented is sent. */
const FREE_DISK = "$(df -Pk / | awk 'NR==2{print int($4/1024)}')";

/** The metrics of a first report, as JSON in a shell's double quotes. */
export const FIRST_METRICS = `{\\"free_disk_mb\\":{\\"last24h\\":${FREE_DISK}}}`;

/** A nightly report with one figure. The shell fills in the time and the figure. */
export function nightlyCommand(destination: Destination): string {
  const call = { variable: "ASSET_TOKEN", options: "-sS", address: `${destination.ingest}/api/pulse` };
  const body = `"{\\"asset\\":\\"${destination.asset}\\",\\"generatedAt\\":\\"$(date -u +%FT%TZ)\\",\\"metrics\\":${FIRST_METRICS}}"`;
  return [tokenLine(destination), ...curlLines(call, [`-d ${body}`])].join("\n");
}

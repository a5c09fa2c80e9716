/** The commands and notes that set up a site's reports. */

import { TOWER_COMMAND } from "../../base/command_line.ts";
import type { Config } from "../../base/config.ts";
import { addressesBoundTo, bracketed, isLoopback, isWildcard } from "../../base/hosts.ts";
import { sha256Hex } from "../../base/keys.ts";
import { shellWord } from "../../base/text.ts";
import { GITHUB, SECRETS, workflowFile } from "../../measure/action/workflow.ts";
import { Copy } from "../kit/field.tsx";
import { Facts } from "../kit/proof.tsx";

/** The commands that send a report, as text to be copied. */

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
function tokenLine(destination: Destination): string {
  return `ASSET_TOKEN=${shellWord(tokenOf(destination))}`;
}

/** The free disk space in MiB: one real figure that any Linux or macOS has, so that nothing invented is sent. */
const FREE_DISK = "$(df -Pk / | awk 'NR==2{print int($4/1024)}')";

/** The metrics of a first report, as JSON in a shell's double quotes. */
const FIRST_METRICS = `{\\"free_disk_mb\\":{\\"last24h\\":${FREE_DISK}}}`;

/** A nightly report with one figure. The shell fills in the time and the figure. */
export function nightlyCommand(destination: Destination): string {
  const call = { variable: "ASSET_TOKEN", options: "-sS", address: `${destination.ingest}/api/pulse` };
  const body = `"{\\"asset\\":\\"${destination.asset}\\",\\"generatedAt\\":\\"$(date -u +%FT%TZ)\\",\\"metrics\\":${FIRST_METRICS}}"`;
  return [tokenLine(destination), ...curlLines(call, [`-d ${body}`])].join("\n");
}

/** The line that sends a site's nightly report from its own scheduler, at a minute of the site's own. Pure. */

const FIRST_MINUTE = 60;
const MINUTES = 240;

/**
 * The minute of a site, from 01:00 to 04:59 UTC: the same one every time it is asked, spread over the portfolio by the site's
 * name, and far enough from midnight that no jitter moves a report to another day.
 */
export function nightlyMinute(asset: string) {
  const place = Number.parseInt(sha256Hex(asset).slice(0, 8), 16) % MINUTES;
  const minutes = FIRST_MINUTE + place;
  return { hour: Math.floor(minutes / 60), minute: minutes % 60 };
}

/** `03:27`. */
export function minuteText({ hour, minute }: ReturnType<typeof nightlyMinute>): string {
  return `${String(hour).padStart(2, "0")}:${String(minute).padStart(2, "0")}`;
}

/** Where the site's scheduler finds the token: a file of one header line. */
function headerFile(asset: string): string {
  return `.config/tower/${asset}.header`;
}

/** Puts the token where the crontab looks for it, readable to this user alone. */
export function tokenFileCommand(destination: Destination): string {
  const file = `~/${headerFile(destination.asset)}`;
  return [
    tokenLine(destination),
    "mkdir -p -m 700 ~/.config/tower",
    `(umask 077; printf 'Authorization: Bearer %s\\n' "$ASSET_TOKEN" > ${file})`,
    `chmod 600 ${file}`,
  ].join("\n");
}

/**
 * A crontab that posts a report with one figure. `%` is escaped, since cron ends a command there; the token stays in its
 * file, so that neither a list of processes nor `crontab -l` shows it.
 */
export function nightlyCrontab(destination: Destination): string {
  const { hour, minute } = nightlyMinute(destination.asset);
  const body = `{\\"asset\\":\\"${destination.asset}\\",\\"generatedAt\\":\\"$(date -u +\\%FT\\%TZ)\\",\\"metrics\\":${FIRST_METRICS}}`;
  const command = [
    "curl -sS --fail-with-body --retry 3",
    shellWord(`${destination.ingest}/api/pulse`).replaceAll("%", "\\%"),
    `-H "@$HOME/${headerFile(destination.asset)}"`,
    '-H "Content-Type: application/json"',
    `-d "${body}"`,
  ].join(" ");
  return ["CRON_TZ=UTC", `${minute} ${hour} * * * ${command}`].join("\n");
}

export function IngestNote({ destination }: { readonly destination: Destination }) {
  const { ingest, loopback, container } = destination;
  if (!loopback) {
    return (
      <p class="note">
        Reports go to <code>{ingest}</code>, not to the address of these pages.
      </p>
    );
  }
  if (container !== null) {
    return (
      <p class="note">
        Reports go to <code>{ingest}</code>, if that port is published (<code>-p</code> of{" "}
        <code>docker run</code>). For sites elsewhere, set <code>INGEST_PUBLIC_URL</code> to an address they
        reach.
      </p>
    );
  }
  return (
    <p class="note">
      Reports go to <code>{ingest}</code>, on this computer only. For sites elsewhere, set{" "}
      <code>INGEST_HOST</code> and <code>INGEST_PUBLIC_URL</code>.
    </p>
  );
}

/** The ways to send a codebase report: a local command, a workflow action, and the one that is not built. */
export function CodebaseWays({ destination }: { readonly destination: Destination }) {
  const { container } = destination;
  return (
    <div class="ways">
      <h3>Local command</h3>
      <p>
        Measures a checkout on Tower's computer{container === null ? ", from Tower's folder," : ""} and posts
        the report. Add your own checks at the end: <code>--measure build_passed=1</code>,{" "}
        <code>--measure tests_passed=1</code> or <code>--measure vulnerable_dependencies=0</code>.
      </p>
      <Copy id="way-local" label="local command" text={localCommand(destination)} />
      {container === null ? null : (
        <p class="note">
          Build its image once, in Tower's folder:{" "}
          <code>docker build --target measure -t tower-measure .</code>
        </p>
      )}
      <details>
        <summary>Repository workflow action</summary>
        <div class="stack tight">
          <p>
            Runs on push to the main branch, weekly and on demand. This command writes it into a checkout of
            the site's repository{container === null ? ", from Tower's folder" : ""}; commit it. Elsewhere
            than GitHub add <code>--for forgejo</code>, <code>gitea</code> or <code>gitlab</code>.
          </p>
          <Copy id="way-action-write" label="write the action" text={actionCommand(destination)} />
          <p>It posts when both secrets of the repository are set:</p>
          <Facts
            facts={[
              [SECRETS.ingest, <SecretIngest destination={destination} />],
              [SECRETS.token, "this site's token"],
            ]}
          />
          <p>
            Without them the job passes and keeps the report as an artifact. Pass your checks by{" "}
            <code>build-passed</code>, <code>tests-passed</code> and <code>vulnerable-dependencies</code>. The
            workflow:
          </p>
          <Copy id="way-action" label="workflow" text={workflowText(destination)} />
        </div>
      </details>
      <p class="row">
        <b>Central pull</b> <span class="tag">Coming later</span> <span class="dim">It is not built.</span>
      </p>
    </div>
  );
}

/** What the secret holds, and who reaches that. */
function SecretIngest({ destination }: { readonly destination: Destination }) {
  const { ingest, loopback, container } = destination;
  if (!loopback) return <code>{ingest}</code>;
  return (
    <>
      Leave it out until hosted runners can reach Tower.
      {container === null ? (
        <>
          {" "}
          A runner on this computer posts to <code>{ingest}</code>.
        </>
      ) : null}
    </>
  );
}

/** How to send a nightly report: one line to try it, and the line for the site's scheduler. */
export function NightlyWay({ destination }: { readonly destination: Destination }) {
  return (
    <div class="stack tight">
      <TryNightly destination={destination} />
      <EveryNight destination={destination} />
    </div>
  );
}

/** Why nobody sends a nightly report for the service's own site. */
export const OWN_NIGHTLY = "Tower writes this report itself, once a day.";

/** One report, sent by hand. */
export function TryNightly({ destination }: { readonly destination: Destination }) {
  return (
    <>
      <p>
        Sends one real figure: your computer's free disk space. It becomes today's newest revision, so don't
        run it after the real report.
      </p>
      <Copy id="way-nightly" label="nightly report" text={nightlyCommand(destination)} />
    </>
  );
}

/** The line for the site's scheduler, and the file that it reads. */
export function EveryNight({ destination }: { readonly destination: Destination }) {
  const at = minuteText(nightlyMinute(destination.asset));
  return (
    <>
      <p>Once, store the token in a file that only this user can read:</p>
      <Copy id="way-token-file" label="token file" text={tokenFileCommand(destination)} />
      <p>
        Add this line to the site's crontab; it runs at {at} UTC. Add your own figures beside{" "}
        <code>free_disk_mb</code>, for example <code>{'"signups":{"last24h":3,"total":120}'}</code>.
      </p>
      <Copy id="way-crontab" label="crontab line" text={nightlyCrontab(destination)} />
      <p class="note">
        A cron without <code>CRON_TZ</code> uses its own time zone. {MIDNIGHT_HINT}
      </p>
    </>
  );
}

/** Why a report is not made close to midnight. */
export const MIDNIGHT_HINT =
  "Avoid 00:00 UTC: a small delay would count one day twice and the next not at all.";

/**
 * Where a site sends to: the published address of the ingest; else this machine's own, as other computers reach it where the ingest
 * answers them, with the port that it got. What a container calls its address no other computer reaches.
 */

export function destinationsOf(
  { ingest: { host, publicUrl }, container }: Pick<Config, "ingest" | "container">,
  port: () => number,
  addresses: (host: string) => readonly string[] = addressesBoundTo,
): (asset: string) => Destination {
  const isLocal = isLoopback(host) || isWildcard(host);
  const at = (name: string) => `http://${bracketed(name)}:${port()}`;
  return (asset) => {
    const here = at(isLocal ? "127.0.0.1" : host);
    const [elsewhere] = container === undefined ? addresses(host) : [];
    const isOnlyHere = isLoopback(host) || (isWildcard(host) && elsewhere === undefined);
    return {
      asset,
      ingest: publicUrl ?? (elsewhere === undefined ? here : at(elsewhere)),
      here,
      container: container ?? null,
      token: null,
      loopback: publicUrl === undefined && isOnlyHere,
    };
  };
}

/** The line that sends a site's nightly report from its own scheduler, at a minute of the site's own. Pure. */
import { sha256Hex } from "../../lib/digest.ts";
import { type Destination, FIRST_METRICS, shellWord, tokenLine } from "./commands.ts";

const FIRST_MINUTE = 60;
const MINUTES = 240;

/** A time of day in UTC. */
export interface NightlyMinute {
  readonly hour: number;
  readonly minute: number;
}

/**
 * The minute of a site, from 01:00 to 04:59 UTC: the same one every time it is asked, spread over the portfolio by the site's
 * name, and far enough from midnight that no jitter moves a report to another day.
 */
export function nightlyMinute(asset: string): NightlyMinute {
  const place = Number.parseInt(sha256Hex(asset).slice(0, 8), 16) % MINUTES;
  const minutes = FIRST_MINUTE + place;
  return { hour: Math.floor(minutes / 60), minute: minutes % 60 };
}

/** `03:27`. */
export function minuteText({ hour, minute }: NightlyMinute): string {
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

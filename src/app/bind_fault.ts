/** Why an address cannot be listened on, in one line that names the setting. */

import { lookup } from "node:dns/promises";
import { bothPorts, type Config } from "../base/config.ts";
import { isAddress, unbracketed } from "../base/hosts.ts";
import { codeOf } from "../base/text.ts";

const LAST_PORT = 65_535;

/**
 * One line for an address that cannot be listened on; undefined for any other error. Whether a name means an address is asked first: for
 * one that does not, the runtime's error carries the number of whatever failed before it.
 */
export async function bindError(
  error: unknown,
  which: "INGEST" | "TOWER",
  config: Pick<Config, "ingest" | "tower">,
): Promise<string | undefined> {
  const { host, port } = which === "INGEST" ? config.ingest : config.tower;
  const otherHost = `for example ${which}_HOST=127.0.0.1`;
  if (!(await isKnown(host))) {
    return `${which}_HOST ${host} is a name that this computer finds no address for, ${otherHost}`;
  }
  const code = codeOf(error);
  if (code === "EADDRINUSE") {
    // Two addresses, of which one takes in the other.
    if (which === "TOWER" && port === config.ingest.port) return bothPorts(port);
    const free = port + 100 > LAST_PORT ? port - 100 : port + 100;
    return `${which}_PORT ${port} is taken on ${host} by another program, perhaps by a Tower that runs already: stop that one, or set another port, for example ${which}_PORT=${free}`;
  }
  if (code === "EACCES")
    return `${which}_PORT ${port} may not be used by this user, for example ${which}_PORT=4611`;
  const isElsewhere = code === "EADDRNOTAVAIL" || code === "ENOTFOUND" || code === "EINVAL";
  return isElsewhere || !isAddress(host)
    ? `${which}_HOST ${host} is not an address of this computer, ${otherHost}`
    : undefined;
}

async function isKnown(host: string): Promise<boolean> {
  if (isAddress(host)) return true;
  try {
    await lookup(unbracketed(host));
    return true;
  } catch {
    return false;
  }
}

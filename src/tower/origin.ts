/**
 * Requests that change something must come from our own pages. `Origin` decides, since browsers send it with every unsafe
 * method; `Sec-Fetch-Site` is judged beside it where it is sent, which is not the case over plain http beyond loopback.
 */
import { bracketed, hasPort, isWildcard } from "../platform/host_name.ts";
import { type HostNames, LOOPBACK_NAMES } from "../platform/hosts.ts";
import { Problem } from "../platform/problem.ts";

const SAFE_METHODS = new Set(["GET", "HEAD", "OPTIONS"]);
const OWN_SITES = new Set(["same-origin", "none"]);

/** Whether a method changes something. */
export function isUnsafe(method: string): boolean {
  return !SAFE_METHODS.has(method);
}

/** The origins of our own pages. Unlike a `Host` name an origin always has its port: another port is another program. */
export function ownOrigins(names: HostNames): ReadonlySet<string> {
  const origins = new Set<string>();
  const add = (origin: string) => {
    if (URL.canParse(origin)) origins.add(new URL(origin).origin);
  };
  for (const name of [...LOOPBACK_NAMES, names.bound, ...names.addresses()]) {
    if (!isWildcard(name)) add(`http://${bracketed(name)}:${names.port}`);
  }
  if (names.published !== undefined) add(names.published);
  for (const name of names.allowed) {
    const host = hasPort(name) ? name : bracketed(name);
    add(`https://${host}`);
    add(hasPort(name) ? `http://${host}` : `http://${host}:${names.port}`);
  }
  return origins;
}

/** Refuses an unsafe request that does not come from our own pages. Throws a `Problem`. */
export function assertOwnOrigin(request: Request, origins: ReadonlySet<string>): void {
  if (!isUnsafe(request.method)) return;
  const site = request.headers.get("sec-fetch-site");
  const origin = request.headers.get("origin");
  if (origin === null || !origins.has(origin) || (site !== null && !OWN_SITES.has(site))) {
    throw new Problem(
      "cross-origin",
      "Open the page again under the Tower's own address and repeat what you did.",
    );
  }
}

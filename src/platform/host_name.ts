/** Names and addresses of hosts, as settings and `Host` headers write them. */
import { isIP } from "node:net";

/** Longest name of a host (RFC 1035), with room for a port. */
const LONGEST = 260;
const LABELS =
  /^[A-Za-z0-9_](?:[A-Za-z0-9_-]*[A-Za-z0-9_])?(?:\.[A-Za-z0-9_](?:[A-Za-z0-9_-]*[A-Za-z0-9_])?)*\.?$/;
const PORT = /:(\d{1,5})$/;

/** Whether it is a host's name or address, without a port; an address of IPv6 may stand in brackets. */
export function isHost(text: string): boolean {
  if (text.length > LONGEST) return false;
  const isBracketed = text.startsWith("[") && text.endsWith("]");
  if (isBracketed) return isIPv6(text.slice(1, -1));
  return isIPv6(text) || LABELS.test(text);
}

/** Whether it is a host as above, with a port or without; in front of a port an address of IPv6 stands in brackets. */
export function isHostAndPort(text: string): boolean {
  return hasPort(text)
    ? isHost(text.replace(PORT, "")) && Number(PORT.exec(text)?.[1]) <= 65_535
    : isHost(text);
}

/** Whether a name ends in a port. */
export function hasPort(name: string): boolean {
  return /^(?:\[[^\]]*\]|[^:]*):\d+$/.test(name);
}

/** An address of IPv6 stands in brackets where a port may follow. */
export function bracketed(name: string): string {
  return name.includes(":") && !name.startsWith("[") ? `[${name}]` : name;
}

/** The same without brackets, as the system takes it. */
export function unbracketed(name: string): string {
  return name.replace(/^\[|\]$/g, "");
}

/** Whether it stands for every address of the machine: one to bind to, never a name to ask for. */
export function isWildcard(host: string): boolean {
  return /^(?:0\.0\.0\.0|::|\[::\])$/.test(host);
}

/** Whether only this machine reaches the address. */
export function isLoopback(host: string): boolean {
  return host === "localhost" || host === "::1" || host === "[::1]" || /^127(?:\.\d{1,3}){3}$/.test(host);
}

/** Whether it is an address and no name that somebody could point elsewhere. */
export function isAddress(host: string): boolean {
  return isIP(unbracketed(host)) !== 0;
}

/** Without a zone, which no address that is asked for has. */
function isIPv6(text: string): boolean {
  return isIP(text) === 6 && !text.includes("%");
}

/** Where an assertion may be posted: a credential file names the address itself, so that whoever wrote the file could choose it. */
import type { Config } from "../../platform/config.ts";

const GOOGLES_OWN = "https://oauth2.googleapis.com/token";

/**
 * Whether a file's `token_uri` is taken: Google's own address, and another one only while a base address of Google's APIs is set to
 * somewhere else, as it is with a simulator.
 */
export function isTokenAddress(address: string, addresses: Config["providers"]): boolean {
  if (address === GOOGLES_OWN) return true;
  const url = URL.parse(address);
  const plain = url !== null && /^https?:$/.test(url.protocol) && url.username === "" && url.password === "";
  const { analyticsData, analyticsAdmin, searchConsole } = addresses;
  return plain && ![analyticsData, analyticsAdmin, searchConsole].every(isGoogles);
}

function isGoogles(base: string): boolean {
  const host = URL.parse(base)?.hostname ?? "";
  return host === "googleapis.com" || host.endsWith(".googleapis.com");
}

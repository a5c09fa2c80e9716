/**
 * Browsers that an operator signed in with before. Each holds a secret of its own, so that strangers' wrong guesses at the
 * account do not make it wait. The secret opens nothing: it changes only how wrong guesses are counted.
 */
import type { Tx } from "../db/mod.ts";
import { sha256Hex } from "../lib/digest.ts";
import type { BrowserSecret } from "./browser_secret.ts";
import { insertDevice, isKnownDevice, keepNewestDevices, updateDeviceSeen } from "./device_store.ts";
import type { Caller } from "./needs.ts";

const LONGEST_TOKEN = 64;
/** Browsers remembered for one operator: the last used ones. */
const MOST_DEVICES = 20;

/** What a cookie's secret is known by; undefined for what is none. */
export function deviceDigest(token: string | undefined): string | undefined {
  return token === undefined || token === "" || token.length > LONGEST_TOKEN ? undefined : sha256Hex(token);
}

/** Remembers the browser of a sign-in. Returns the secret it is to keep, or undefined when the one it has is known already. */
export function rememberDevice(
  tx: Tx,
  operatorId: string,
  caller: Caller,
  made: BrowserSecret,
  now: number,
): string | undefined {
  const { device } = caller;
  if (device !== undefined && isKnownDevice(tx, operatorId, device)) {
    updateDeviceSeen(tx, operatorId, device, now);
    return undefined;
  }
  insertDevice(tx, operatorId, made.digest, now);
  keepNewestDevices(tx, operatorId, MOST_DEVICES);
  return made.token;
}

/**
 * Browsers that an operator signed in with before. Each holds a secret of its own, so that strangers' wrong guesses at the
 * account do not make it wait. The secret opens nothing: it changes only how wrong guesses are counted.
 */
import type { Tx } from "../db/mod.ts";
import { sha256Hex } from "../lib/digest.ts";
import { type Ids, randomToken } from "../platform/ids.ts";
import { insertDevice, isKnownDevice, keepNewestDevices, updateDeviceSeen } from "./device_store.ts";
import type { Caller } from "./needs.ts";

const TOKEN_BYTES = 32;
const LONGEST_TOKEN = 64;
/** Browsers remembered for one operator: the last used ones. */
const MOST_DEVICES = 20;

/** The secret of a browser and its digest. Made before the transaction: randomness is no part of one. */
export interface DeviceToken {
  readonly token: string;
  readonly digest: string;
}

/** Makes the secret of a browser: 32 random bytes. */
export function newDeviceToken(ids: Ids): DeviceToken {
  const token = randomToken(ids, TOKEN_BYTES);
  return { token, digest: sha256Hex(token) };
}

/** What a cookie's secret is known by; undefined for what is none. */
export function deviceDigest(token: string | undefined): string | undefined {
  return token === undefined || token === "" || token.length > LONGEST_TOKEN ? undefined : sha256Hex(token);
}

/** Remembers the browser of a sign-in. Returns the secret it is to keep, or undefined when the one it has is known already. */
export function rememberDevice(
  tx: Tx,
  operatorId: string,
  caller: Caller,
  made: DeviceToken,
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

/** An installation's key of 32 equal bytes; another `byte` makes another installation. */

import { InstallationKeys } from "../../src/base/keys.ts";

export function keysOf(byte: number): InstallationKeys {
  return new InstallationKeys(new Uint8Array(32).fill(byte));
}

import { InstallationKeys } from "../../src/platform/keys.ts";

/** An installation's key of 32 equal bytes; another `byte` makes another installation. */
export function keysOf(byte: number): InstallationKeys {
  return new InstallationKeys(new Uint8Array(32).fill(byte));
}

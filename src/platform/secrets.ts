/** The key that credentials are sealed with: from the setting, else made once and kept in the data folder. */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Config, ConfigError } from "./config.ts";
import type { Ids } from "./ids.ts";

const KEY_BYTES = 32;

/** Returns the key, 32 bytes; makes and keeps one with mode 0600 when there is none. Throws `ConfigError` when it is damaged. */
export function keepCredentialsKey(config: Config, ids: Ids): Uint8Array {
  if (config.credentialsKey !== undefined) return Buffer.from(config.credentialsKey, "base64");
  const path = join(config.dataDir, "credentials.key");
  if (!existsSync(path)) {
    writeFileSync(path, `${Buffer.from(ids.bytes(KEY_BYTES)).toString("base64")}\n`, {
      mode: 0o600,
      flag: "wx",
    });
  }
  const key = Buffer.from(readFileSync(path, "utf8").trim(), "base64");
  if (key.byteLength !== KEY_BYTES) {
    throw new ConfigError(
      `${path} does not hold 32 bytes in base64: put the right key back, or set CREDENTIALS_KEY`,
    );
  }
  return key;
}

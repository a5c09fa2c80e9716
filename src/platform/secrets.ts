/** The key that credentials are sealed with: from the setting, else made once and kept in the data folder. */
import { join } from "node:path";
import { type Config, ConfigError } from "./config.ts";
import { type Files, replaceFile } from "./files.ts";
import type { Ids } from "./ids.ts";

const KEY_BYTES = 32;
/** Far longer than a key in base64 with its line end. */
const LONGEST_FILE = 1_024;

/** What keeping the key works with. */
export interface KeyDeps {
  readonly config: Pick<Config, "credentialsKey" | "dataDir">;
  readonly ids: Ids;
  readonly files: Files;
  /** What was made with the key of this data folder so far. */
  readonly uses: () => { readonly encrypted: readonly string[]; readonly signed: readonly string[] };
}

/** The key, 32 bytes. */
export interface KeptKey {
  readonly key: Uint8Array;
  /** Set where a new key took the place of one that is lost: to be told loudly. */
  readonly replaced?: {
    /** Where the unusable file was put; undefined where the file was gone. */
    readonly aside: string | undefined;
    /** What cannot be proven any more. */
    readonly unproven: readonly string[];
  };
}

/**
 * Returns the key; makes one, and keeps it with mode 0600, when there is none. A file that holds no key (a power cut could tear it
 * in releases that did not sync it) is put aside and replaced as long as nothing is encrypted. Throws `ConfigError` otherwise: a
 * new key would make what is encrypted unreadable for good.
 */
export async function keepCredentialsKey({ config, ids, files, uses }: KeyDeps): Promise<KeptKey> {
  if (config.credentialsKey !== undefined) return { key: Buffer.from(config.credentialsKey, "base64") };
  const path = join(config.dataDir, "credentials.key");
  const there = (await files.facts(path)) !== undefined;
  const kept = there ? keyIn(await files.read(path, LONGEST_FILE)) : undefined;
  if (kept !== undefined) return { key: kept };
  const { encrypted, signed } = uses();
  if (encrypted.length > 0) {
    const fault = there ? "does not hold 32 bytes in base64" : "is gone";
    throw new ConfigError(
      `${path} ${fault}, and ${encrypted.join(", ")} cannot be read without it: put the right key back, or set CREDENTIALS_KEY`,
    );
  }
  const aside = there ? `${path}.unusable` : undefined;
  if (aside !== undefined) await files.rename(path, aside);
  const key = ids.bytes(KEY_BYTES);
  await replaceFile(files, path, new TextEncoder().encode(`${Buffer.from(key).toString("base64")}\n`), 0o600);
  return aside === undefined && signed.length === 0
    ? { key }
    : { key, replaced: { aside, unproven: signed } };
}

function keyIn(bytes: Uint8Array): Uint8Array | undefined {
  const key = Buffer.from(Buffer.from(bytes).toString("utf8").trim(), "base64");
  return key.byteLength === KEY_BYTES ? key : undefined;
}

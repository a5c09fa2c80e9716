/** The key of the installation, which credentials are sealed with: from the setting, else made once and kept in the data folder. */
import { KEY_BYTES } from "../lib/key_text.ts";
import type { Config } from "./config.ts";
import { type Files, replaceFile } from "./files.ts";
import type { Ids } from "./ids.ts";
import { InstallationKeys, keyPath, keysIn } from "./keys.ts";
import { ConfigError } from "./setting.ts";

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

/** The key of the installation. */
export interface KeptKey {
  readonly keys: InstallationKeys;
  /** Set where a new key took the place of one that is lost: to be told loudly. */
  readonly replaced?: {
    /** Where the unusable file was put; undefined where the file was gone. */
    readonly aside: string | undefined;
    /** What cannot be proven any more. */
    readonly unproven: readonly string[];
  };
}

/**
 * Returns the key; makes one, and keeps it, when there is none. A file that holds no key (a power cut could tear it in releases that
 * did not sync it) is replaced as long as nothing is encrypted. Throws `ConfigError` otherwise: a new key would make what is
 * encrypted unreadable for good.
 */
export async function keepCredentialsKey({ config, ids, files, uses }: KeyDeps): Promise<KeptKey> {
  const path = keyPath(config.dataDir);
  const text = config.credentialsKey ?? (await textIn(files, path));
  const kept = text === undefined ? undefined : keysIn(text);
  if (kept !== undefined) return { keys: kept };
  const { encrypted, signed } = uses();
  if (encrypted.length > 0) {
    const fault = text === undefined ? "is gone" : "does not hold 32 bytes in base64";
    throw new ConfigError(
      `${path} ${fault}, and ${encrypted.join(", ")} cannot be read without it: put the right key back, or set CREDENTIALS_KEY`,
    );
  }
  const keys = new InstallationKeys(ids.bytes(KEY_BYTES));
  const aside = await putKey(files, config.dataDir, keys);
  return aside === undefined && signed.length === 0
    ? { keys }
    : { keys, replaced: { aside, unproven: signed } };
}

/** Makes a key the data folder's, with mode 0600. Whatever stands there is put aside, since it may be mended; returns where. */
export async function putKey(
  files: Files,
  dataDir: string,
  keys: InstallationKeys,
): Promise<string | undefined> {
  const path = keyPath(dataDir);
  const aside = (await files.facts(path)) === undefined ? undefined : `${path}.unusable`;
  if (aside !== undefined) await files.rename(path, aside);
  await replaceFile(files, path, keys.fileBytes(), 0o600);
  return aside;
}

async function textIn(files: Files, path: string): Promise<string | undefined> {
  if ((await files.facts(path)) === undefined) return undefined;
  return Buffer.from(await files.read(path, LONGEST_FILE)).toString("utf8");
}

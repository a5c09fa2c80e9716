/** The key of the installation, which credentials are sealed with: from the setting, else made once and kept in the data folder. */
import { KEY_BYTES } from "../lib/key_text.ts";
import type { Config } from "./config.ts";
import { type Files, replaceFile } from "./files.ts";
import type { Ids } from "./ids.ts";
import { InstallationKeys, keyPath, keysIn } from "./keys.ts";

/** Far longer than a key in base64 with its line end. */
const LONGEST_FILE = 1_024;

/** What keeping the key works with. */
export interface KeyDeps {
  readonly config: Pick<Config, "credentialsKey" | "credentialsKeyPrevious" | "dataDir">;
  readonly ids: Ids;
  readonly files: Files;
  /** What was made with the key of this data folder so far. */
  readonly uses: () => KeyUses;
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
  /** Set where the key is lost and something is encrypted with it: in a sentence, with what to do. */
  readonly lost?: string;
}

/** What the database holds that was made with a key. */
interface KeyUses {
  readonly encrypted: readonly string[];
  readonly signed: readonly string[];
  /** Ids of the keys that it was encrypted with. */
  readonly encryptedWith: readonly string[];
}

/**
 * Returns the key, which also opens what the keys before it sealed; makes one, and keeps it, when there is none. A file that holds
 * no key (a power cut could tear it in releases that did not sync it) is replaced as long as nothing is encrypted that only its key
 * opens: a new one would make that unreadable for good. Then none is made; what stands in for it until the right one is back is kept
 * nowhere and seals nothing, so that the service is up and reports are taken while credentials cannot be read.
 */
export async function keepCredentialsKey({ config, ids, files, uses }: KeyDeps): Promise<KeptKey> {
  const path = keyPath(config.dataDir);
  const text = config.credentialsKey ?? (await textIn(files, path));
  const kept = text === undefined ? undefined : keysIn(text);
  const { encrypted, signed, encryptedWith } = uses();
  const before = await keysBefore(files, config, encryptedWith);
  if (kept !== undefined) return { keys: opening(kept, before) };
  const isOpened = (id: string) => before.some((known) => known.id === id);
  if (!encryptedWith.every(isOpened)) {
    const fault = text === undefined ? "is gone" : "does not hold 32 bytes in base64";
    const lost = `${path} ${fault}, and ${encrypted.join(", ")} cannot be read without it: put the right key back, or set CREDENTIALS_KEY, and start anew`;
    return { keys: opening(new InstallationKeys(ids.bytes(KEY_BYTES), { isStandIn: true }), before), lost };
  }
  const keys = opening(new InstallationKeys(ids.bytes(KEY_BYTES)), before);
  const aside = await putKey(files, config.dataDir, keys);
  return aside === undefined && signed.length === 0
    ? { keys }
    : { keys, replaced: { aside, unproven: signed } };
}

/** Where the key that was in force before another stays, for backups that were made with it, and for rows that still name it. */
export function keyBeforePath(dataDir: string, id: string): string {
  return `${keyPath(dataDir)}.${id}`;
}

/** Keys of before: the setting's, that of the data folder beside a setting, and those that were put by under the ids asked for. */
async function keysBefore(
  files: Files,
  config: KeyDeps["config"],
  ids: readonly string[],
): Promise<InstallationKeys[]> {
  const { dataDir, credentialsKeyPrevious: previous } = config;
  // A restored database may name anything.
  const named = ids.filter((id) => /^[0-9a-f]{16}$/.test(id)).map((id) => keyBeforePath(dataDir, id));
  const texts = [previous];
  for (const path of [keyPath(dataDir), ...named]) texts.push(await textIn(files, path));
  return texts.flatMap((text) => (text === undefined ? [] : (keysIn(text) ?? [])));
}

function opening(keys: InstallationKeys, before: readonly InstallationKeys[]): InstallationKeys {
  for (const known of before) if (known.id !== keys.id) keys.alsoOpen(known);
  return keys;
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

/** The text of a file that is there. */
async function textIn(files: Files, path: string): Promise<string | undefined> {
  if ((await files.facts(path)) === undefined) return undefined;
  return Buffer.from(await files.read(path, LONGEST_FILE)).toString("utf8");
}

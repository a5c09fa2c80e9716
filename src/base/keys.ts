/**
 * What this installation does with its key (`CREDENTIALS_KEY`, or `credentials.key` in the data folder): it proves that a backup and
 * an audit row are its own, and seals credentials. For each purpose a key of its own is derived, so that what was made for one never
 * serves another.
 */

import { createCipheriv, createDecipheriv, createHmac, hkdfSync, timingSafeEqual } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Ids } from "./base.ts";
import type { Config } from "./config.ts";
import { type Files, replaceFile } from "./files.ts";
import { KEY_BYTES, keyOfText, textOfKey } from "./setting.ts";

/** SHA-256 of a text or bytes, in lower-case hexadecimal. */
export function sha256Hex(data: string | Uint8Array, length = 64): string {
  // Not a slice of all its digits, which would hold them.
  return Bun.CryptoHasher.hash("sha256", data).toString("hex", 0, length / 2);
}

/** SHA-256 of a file, in hexadecimal, in memory that does not grow with it. */
export async function sha256OfFile(path: string): Promise<string> {
  const hash = new Bun.CryptoHasher("sha256");
  for await (const piece of Bun.file(path).stream()) hash.update(piece);
  return hash.digest("hex");
}

/** Compares two digests of equal length in constant time; different lengths are unequal. */
export function equalDigests(a: string, b: string): boolean {
  return a.length === b.length && timingSafeEqual(Buffer.from(a), Buffer.from(b));
}

/** What holds a secret, and shows nothing of it when it is printed, logged or written as JSON. */
export class Redacted {
  toJSON(): string {
    return "[secret]";
  }

  toString(): string {
    return "[secret]";
  }

  [Symbol.for("nodejs.util.inspect.custom")](): string {
    return "[secret]";
  }
}

// Sealing texts with AES-256-GCM (NIST SP 800-38D): what is sealed can neither be read nor changed, moved or passed off as another.
const CIPHER = "aes-256-gcm";
/** Random 96 bits: with them one key may seal 2^32 texts, far more than are ever stored. */
export const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** Seals and opens texts. */
export class SealingKey extends Redacted {
  /** The id of the installation's key that it was derived from. */
  readonly id: string;
  readonly #bytes: Uint8Array;

  /** `bytes` is 32 bytes. */
  constructor(id: string, bytes: Uint8Array) {
    super();
    this.id = id;
    this.#bytes = bytes;
  }

  /** The sealed text in base64: nonce, ciphertext, tag. It opens only with the same `bound`. `nonce` is fresh and random. */
  seal(text: string, bound: string, nonce: Uint8Array): string {
    const cipher = createCipheriv(CIPHER, this.#bytes, nonce);
    cipher.setAAD(Buffer.from(bound, "utf8"));
    const sealed = [nonce, cipher.update(text, "utf8"), cipher.final(), cipher.getAuthTag()];
    return Buffer.concat(sealed).toString("base64");
  }

  /** The text; undefined where it was not sealed with this key and exactly this `bound`, or was changed. */
  open(sealed: string, bound: string): string | undefined {
    const bytes = Buffer.from(sealed, "base64");
    if (bytes.length < NONCE_BYTES + TAG_BYTES) return undefined;
    const decipher = createDecipheriv(CIPHER, this.#bytes, bytes.subarray(0, NONCE_BYTES));
    decipher.setAAD(Buffer.from(bound, "utf8"));
    decipher.setAuthTag(bytes.subarray(-TAG_BYTES));
    try {
      const text = decipher.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES));
      return Buffer.concat([text, decipher.final()]).toString("utf8");
    } catch {
      return undefined;
    }
  }
}

/** What codes are made for. */
type MacPurpose = "account" | "audit" | "backup";

/** A key and its name; it travels to a worker of this process and never anywhere else. */
export interface MacKeyMaterial {
  readonly id: string;
  readonly bytes: Uint8Array;
}

/** Makes and judges codes for one purpose. */
export class MacKey extends Redacted {
  /** Names the installation's key without giving anything of it away: the same for every purpose. */
  readonly id: string;
  readonly #bytes: Uint8Array;

  constructor({ id, bytes }: MacKeyMaterial) {
    super();
    this.id = id;
    this.#bytes = bytes;
  }

  /** The code of a text, in lower-case hexadecimal. */
  mac(text: string): string {
    return createHmac("sha256", this.#bytes).update(text).digest("hex");
  }

  /** Whether `code` is the code of a text; takes as long whether it is or not. */
  holds(text: string, code: string): boolean {
    return equalDigests(this.mac(text), code);
  }

  /** For a worker, which makes the key anew from it. */
  forWorker(): MacKeyMaterial {
    return { id: this.id, bytes: this.#bytes };
  }
}

/** The installation's key, and those before it that something may still be sealed with. */
export class InstallationKeys extends Redacted {
  #now: MacKeyMaterial;
  readonly #before = new Map<string, MacKeyMaterial>();
  /** Whether it stands in for a key that is lost: it is kept nowhere, so that nothing may be sealed with it. */
  readonly isStandIn: boolean;

  /** `key` is 32 bytes. */
  constructor(key: Uint8Array, kept: { readonly isStandIn?: boolean } = {}) {
    super();
    if (key.byteLength !== KEY_BYTES) throw new RangeError(`a key has ${KEY_BYTES} bytes`);
    this.#now = { id: Buffer.from(derived(key, "id", 8)).toString("hex"), bytes: key };
    this.isStandIn = kept.isStandIn ?? false;
  }

  /** Names the key without giving anything of it away. */
  get id(): string {
    return this.#now.id;
  }

  /** The key for one purpose. */
  forPurpose(purpose: MacPurpose): MacKey {
    const { id, bytes } = this.#now;
    return new MacKey({ id, bytes: derived(bytes, `mac ${purpose}`, KEY_BYTES) });
  }

  /** What credentials are sealed with: by the key in force, or by the one named, where it is known; undefined for any other. */
  sealing(id: string = this.id): SealingKey | undefined {
    const key = id === this.id ? this.#now : this.#before.get(id);
    return key && new SealingKey(key.id, derived(key.bytes, "seal credential", KEY_BYTES));
  }

  /** From now on what was sealed with the keys that `other` knows is opened, too. */
  alsoOpen(other: InstallationKeys): void {
    for (const key of [other.#now, ...other.#before.values()]) this.#before.set(key.id, key);
  }

  /** From now on the key of `next` is the one in force; the one until now goes on opening what was sealed with it. */
  turnTo(next: InstallationKeys): void {
    this.#before.set(this.id, this.#now);
    this.#now = next.#now;
  }

  /** The key as its file holds it. For writing that file only. */
  fileBytes(): Uint8Array {
    return new TextEncoder().encode(`${textOfKey(this.#now.bytes)}\n`);
  }
}

function derived(key: Uint8Array, purpose: string, length: number): Uint8Array {
  return new Uint8Array(hkdfSync("sha256", key, "", `tower ${purpose}`, length));
}

/** Where a data folder keeps its key when no setting holds it. */
export function keyPath(dataDir: string): string {
  return join(dataDir, "credentials.key");
}

/** The key that is there, made by nobody now: from the setting, else from the data folder; undefined when there is no whole one. */
export function findKeys(config: Config): InstallationKeys | undefined {
  return config.credentialsKey === undefined
    ? readKeyFile(keyPath(config.dataDir))
    : keysIn(config.credentialsKey);
}

/** The key in a file: 32 bytes in base64. Undefined when the file is not there or holds something else. */
export function readKeyFile(path: string): InstallationKeys | undefined {
  try {
    return keysIn(readFileSync(path, "utf8"));
  } catch {
    return undefined;
  }
}

/** The key that a text holds: 32 bytes in base64. Undefined for any other text. */
export function keysIn(text: string): InstallationKeys | undefined {
  const key = keyOfText(text);
  return key === undefined ? undefined : new InstallationKeys(key);
}

/** Far longer than a key in base64 with its line end. */
const LONGEST_FILE = 1_024;

/** What keeping the key works with. */
interface KeyDeps {
  readonly config: Pick<Config, "credentialsKey" | "credentialsKeyPrevious" | "dataDir">;
  readonly ids: Ids;
  readonly files: Files;
  /** What was made with the key of this data folder so far. */
  readonly uses: () => KeyUses;
}

/** The key of the installation. */
export type KeptKey = Awaited<ReturnType<typeof keepCredentialsKey>>;

/** What the database holds that was made with the key, in words. */
export interface KeyUses {
  /** Cannot be read without it. */
  readonly encrypted: readonly string[];
  /** Can be read without it, but no longer be proven. */
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
export async function keepCredentialsKey({ config, ids, files, uses }: KeyDeps) {
  const path = keyPath(config.dataDir);
  const text = config.credentialsKey ?? (await textIn(files, path));
  const kept = text === undefined ? undefined : keysIn(text);
  const { encrypted, signed, encryptedWith } = uses();
  const before = await keysBefore(files, config, encryptedWith);
  if (kept !== undefined) return { keys: opening(kept, before) };
  const isOpened = (id: string) => before.some((known) => known.id === id);
  if (!encryptedWith.every(isOpened)) {
    // To be told in a sentence, with what to do.
    const fault = text === undefined ? "is gone" : "does not hold 32 bytes in base64";
    const lost = `${path} ${fault}, and ${encrypted.join(", ")} cannot be read without it: put the right key back, or set CREDENTIALS_KEY, and restart`;
    return { keys: opening(new InstallationKeys(ids.bytes(KEY_BYTES), { isStandIn: true }), before), lost };
  }
  const keys = opening(new InstallationKeys(ids.bytes(KEY_BYTES)), before);
  const aside = await putKey(files, config.dataDir, keys);
  // A new key in the place of one that is lost is to be told loudly: where the unusable file was put, undefined where it was gone, and
  // what cannot be proven any more.
  return aside === undefined && signed.length === 0
    ? { keys }
    : { keys, replaced: { aside, unproven: signed } };
}

/** Where the key that was in force before another stays, for backups that were made with it, and for rows that still name it. */
export function keyBeforePath(dataDir: string, id: string): string {
  return `${keyPath(dataDir)}.${id}`;
}

/** Keys of before: the setting's, that of the data folder beside a setting, and those that were put by under the ids asked for. */
async function keysBefore(files: Files, config: KeyDeps["config"], ids: readonly string[]) {
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
  const aside = (await files.changedAt(path)) === undefined ? undefined : `${path}.unusable`;
  if (aside !== undefined) await files.rename(path, aside);
  await replaceFile(files, path, keys.fileBytes(), 0o600);
  return aside;
}

/** The text of a file that is there. */
async function textIn(files: Files, path: string): Promise<string | undefined> {
  if ((await files.changedAt(path)) === undefined) return undefined;
  return Buffer.from(await files.read(path, LONGEST_FILE)).toString("utf8");
}

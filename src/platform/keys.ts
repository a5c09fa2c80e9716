/**
 * What this installation does with its key (`CREDENTIALS_KEY`, or `credentials.key` in the data folder): it proves that a backup and
 * an audit row are its own, and seals credentials. For each purpose a key of its own is derived, so that what was made for one never
 * serves another.
 */
import { createHmac, hkdfSync } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { equalDigests } from "../lib/digest.ts";
import { KEY_BYTES, keyOfText, textOfKey } from "../lib/key_text.ts";
import type { Config } from "./config.ts";
import { Hidden } from "./hidden.ts";
import { SealingKey } from "./sealing.ts";

/** What codes are made for. */
export type MacPurpose = "account" | "audit" | "backup";

/** A key for one purpose, as it travels to a worker of this process; never anywhere else. */
export interface MacKeyMaterial {
  readonly id: string;
  readonly bytes: Uint8Array;
}

/** Makes and judges codes for one purpose. */
export class MacKey extends Hidden {
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

/** One key, and its name. */
interface NamedKey {
  readonly id: string;
  readonly bytes: Uint8Array;
}

/** The installation's key, and those before it that something may still be sealed with. */
export class InstallationKeys extends Hidden {
  #now: NamedKey;
  readonly #before = new Map<string, NamedKey>();
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

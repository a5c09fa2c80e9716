/**
 * What this installation can prove with its key (`CREDENTIALS_KEY`, or `credentials.key` in the data folder): that a backup and an
 * audit row are its own. For each purpose a key of its own is derived, so that a code made for one never serves another.
 */
import { createHmac, hkdfSync } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { equalDigests } from "../lib/digest.ts";
import { KEY_BYTES, keyOfText, textOfKey } from "../lib/key_text.ts";
import type { Config } from "./config.ts";

/** What codes are made for. */
export type MacPurpose = "audit" | "backup";

/** What holds a secret, and shows nothing of it when it is printed, logged or written as JSON. */
class Hidden {
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

/** The installation's key. */
export class InstallationKeys extends Hidden {
  /** Names the key without giving anything of it away. */
  readonly id: string;
  readonly #key: Uint8Array;

  /** `key` is 32 bytes. */
  constructor(key: Uint8Array) {
    super();
    if (key.byteLength !== KEY_BYTES) throw new RangeError(`a key has ${KEY_BYTES} bytes`);
    this.#key = key;
    this.id = Buffer.from(this.#derived("id", 8)).toString("hex");
  }

  /** The key for one purpose. */
  forPurpose(purpose: MacPurpose): MacKey {
    return new MacKey({ id: this.id, bytes: this.#derived(`mac ${purpose}`, KEY_BYTES) });
  }

  /** The key as its file holds it. For writing that file only. */
  fileBytes(): Uint8Array {
    return new TextEncoder().encode(`${textOfKey(this.#key)}\n`);
  }

  #derived(purpose: string, length: number): Uint8Array {
    return new Uint8Array(hkdfSync("sha256", this.#key, "", `tower ${purpose}`, length));
  }
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

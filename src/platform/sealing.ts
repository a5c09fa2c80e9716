/** Sealing texts with AES-256-GCM (NIST SP 800-38D): what is sealed can neither be read nor changed, moved or passed off as another. */
import { createCipheriv, createDecipheriv } from "node:crypto";
import { Hidden } from "./hidden.ts";

const CIPHER = "aes-256-gcm";
/** Random 96 bits: with them one key may seal 2^32 texts, far more than are ever stored. */
export const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** Seals and opens texts. */
export class SealingKey extends Hidden {
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

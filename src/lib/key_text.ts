/** An installation's key as text: in a setting, and in a file of the data folder. */

/** Bytes of an installation's key. */
export const KEY_BYTES = 32;

/** The key that a text holds, 32 bytes in base64; undefined for any other text. */
export function keyOfText(text: string): Uint8Array | undefined {
  const trimmed = text.trim();
  const key = /^[A-Za-z0-9+/]+={0,2}$/.test(trimmed) ? Buffer.from(trimmed, "base64") : undefined;
  return key?.byteLength === KEY_BYTES ? key : undefined;
}

/** The text that holds a key. */
export function textOfKey(key: Uint8Array): string {
  return Buffer.from(key).toString("base64");
}

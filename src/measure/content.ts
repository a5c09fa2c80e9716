/** What the bytes of a file say about it before anything reads it as text. */

const NUL_WINDOW = 8_000;
const POINTER = new TextEncoder().encode("version https://git-lfs");

/** Whether the file is binary, by the rule git itself uses: a NUL near the start. UTF-16 files fall here. */
export function isBinary(bytes: Uint8Array): boolean {
  return bytes.subarray(0, NUL_WINDOW).includes(0);
}

/** Whether the file only points to content kept outside the repository (Git LFS). */
export function isLargeFilePointer(bytes: Uint8Array): boolean {
  return bytes.length < 1_024 && POINTER.every((byte, index) => bytes[index] === byte);
}

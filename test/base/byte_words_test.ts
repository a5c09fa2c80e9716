import { expect, test } from "bun:test";
import { byteWords } from "../../src/base/text.ts";

for (const [bytes, words] of [
  [0, "0 bytes"],
  [1_023, "1023 bytes"],
  [1_024, "1 KiB"],
  [1_536, "1.5 KiB"],
  [64 * 1024 * 1024, "64 MiB"],
  [235.4 * 1024 ** 3, "235 GiB"],
  [5_000 * 1024 ** 4, "5000 TiB"],
] as const) {
  test(`${bytes} bytes read "${words}"`, () => expect(byteWords(bytes)).toBe(words));
}

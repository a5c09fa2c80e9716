/** The list of common passwords: about 49,000 in lower case, from @zxcvbn-ts/language-common (MIT). */
import { onceLoaded } from "../platform/once_loaded.ts";

const list = onceLoaded(load);

/** Looks texts up in the list. It is unpacked at the first call only: most starts set no password. */
export async function commonPasswords(): Promise<(text: string) => boolean> {
  const known = await list();
  return (text) => known.has(text);
}

async function load(): Promise<ReadonlySet<string>> {
  const { dictionary } = await import("@zxcvbn-ts/language-common");
  return new Set(dictionary["passwords-common"]);
}

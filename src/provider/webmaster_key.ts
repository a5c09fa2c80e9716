/** Reading the key of a webmaster-tools user: the text itself, or a JSON file that holds it. */
import * as v from "valibot";
import { HiddenWebmasterKey, type SecretFault, type SecretRead, type WebmasterKey } from "./secret.ts";

/** Keys have 32 hexadecimal digits. What may stand in an address as it is passes, so that another length some day is no obstacle. */
const KEY = /^[A-Za-z0-9._~-]{8,256}$/;

const File = v.union([
  v.object({ api_key: v.string() }),
  v.object({ apiKey: v.string() }),
  v.object({ apikey: v.string() }),
  v.object({ key: v.string() }),
]);

const NO_KEY: SecretFault = {
  field: "key",
  rule: "key",
  message: "This is no key: it must be the API key as webmaster tools show it, letters and digits alone.",
};

export function parseWebmasterKey(text: string): SecretRead<WebmasterKey> {
  const key = keyIn(text.trim());
  return KEY.test(key) ? { ok: true, value: new HiddenWebmasterKey(key) } : { ok: false, errors: [NO_KEY] };
}

function keyIn(text: string): string {
  if (!text.startsWith("{")) return text;
  try {
    const file = v.safeParse(File, JSON.parse(text));
    return file.success ? (Object.values(file.output)[0] ?? "").trim() : "";
  } catch {
    return "";
  }
}

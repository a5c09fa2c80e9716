import { resolve } from "node:path";
import { type InstallationKeys, readKeyFile } from "../platform/keys.ts";

/** The key in the file that `--key-file` names, if it does; or what is wrong with it. */
export function givenKey(
  keyFile: string | undefined,
  cwd: string,
):
  | { readonly ok: true; readonly keys: InstallationKeys | undefined }
  | { readonly ok: false; readonly fault: string } {
  if (keyFile === undefined) return { ok: true, keys: undefined };
  const keys = readKeyFile(resolve(cwd, keyFile));
  return keys === undefined
    ? { ok: false, fault: `${resolve(cwd, keyFile)} holds no key: it must be a file with 32 bytes in base64` }
    : { ok: true, keys };
}

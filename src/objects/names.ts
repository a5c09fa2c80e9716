/** How objects and files are named in a store: by us alone, never by what a provider said. */

const SHA256 = /^[0-9a-f]{64}$/;
const FILE = /^manifest(?:\/[A-Za-z0-9_-][A-Za-z0-9._-]*)+$/;
const FOLDER = /^manifest(?:\/[A-Za-z0-9_-][A-Za-z0-9._-]*)*\/$/;
const OBJECT = /^objects\/([0-9a-f]{2})\/([0-9a-f]{64})\.gz$/;

/** Whether a text can name an object. */
export const isObjectName = (text: string): boolean => SHA256.test(text);

/** `objects/ab/<name>.gz`. Throws `RangeError` on what is no name. */
export function pathOfObject(sha256: string): string {
  if (!isObjectName(sha256)) throw new RangeError("an object is named by 64 hexadecimal digits");
  return `objects/${sha256.slice(0, 2)}/${sha256}.gz`;
}

/** The object that lies at a path; undefined where none of ours does. */
export function objectAt(path: string): string | undefined {
  const [, folder, name] = OBJECT.exec(path) ?? [];
  return name?.startsWith(folder ?? "-") === true ? name : undefined;
}

/** The path of a file beside the objects. Throws `RangeError` on a name that is none of ours. */
export function pathOfFile(name: string): string {
  if (!FILE.test(name)) throw new RangeError("a file of the archive lies under manifest/");
  return name;
}

/** A folder of files, with the slash at its end. Throws `RangeError`. */
export function pathOfFolder(folder: string): string {
  if (!FOLDER.test(folder)) throw new RangeError("a folder of the archive's files is manifest/ or below it");
  return folder;
}

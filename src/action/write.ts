/** Writing a parcel into a checkout. Nothing is written where anything would be lost, and no link is followed. */
import { lstatSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { replaceFile, systemFiles } from "../platform/files.ts";
import type { Parcel } from "./parcel.ts";

/** What writing would do, by paths in the checkout. */
export interface Plan {
  readonly written: readonly string[];
  readonly same: readonly string[];
  /** Files that are there and say something else. */
  readonly differ: readonly string[];
  /** Files in the image's folder that are not part of it any more. */
  readonly left: readonly string[];
  /** A link, or a folder where a file belongs: the way is not a plain one. */
  readonly barred: readonly string[];
}

/** Looks at the checkout. */
export function planParcel(checkout: string, parcel: Parcel): Plan {
  const plan: Record<keyof Plan, string[]> = { written: [], same: [], differ: [], left: [], barred: [] };
  for (const [path, bytes] of parcel.files) {
    const at = stateOf(checkout, path);
    if (at === "barred") plan.barred.push(path);
    else if (at === "absent") plan.written.push(path);
    else if (Buffer.compare(readFileSync(join(checkout, path)), bytes) === 0) plan.same.push(path);
    else plan.differ.push(path);
  }
  if (plan.barred.length === 0) plan.left.push(...filesBelow(checkout, parcel.image, parcel.files));
  return plan;
}

/** Writes what the plan names, and what differs; what is left over is removed. */
export async function writeParcel(checkout: string, parcel: Parcel, plan: Plan): Promise<void> {
  for (const path of [...plan.written, ...plan.differ]) {
    const file = join(checkout, path);
    mkdirSync(dirname(file), { recursive: true });
    await replaceFile(systemFiles, file, parcel.files.get(path) ?? new Uint8Array(0), 0o644);
  }
  for (const path of plan.left) await systemFiles.remove(join(checkout, path));
}

/** Every folder on the way must be a folder of the checkout itself: a link could lead anywhere. */
function stateOf(checkout: string, path: string): "absent" | "file" | "barred" {
  const parts = path.split("/");
  for (let length = 1; length <= parts.length; length++) {
    const found = lstatSync(join(checkout, ...parts.slice(0, length)), { throwIfNoEntry: false });
    if (found === undefined) return "absent";
    if (length === parts.length) return found.isFile() ? "file" : "barred";
    if (!found.isDirectory()) return "barred";
  }
  return "absent";
}

function filesBelow(checkout: string, folder: string, known: ReadonlyMap<string, unknown>): string[] {
  if (lstatSync(join(checkout, folder), { throwIfNoEntry: false })?.isDirectory() !== true) return [];
  return readdirSync(join(checkout, folder), { withFileTypes: true, recursive: true })
    .filter((entry) => !entry.isDirectory())
    .map((entry) => `${entry.parentPath.slice(checkout.length + 1)}/${entry.name}`)
    .filter((path) => !known.has(path))
    .sort();
}

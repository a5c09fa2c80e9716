import { closeSync, fstatSync, fsyncSync, openSync } from "node:fs";
import { digestFile } from "./file_digest.ts";
import type { Seal } from "./seal.ts";
import { sealAtEnd } from "./seal_at_end.ts";
import { writeAll } from "./write_all.ts";

/** A backup file as it was found. */
export type Unsealed =
  | { readonly ok: true; readonly seal: Seal }
  | { readonly ok: false; readonly reason: string };

/**
 * Copies the database out of a backup into the new file `target`, and judges what it copied by the seal. Waits until the disk has
 * it. Throws the system's error when a file cannot be read or written.
 */
export function unseal(path: string, target: string): Unsealed {
  const file = openSync(path, "r");
  try {
    const stat = fstatSync(file);
    if (!stat.isFile()) return { ok: false, reason: `${path} is not a file` };
    const seal = sealAtEnd(file, stat.size);
    if (seal === undefined) {
      return {
        ok: false,
        reason: `${path} does not end with a whole seal: it is damaged, cut short, or not made by tower backup`,
      };
    }
    const copy = openSync(target, "wx", 0o600);
    try {
      const digest = digestFile(file, seal, (piece, at) => writeAll(copy, piece, at));
      if (digest !== seal.sha256) {
        return { ok: false, reason: `${path} is damaged: its bytes are not those that were sealed` };
      }
      fsyncSync(copy);
      return { ok: true, seal };
    } finally {
      closeSync(copy);
    }
  } finally {
    closeSync(file);
  }
}

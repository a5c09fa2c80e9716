import { closeSync, openSync, readdirSync, readSync, statSync } from "node:fs";
import { join } from "node:path";
import { parseInstant } from "../lib/instant.ts";
import { messageOf } from "../lib/thrown.ts";
import type { Seal } from "./seal.ts";
import { sealAtEnd } from "./seal_at_end.ts";

/** The newest backup of a folder. */
export interface NewestBackup {
  /** Undefined where no file is one. */
  readonly path: string | undefined;
  /** Files that were written after it and may have been backups: each in a sentence. */
  readonly broken: readonly string[];
}

/** A file that is a backup, or may have been one. */
interface Found {
  readonly path: string;
  readonly modifiedAt: number;
  /** When it was made, by its seal; or what is wrong with it. */
  readonly is: { readonly madeAt: number } | { readonly fault: string };
}

/** What every SQLite file begins with. */
const SQLITE = "SQLite format 3\0";

/**
 * Finds the newest backup among the files of a folder, by what their seals say. What was cut short, or is still being copied there,
 * must not be passed over for an older one in silence, so that it is told. Throws where the folder cannot be read.
 */
export function newestBackup(folder: string): NewestBackup {
  const found = readdirSync(folder)
    .filter((name) => !name.startsWith("."))
    .flatMap((name) => lookAt(join(folder, name)));
  const [newest] = found
    .flatMap(({ is, ...file }) => ("madeAt" in is ? [{ ...file, ...is }] : []))
    .sort((one, other) => other.madeAt - one.madeAt || (one.path < other.path ? 1 : -1));
  const broken = found.flatMap(({ path, modifiedAt, is }) =>
    "fault" in is && modifiedAt >= (newest?.modifiedAt ?? 0) ? [`${path} ${is.fault}`] : [],
  );
  return { path: newest?.path, broken };
}

/** Nothing where it is no backup, and cannot have been one. */
function lookAt(path: string): Found[] {
  const facts = statSync(path, { throwIfNoEntry: false });
  if (facts?.isFile() !== true) return [];
  const found = (is: Found["is"]): Found[] => [{ path, modifiedAt: facts.mtimeMs, is }];
  try {
    const file = openSync(path, "r");
    try {
      const seal = sealAtEnd(file, facts.size);
      if (seal !== undefined) return found({ madeAt: madeAt(seal) });
      return beginsAsDatabase(file)
        ? found({ fault: "ends with no whole seal: it is damaged, cut short, or no backup" })
        : [];
    } finally {
      closeSync(file);
    }
  } catch (error) {
    return found({ fault: `cannot be read: ${messageOf(error)}` });
  }
}

const madeAt = ({ made_at }: Seal) => parseInstant(made_at) ?? 0;

function beginsAsDatabase(file: number): boolean {
  const bytes = new Uint8Array(SQLITE.length);
  readSync(file, bytes, 0, bytes.length, 0);
  return new TextDecoder().decode(bytes) === SQLITE;
}

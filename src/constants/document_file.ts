/** The constants document as a file: written whole or not at all. */
import { StorageUnavailable } from "../db/mod.ts";
import { type Files, publishFile, replaceFile, stageFile, unstageFile } from "../platform/files.ts";
import { findDocument } from "./read_document.ts";

/** Where the file is, and what it is reached by. */
export interface DocumentPlace {
  /** `$DATA_DIR/constants.toml`. */
  readonly path: string;
  readonly files: Files;
}

const MODE = 0o600;

/** Puts a text in the place of the file. Rejects with `StorageUnavailable`. */
export function putDocument({ files, path }: DocumentPlace, text: string): Promise<void> {
  return orUnavailable(replaceFile(files, path, new TextEncoder().encode(text), MODE));
}

/** Lets a text wait beside the file. Rejects with `StorageUnavailable`. */
export function stageDocument({ files, path }: DocumentPlace, text: string): Promise<void> {
  return orUnavailable(stageFile(files, path, new TextEncoder().encode(text), MODE));
}

/** Puts the text that waits in the place of the file. */
export function publishDocument({ files, path }: DocumentPlace): Promise<void> {
  return publishFile(files, path);
}

/** Takes the text that waits away, if there is one. */
export function unstageDocument({ files, path }: DocumentPlace): Promise<void> {
  return unstageFile(files, path);
}

/** Whether there is no such file. */
export async function isMissing({ files, path }: DocumentPlace): Promise<boolean> {
  const finding = await findDocument(files, path, () => true);
  return finding !== undefined && "refusal" in finding && finding.refusal.reason === "missing";
}

async function orUnavailable(step: Promise<void>): Promise<void> {
  try {
    await step;
  } catch (cause) {
    throw new StorageUnavailable("the constants document could not be written", { cause });
  }
}

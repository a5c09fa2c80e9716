/** Reading the file that a command is given, by whoever calls it: a path, or `-` for standard input. */
import { open } from "node:fs/promises";
import { byteWords } from "../lib/byte_words.ts";
import { shown } from "../lib/command_line.ts";
import { codeOf } from "../lib/thrown.ts";

/** Several times the longest file that a provider makes. */
const MOST_BYTES = 65_536;

export type GivenFile =
  | { readonly ok: true; readonly text: string }
  | { readonly ok: false; readonly fault: string };

/** Reads it whole, up to a bound; no message repeats anything of it. */
export async function readGivenFile(path: string): Promise<GivenFile> {
  return path === "-" ? readStandardInput() : readPath(path);
}

const FAULTS: Readonly<Record<string, string>> = {
  ENOENT: "there is no such file",
  ENOTDIR: "there is no such file",
  EACCES: "it may not be read",
  EPERM: "it may not be read",
};

async function readPath(path: string): Promise<GivenFile> {
  try {
    const file = await open(path, "r");
    try {
      const stat = await file.stat();
      if (stat.isDirectory())
        return bad(`${shown(path)} is a folder: --file takes a file, or - for standard input`);
      const buffer = Buffer.alloc(MOST_BYTES + 1);
      let length = 0;
      while (length < buffer.length) {
        const { bytesRead } = await file.read(buffer, length, buffer.length - length);
        if (bytesRead === 0) break;
        length += bytesRead;
      }
      if (length > MOST_BYTES) return tooLarge(shown(path));
      return { ok: true, text: buffer.toString("utf8", 0, length) };
    } finally {
      await file.close();
    }
  } catch (error) {
    const code = codeOf(error) ?? "";
    return bad(`${shown(path)} cannot be read: ${FAULTS[code] ?? code}`);
  }
}

async function readStandardInput(): Promise<GivenFile> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of Bun.stdin.stream()) {
    length += chunk.byteLength;
    if (length > MOST_BYTES) return tooLarge("standard input");
    chunks.push(chunk);
  }
  return { ok: true, text: Buffer.concat(chunks).toString("utf8") };
}

function tooLarge(what: string): GivenFile {
  return bad(`${what} holds more than ${byteWords(MOST_BYTES)}: the file of an account is much smaller`);
}

function bad(fault: string): GivenFile {
  return { ok: false, fault };
}

/** What a command is given by its caller beside its words: a new password, a file. */

import { open } from "node:fs/promises";
import { shown } from "../base/command_line.ts";
import { byteWords, codeOf } from "../base/text.ts";

export type AskedPassword =
  | { readonly ok: true; readonly password: string }
  | { readonly ok: false; readonly fault: string };

/** Reads a new password. On a terminal it is asked twice; elsewhere a second line, if there, must match. */
export async function readNewPassword(): Promise<AskedPassword> {
  return process.stdin.isTTY ? askTwice() : readLines();
}

async function readLines(): Promise<AskedPassword> {
  const [first = "", second] = (await Bun.stdin.text()).split(/\r?\n/);
  if (first === "") return { ok: false, fault: "standard input holds no password on its first line" };
  return matching(first, second === undefined || second === "" ? first : second);
}

async function askTwice(): Promise<AskedPassword> {
  const first = await askHidden("New password: ");
  return matching(first, await askHidden("The same again: "));
}

function matching(first: string, second: string): AskedPassword {
  return first === second
    ? { ok: true, password: first }
    : { ok: false, fault: "the two passwords are not the same" };
}

/** Reads one line from the terminal in raw mode, so that nothing of it is echoed. */
function askHidden(prompt: string): Promise<string> {
  const { stdin, stderr } = process;
  stderr.write(prompt);
  stdin.setRawMode(true);
  stdin.resume();
  stdin.setEncoding("utf8");
  return new Promise((resolve) => {
    let typed = "";
    const onData = (chunk: string) => {
      for (const char of chunk) {
        if (char === "\r" || char === "\n") {
          stdin.off("data", onData);
          stdin.setRawMode(false);
          stdin.pause();
          stderr.write("\n");
          resolve(typed);
          return;
        }
        if (char === "\u0003") process.exit(130);
        else if (char === "\u007f" || char === "\b") typed = [...typed].slice(0, -1).join("");
        else typed += char;
      }
    };
    stdin.on("data", onData);
  });
}

/** Several times the longest file that a provider makes. */
const MOST_BYTES = 65_536;

export type GivenFile =
  | { readonly ok: true; readonly text: string }
  | { readonly ok: false; readonly fault: string };

/** Reads it whole, up to a bound; as base64 where one is given. No message repeats anything of it. */
export async function readGivenFile(path: string, bytes?: number): Promise<GivenFile> {
  const most = bytes ?? MOST_BYTES;
  const read = path === "-" ? await readStandardInput(most) : await readPath(path, most);
  if (typeof read === "string") return { ok: false, fault: read };
  return { ok: true, text: read.toString(bytes === undefined ? "utf8" : "base64") };
}

const FAULTS: Readonly<Record<string, string>> = {
  ENOENT: "there is no such file",
  ENOTDIR: "there is no such file",
  EACCES: "it may not be read",
  EPERM: "it may not be read",
};

async function readPath(path: string, most: number): Promise<Buffer | string> {
  try {
    const file = await open(path, "r");
    try {
      const stat = await file.stat();
      if (stat.isDirectory()) return `${shown(path)} is a folder: name a file, or - for standard input`;
      const buffer = Buffer.alloc(most + 1);
      let length = 0;
      while (length < buffer.length) {
        const { bytesRead } = await file.read(buffer, length, buffer.length - length);
        if (bytesRead === 0) break;
        length += bytesRead;
      }
      return length > most ? tooLarge(shown(path), most) : buffer.subarray(0, length);
    } finally {
      await file.close();
    }
  } catch (error) {
    const code = codeOf(error) ?? "";
    return `${shown(path)} cannot be read: ${FAULTS[code] ?? code}`;
  }
}

async function readStandardInput(most: number): Promise<Buffer | string> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of Bun.stdin.stream()) {
    length += chunk.byteLength;
    if (length > most) return tooLarge("standard input", most);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

const tooLarge = (what: string, most: number): string => `${what} holds more than ${byteWords(most)}`;

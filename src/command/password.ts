/** Asking for a new password: on the terminal without showing it, else from the first line of standard input. */

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

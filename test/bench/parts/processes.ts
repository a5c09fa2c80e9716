/** Options of a bench, and processes that stand on a core of their own. */

/** The numbers an option names, as in `--sites=10,100`. */
export function numbersOf(option: string, otherwise: readonly number[]): readonly number[] {
  const given = Bun.argv.find((word) => word.startsWith(`--${option}=`));
  return (
    given
      ?.slice(option.length + 3)
      .split(",")
      .map(Number) ?? otherwise
  );
}

export const numberOf = (option: string, otherwise: number): number =>
  numbersOf(option, [otherwise])[0] ?? otherwise;

/** The words that pin a command to a core; none where that cannot be done. */
export function onCore(core: number): string[] {
  return Bun.which("taskset") !== null && navigator.hardwareConcurrency > 1
    ? ["taskset", "-c", String(core)]
    : [];
}

/** Starts a process and waits until what it printed `isAll`. */
export async function started(
  command: readonly string[],
  isAll: (text: string) => boolean,
  stdin: Blob | "ignore" = "ignore",
) {
  const child = Bun.spawn([...command], { stdin, stdout: "pipe", stderr: "inherit" });
  let text = "";
  const decoder = new TextDecoder();
  for await (const chunk of child.stdout) {
    text += decoder.decode(chunk);
    if (isAll(text)) break;
  }
  return {
    text,
    pid: child.pid,
    end: () => {
      child.kill("SIGKILL");
      return child.exited;
    },
  };
}

/** Runs a client on the other core than the server with what it is asked, and reads what it saw. */
export async function runClient<T>(script: string, order: unknown): Promise<T> {
  const child = Bun.spawn([...onCore(1), process.execPath, script], {
    stdin: new Blob([JSON.stringify(order)]),
    stdout: "pipe",
    stderr: "inherit",
  });
  return JSON.parse(await new Response(child.stdout).text()) as T;
}

/** What a client's file does when it is run. */
export async function asClient<T>(drive: (order: T) => Promise<unknown>): Promise<void> {
  const order = (await Bun.stdin.json()) as T;
  process.stdout.write(`${JSON.stringify(await drive(order))}\n`);
  process.exit(0);
}

/** Milliseconds. */
export interface Times {
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
  readonly answers: number;
}

export function timesOf(unsorted: readonly number[]): Times {
  const times = unsorted.toSorted((a, b) => a - b);
  const at = (share: number) => times[Math.min(times.length - 1, Math.floor(times.length * share))] ?? 0;
  return { p50: at(0.5), p99: at(0.99), max: times.at(-1) ?? 0, answers: times.length };
}

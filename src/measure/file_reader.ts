/**
 * Reading single files of a repository in a process of its own, which is ended and replaced when a file takes too long, takes too
 * much memory or breaks it: such a file costs only itself. A process and not a thread, because neither a loop inside a parser
 * nor its memory can be taken from a thread.
 */
import { join } from "node:path";
import process from "node:process";
import { type Limits, limited } from "./limits.ts";
import type { Answer, Job } from "./reading.ts";

/** What came of a file; `why` follows its path. */
export type Outcome<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly why: string };

/**
 * The kernel counts what a process may write to, and a runtime sets aside far more than it uses: within this limit a parser
 * gets about 700 MB. A dense file of 1 MiB, the largest that is read, takes 250.
 */
const LIMITS: Limits = { memoryMb: 3072, cpuSeconds: 900, fileMb: 0 };

/** Compiled code has to fit into the limit as well; the usual reservation would leave no compiler, and parsing 20 times slower. */
const ENVIRONMENT = { BUN_JSC_jitMemoryReservationSize: String(128 * 1024 * 1024) };
const LIMIT_MS = 10_000;

type Child = Bun.Subprocess<"ignore", "ignore", "ignore">;

export interface FileReaderOptions {
  /** An empty folder in which the process runs. */
  readonly cwd: string;
  readonly signal?: AbortSignal;
  /** Longest time for one file. */
  readonly limitMs?: number;
}

/** One process at a time, started with the first file. Files are read one after the other. */
export class FileReader {
  readonly #options: FileReaderOptions;
  #child: Child | undefined;
  #answered = 0;
  #settle: (answer: Answer | undefined) => void = () => undefined;

  constructor(options: FileReaderOptions) {
    this.#options = options;
  }

  /** Reads one file. A process that had read others before gets a second chance: they may have used up its limits. */
  async read(job: Job): Promise<Outcome<Answer>> {
    const used = this.#answered > 0;
    const first = await this.#try(job);
    return first === "ended" && used ? outcome(await this.#try(job)) : outcome(first);
  }

  async close(): Promise<void> {
    const child = this.#child;
    this.#child = undefined;
    this.#answered = 0;
    child?.kill("SIGKILL");
    await child?.exited;
  }

  async #try(job: Job): Promise<Answer | "ended" | "late"> {
    this.#options.signal?.throwIfAborted();
    const child = this.#child ?? this.#start();
    let late = false;
    const answer = await new Promise<Answer | undefined>((settle) => {
      const timer = setTimeout(() => {
        late = true;
        child.kill("SIGKILL");
      }, this.#options.limitMs ?? LIMIT_MS);
      this.#settle = (found) => {
        clearTimeout(timer);
        settle(found);
      };
      child.send(job);
    });
    this.#options.signal?.throwIfAborted();
    if (answer !== undefined && answer.kind !== "failed") {
      this.#answered++;
      return answer;
    }
    // What broke once may stay broken: the next file gets a new process.
    await this.close();
    return late ? "late" : "ended";
  }

  #start(): Child {
    const program = [process.execPath, "--no-env-file", join(import.meta.dir, "file_reader_process.ts")];
    const child: Child = Bun.spawn(limited(program, LIMITS), {
      cwd: this.#options.cwd,
      env: ENVIRONMENT,
      stdin: "ignore",
      stdout: "ignore",
      stderr: "ignore",
      killSignal: "SIGKILL",
      ipc: (message) => {
        if (this.#child === child) this.#settle(message as Answer);
      },
      onExit: () => {
        if (this.#child === child) this.#settle(undefined);
      },
      ...(this.#options.signal === undefined ? {} : { signal: this.#options.signal }),
    });
    this.#child = child;
    return child;
  }
}

function outcome(result: Answer | "ended" | "late"): Outcome<Answer> {
  if (result === "late") return { ok: false, why: "took too long to read" };
  if (result === "ended") return { ok: false, why: "took too much memory, or could not be read" };
  return { ok: true, value: result };
}

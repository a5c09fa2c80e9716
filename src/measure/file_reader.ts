/**
 * Reading single files of a repository in a process of its own, which is ended and replaced when a file takes too long, takes too
 * much memory or breaks it: such a file costs only itself. A process and not a thread, because neither a loop inside a parser
 * nor its memory can be taken from a thread.
 */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { type Limits, limited } from "./child.ts";
import type { Answer, Job } from "./reading.ts";

/**
 * The kernel counts what a process may write to, and a runtime sets aside far more than it uses: with less than this it has no room for
 * the address space in which a compiled parser needs no check of each access, and parses a third slower. What the process really
 * takes is looked at from here.
 */
const LIMITS: Limits = { memoryMb: 7680, cpuSeconds: 900, fileMb: 0 };

/** What it may really take: a dense file of 1 MiB, the largest that is read, takes 330 MB. */
const MOST_KB = 1_200_000;
const LOOK_MS = 100;

const ENVIRONMENT = {
  // Compiled code has to fit into the limit as well; the usual reservation would leave no compiler, and parsing 20 times slower.
  BUN_JSC_jitMemoryReservationSize: String(128 * 1024 * 1024),
  // It may write no file, and takes no code from a shared cache.
  BUN_RUNTIME_TRANSPILER_CACHE_PATH: "0",
};
/** The last resort: what a file may take is counted in the parser's steps, so that a busy machine loses none. */
const LIMIT_MS = 30_000;

type Child = Bun.Subprocess<"ignore", "ignore", "ignore">;

interface FileReaderOptions {
  /** An empty folder in which the process runs. */
  readonly cwd: string;
  readonly signal: AbortSignal;
  /** Longest time for one file. */
  readonly limitMs?: number | undefined;
  /** Most that a process may take. */
  readonly mostKb?: number;
}

/** Jobs sent at once: a process that waits for each would spend its time waiting. */
const BATCH = 100;

/** What a process did of a batch: the answers, and how it ended when it did not finish. */
interface Batch {
  readonly answers: readonly Answer[];
  readonly end: "ended" | "late" | undefined;
}

/** One process at a time, started with the first file. Files are read one after the other. */
export class FileReader {
  readonly #options: FileReaderOptions;
  #child: Child | undefined;
  #hear: (answer: Answer | undefined) => void = () => undefined;

  constructor(options: FileReaderOptions) {
    this.#options = options;
  }

  /** Reads files in their order and gives one answer for each; `undefined` when a file took too long, too much or broke the process. */
  async *readAll(jobs: readonly Job[]): AsyncGenerator<Answer | undefined> {
    for (let at = 0; at < jobs.length; ) {
      const fresh = this.#child === undefined;
      let { answers, end } = await this.#run(jobs.slice(at, at + BATCH));
      yield* answers;
      at += answers.length;
      const job = jobs[at];
      if (end === undefined || job === undefined) continue;
      // Those before it may have used up the process's memory, so it gets a process of its own.
      if (end === "ended" && !(fresh && answers.length === 0)) ({ answers, end } = await this.#run([job]));
      yield end === undefined ? answers[0] : undefined;
      at++;
    }
  }

  async close(): Promise<void> {
    const child = this.#child;
    this.#child = undefined;
    child?.kill("SIGKILL");
    await child?.exited;
  }

  async #run(jobs: readonly Job[]): Promise<Batch> {
    this.#options.signal.throwIfAborted();
    const child = this.#child ?? this.#start();
    const answers: Answer[] = [];
    let end: Batch["end"];
    await new Promise<void>((done) => {
      const timer = setTimeout(() => {
        end = "late";
        child.kill("SIGKILL");
      }, this.#options.limitMs ?? LIMIT_MS);
      const look = setInterval(() => {
        if (takenBy(child.pid) <= (this.#options.mostKb ?? MOST_KB)) return;
        end ??= "ended";
        child.kill("SIGKILL");
      }, LOOK_MS);
      this.#hear = (answer) => {
        if (answer === undefined || answer.kind === "failed") end ??= "ended";
        else answers.push(answer);
        if (end === undefined && answers.length < jobs.length) timer.refresh();
        else {
          clearTimeout(timer);
          clearInterval(look);
          done();
        }
      };
      // As text: taking objects apart and putting them together again costs a channel ten times as much.
      child.send(JSON.stringify(jobs));
    });
    this.#hear = () => undefined;
    // What broke once may stay broken: the next file gets a new process.
    if (end !== undefined) await this.close();
    this.#options.signal.throwIfAborted();
    return { answers, end };
  }

  #start(): Child {
    const program = [process.execPath, "--no-env-file", join(import.meta.dir, "file_reader_process.ts")];
    const child: Child = Bun.spawn(limited(program, LIMITS), {
      cwd: this.#options.cwd,
      env: ENVIRONMENT,
      stdout: "ignore",
      stderr: "ignore",
      killSignal: "SIGKILL",
      ipc: (message: string) => {
        if (this.#child === child) this.#hear(JSON.parse(message) as Answer);
      },
      onExit: () => {
        // `exited` is told first: by now the next one may be at work.
        if (this.#child !== child) return;
        this.#child = undefined;
        this.#hear(undefined);
      },
      signal: this.#options.signal,
    });
    this.#child = child;
    return child;
  }
}

/** Memory of a process, where the kernel tells. */
function takenBy(pid: number): number {
  try {
    return Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0);
  } catch {
    return 0;
  }
}

// Two file readers at work on one list: what parses files is most of the time of a large run.

/** Files given to one reader at a time, and the shortest list for which a second one is worth its start. */
const PIECE = 500;

/** Reads lists of files, one list at a time. */
export class FileReaders {
  readonly #readers: readonly [FileReader, FileReader];

  constructor(options: FileReaderOptions) {
    this.#readers = [new FileReader(options), new FileReader(options)];
  }

  /** Reads files and gives one answer for each, in their order, as `FileReader` does. */
  async *readAll(jobs: readonly Job[]): AsyncGenerator<Answer | undefined> {
    const [first, second] = this.#readers;
    if (jobs.length <= PIECE) {
      yield* first.readAll(jobs);
      return;
    }
    const pieces = [this.#start(first, jobs, 0), this.#start(second, jobs, 1)];
    try {
      for (let index = 0; index * PIECE < jobs.length; index++) {
        const reader = index % 2 === 0 ? first : second;
        const answers = await pieces[index % 2];
        pieces[index % 2] = this.#start(reader, jobs, index + 2);
        yield* answers ?? [];
      }
    } finally {
      // Whoever leaves early must not leave a failure behind that nobody hears of.
      await Promise.allSettled(pieces);
    }
  }

  /** Reads one piece of the list; none behind its end. */
  #start(reader: FileReader, jobs: readonly Job[], index: number): Promise<(Answer | undefined)[]> {
    return Array.fromAsync(reader.readAll(jobs.slice(index * PIECE, (index + 1) * PIECE)));
  }

  async close(): Promise<void> {
    await Promise.all(this.#readers.map((reader) => reader.close()));
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}

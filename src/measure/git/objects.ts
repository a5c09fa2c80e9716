/** Asking one `git cat-file --batch-command` for kinds, sizes and contents of objects. */

import { limited } from "../limits.ts";
import { GIT_LIMITS, GIT_TIMEOUT_MS, GitLimitError, gitCommand, type Repository } from "./git.ts";

export interface ObjectInfo {
  readonly oid: string;
  readonly type: string;
  readonly size: number;
}

/** Objects asked at once, so that neither side holds much. */
const BATCH = 5_000;
const MAX_HEADER = 64 * 1024;
const NEWLINE = 10;

/** A running `cat-file`; close it when done. */
export class ObjectReader {
  readonly #child: Bun.Subprocess<"pipe", "pipe", "ignore">;
  readonly #parts: AsyncIterator<Uint8Array>;
  readonly #signal: AbortSignal | undefined;
  readonly #timer: Timer;
  #buffer: Uint8Array = new Uint8Array(0);

  constructor(repository: Repository) {
    repository.signal?.throwIfAborted();
    const { command, cwd, env } = gitCommand(repository, ["cat-file", "--batch-command", "--buffer"]);
    this.#signal = repository.signal;
    this.#child = Bun.spawn(limited(command, GIT_LIMITS), {
      cwd,
      env,
      stdin: "pipe",
      stdout: "pipe",
      stderr: "ignore",
      killSignal: "SIGKILL",
      ...(repository.signal === undefined ? {} : { signal: repository.signal }),
    });
    this.#parts = this.#child.stdout[Symbol.asyncIterator]();
    this.#timer = setTimeout(() => this.#child.kill("SIGKILL"), GIT_TIMEOUT_MS);
  }

  /** Kind and size of each name, `undefined` for what is not there. A name is one line. */
  async info(names: readonly string[]): Promise<(ObjectInfo | undefined)[]> {
    const found: (ObjectInfo | undefined)[] = [];
    for (let from = 0; from < names.length; from += BATCH) {
      const part = names.slice(from, from + BATCH);
      this.#ask("info", part);
      for (const _ of part) found.push(await this.#header());
    }
    return found;
  }

  /** The content of each object, in the order asked; all of them are there. Valid until the next step. */
  async *contents(oids: readonly string[]): AsyncGenerator<Uint8Array> {
    for (let from = 0; from < oids.length; from += BATCH) {
      const part = oids.slice(from, from + BATCH);
      this.#ask("contents", part);
      for (const _ of part) {
        const size = (await this.#header())?.size;
        if (size === undefined) throw this.#ended();
        while (this.#buffer.length < size + 1) await this.#more();
        yield this.#buffer.subarray(0, size);
        this.#buffer = this.#buffer.subarray(size + 1);
      }
    }
  }

  async close(): Promise<void> {
    clearTimeout(this.#timer);
    this.#child.kill("SIGKILL");
    await this.#child.exited;
  }

  #ask(command: "info" | "contents", names: readonly string[]): void {
    this.#child.stdin.write(`${names.map((name) => `${command} ${name}`).join("\n")}\nflush\n`);
    this.#child.stdin.flush();
  }

  async #header(): Promise<ObjectInfo | undefined> {
    let end = this.#buffer.indexOf(NEWLINE);
    for (; end < 0; end = this.#buffer.indexOf(NEWLINE)) {
      if (this.#buffer.length > MAX_HEADER) throw this.#ended();
      await this.#more();
    }
    const line = new TextDecoder("latin1").decode(this.#buffer.subarray(0, end));
    this.#buffer = this.#buffer.subarray(end + 1);
    const [, oid, type, size] = /^([0-9a-f]{40}) (\w+) (\d{1,15})$/.exec(line) ?? [];
    if (oid === undefined || type === undefined) return undefined;
    return { oid, type, size: Number(size) };
  }

  async #more(): Promise<void> {
    const next = await this.#parts.next();
    this.#signal?.throwIfAborted();
    if (next.done === true) throw this.#ended();
    this.#buffer = this.#buffer.length === 0 ? next.value : Buffer.concat([this.#buffer, next.value]);
  }

  #ended(): Error {
    return new GitLimitError("reading objects", "memory or time");
  }
}

/** Asking one `git cat-file --batch-command` for kinds, sizes and contents of objects. */

import { type Dirent, lstatSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type ChildResult, type Limits, limited, runChild } from "../child.ts";
import { NotMeasurableError, partialClone } from "../figures.ts";

// Git, called so that nothing of the measured repository runs and nothing of it decides: plumbing commands over a git
// folder of our own that only borrows the repository's objects (`store.ts`). No hooks, no configuration of the
// repository, the machine or the user, no replaced objects, no network.

/** The git program and the git folder that it reads. */
export interface Repository {
  readonly git: string;
  /** The folder that `makeStore` made. */
  readonly store: string;
  readonly signal: AbortSignal;
}

const ENVIRONMENT: Readonly<Record<string, string>> = {
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_CONFIG_GLOBAL: "/dev/null",
  GIT_ATTR_NOSYSTEM: "1",
  GIT_OPTIONAL_LOCKS: "0",
  GIT_TERMINAL_PROMPT: "0",
  GIT_ALLOW_PROTOCOL: "none",
  GIT_NO_LAZY_FETCH: "1",
  GIT_NO_REPLACE_OBJECTS: "1",
  GIT_GRAFT_FILE: "/dev/null",
  GIT_LITERAL_PATHSPECS: "1",
  LC_ALL: "C",
  TZ: "UTC",
};

/** Far above what a large repository needs (a million commits take about 300 MB), far below a machine's memory. */
const GIT_LIMITS: Limits = { memoryMb: 1024, cpuSeconds: 240, fileMb: 1 };

/** The largest answer of one call; a listing of 500,000 paths is smaller. */
const MAX_BYTES = 384 * 1024 * 1024;
const GIT_TIMEOUT_MS = 120_000;
const BLOBS_TIMEOUT_MS = 600_000;

/** Thrown when git went over a limit; it ends the run unless a step can do without the answer. */
export class GitLimitError extends NotMeasurableError {
  constructor(doing: string, limit: string) {
    super(`Git went over its ${limit} limit while ${doing}.`);
    this.name = "GitLimitError";
  }
}

/** The command line and environment of a git call, for calls that stream. */
function gitCommand(repository: Pick<Repository, "git" | "store">, args: readonly string[]) {
  return {
    command: [repository.git, "--no-pager", ...args],
    cwd: "/",
    env: { ...ENVIRONMENT, GIT_DIR: repository.store },
  };
}

interface GitCall {
  /** What the call is for, behind "while": part of the message when a limit ends it. */
  readonly doing: string;
  readonly args: readonly string[];
  readonly input?: Uint8Array;
  readonly maxBytes?: number;
}

/** What git wrote, or `undefined` when it answered with an error. Throws GitLimitError. */
export async function runGit(
  repository: Repository,
  call: GitCall,
): Promise<Uint8Array<ArrayBuffer> | undefined> {
  const result = await runChild({
    ...gitCommand(repository, call.args),
    limits: GIT_LIMITS,
    timeoutMs: GIT_TIMEOUT_MS,
    maxBytes: call.maxBytes ?? MAX_BYTES,
    input: call.input,
    signal: repository.signal,
  });
  if (!result.ok && result.reason === "missing")
    throw new NotMeasurableError("Git cannot be started.", "Install git.");
  const limit = limitOf(result);
  if (limit !== undefined) throw new GitLimitError(call.doing, limit);
  return result.ok && result.code === 0 ? result.stdout : undefined;
}

const LIMIT_NAMES = {
  timeout: "time",
  "too-large": "output",
  killed: "memory or time",
  missing: "",
} as const;

/** Git that gets no more memory says so and ends with an error of its own. */
function limitOf(result: ChildResult): string | undefined {
  if (!result.ok) return LIMIT_NAMES[result.reason];
  return result.code !== 0 && /out of memory|mmap failed/i.test(result.stderr) ? "memory" : undefined;
}

interface ObjectInfo {
  readonly oid: string;
  readonly type: string;
  readonly size: number;
}

/** Objects asked at once, so that neither side holds much. */
const BATCH = 5_000;
const MAX_HEADER = 64 * 1024;
const NEWLINE = 10;

/** A running `cat-file`. */
export class ObjectReader {
  readonly #child: Bun.Subprocess<"pipe", "pipe", "ignore">;
  readonly #parts: AsyncIterator<Uint8Array>;
  readonly #signal: AbortSignal;
  readonly #timer: Timer;
  #buffer: Uint8Array = new Uint8Array(0);

  constructor(repository: Repository, timeoutMs = GIT_TIMEOUT_MS) {
    repository.signal.throwIfAborted();
    const { command, cwd, env } = gitCommand(repository, ["cat-file", "--batch-command", "--buffer"]);
    this.#signal = repository.signal;
    this.#child = Bun.spawn(limited(command, GIT_LIMITS), {
      cwd,
      env,
      stdin: "pipe",
      stderr: "ignore",
      killSignal: "SIGKILL",
      signal: repository.signal,
    });
    this.#parts = this.#child.stdout[Symbol.asyncIterator]();
    this.#timer = setTimeout(() => this.#child.kill("SIGKILL"), timeoutMs);
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

  /** The content of each object, in the order asked. Valid until the next step. Throws NotMeasurableError when one is missing. */
  async *contents(oids: readonly string[]): AsyncGenerator<Uint8Array> {
    for (let from = 0; from < oids.length; from += BATCH) {
      const part = oids.slice(from, from + BATCH);
      this.#ask("contents", part);
      for (const _ of part) {
        const size = (await this.#header())?.size;
        if (size === undefined) throw partialClone();
        while (this.#buffer.length < size + 1) await this.#more();
        yield this.#buffer.subarray(0, size);
        this.#buffer = this.#buffer.subarray(size + 1);
      }
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
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
    this.#signal.throwIfAborted();
    if (next.done === true) throw this.#ended();
    this.#buffer = this.#buffer.length === 0 ? next.value : Buffer.concat([this.#buffer, next.value]);
  }

  #ended(): Error {
    return new GitLimitError("reading objects", "memory or time");
  }
}

/**
 * Yields the content of each blob, in the order asked. The bytes are valid until the next step.
 * Throws NotMeasurableError when an object is missing or git went over a limit.
 */
export async function* readBlobs(
  repository: Repository,
  oids: readonly string[],
): AsyncGenerator<Uint8Array> {
  await using objects = new ObjectReader(repository, BLOBS_TIMEOUT_MS);
  yield* objects.contents(oids);
}

// A git folder of our own that borrows the objects of a repository through links. Git then reads no configuration, no
// attributes, no grafts, no replaced objects, no commit graph and no list of other object stores of the repository:
// none of them is there.

const CONFIGURATION = `[core]
\trepositoryformatversion = 0
\tbare = true
\tcommitGraph = false
\tmultiPackIndex = false
\tattributesFile = /dev/null
\texcludesFile = /dev/null
\thooksPath = /dev/null
\tfsmonitor = false
\tpackedGitWindowSize = 32m
\tpackedGitLimit = 512m
\tdeltaBaseCacheLimit = 64m
`;

const SHARDS = Array.from({ length: 256 }, (_, value) => value.toString(16).padStart(2, "0"));

/** Makes the folder at `store` over an `objects` folder. Throws NotMeasurableError when objects lie anywhere else. */
export function makeStore(store: string, objects: string): void {
  for (const folder of ["", "refs", "objects"]) mkdirSync(join(store, folder), { mode: 0o700 });
  writeFileSync(join(store, "HEAD"), "ref: refs/heads/none\n");
  writeFileSync(join(store, "config"), CONFIGURATION);
  if (lstatSync(objects, { throwIfNoEntry: false })?.isDirectory() !== true) throw elsewhere("objects");
  if ((lstatSync(join(objects, "info/alternates"), { throwIfNoEntry: false })?.size ?? 0) > 0) {
    throw new NotMeasurableError(
      "The repository borrows objects from another one (objects/info/alternates).",
      "Make it whole first: git repack -a -d, then remove that file.",
    );
  }
  const held = new Map(readdirSync(objects, { withFileTypes: true }).map((entry) => [entry.name, entry]));
  for (const name of ["pack", ...SHARDS]) {
    const entry = held.get(name);
    if (entry === undefined) continue;
    requireOwn(objects, entry, name);
    symlinkSync(join(objects, name), join(store, "objects", name), "junction");
  }
}

/** A link could lead to another repository's objects, and a pipe could keep git waiting. */
function requireOwn(objects: string, folder: Dirent, name: string): void {
  if (!is(folder, objects, "isDirectory")) throw elsewhere(`objects/${name}`);
  for (const entry of readdirSync(join(objects, name), { withFileTypes: true })) {
    if (!is(entry, join(objects, name), "isFile")) throw elsewhere(`objects/${name}`);
  }
}

/** Some file systems do not say the kind of an entry in the listing. */
function is(entry: Dirent, parent: string, kind: "isFile" | "isDirectory"): boolean {
  return entry[kind]() || lstatSync(join(parent, entry.name), { throwIfNoEntry: false })?.[kind]() === true;
}

function elsewhere(part: string): NotMeasurableError {
  return new NotMeasurableError(
    `The repository's ${part} holds a link or something else that is not a plain file.`,
    "Measure a full clone.",
  );
}

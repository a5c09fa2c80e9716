/**
 * Git, called so that nothing of the measured repository runs and nothing of it decides: plumbing commands over a git folder
 * of our own that only borrows the repository's objects (`store.ts`). No hooks, no configuration of the repository, the
 * machine or the user, no replaced objects, no network.
 */
import { type ChildResult, runChild } from "../child.ts";
import type { Limits } from "../limits.ts";
import { NotMeasurableError } from "../refusal.ts";

/** The git program and the git folder that it reads. */
export interface Repository {
  readonly git: string;
  /** The folder that `makeStore` made. */
  readonly store: string;
  readonly signal?: AbortSignal;
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
export const GIT_LIMITS: Limits = { memoryMb: 1024, cpuSeconds: 240, fileMb: 1 };

/** The largest answer of one call; a listing of 500,000 paths is smaller. */
const MAX_BYTES = 384 * 1024 * 1024;
export const GIT_TIMEOUT_MS = 120_000;

/** Thrown when git went over a limit; it ends the run unless a step can do without the answer. */
export class GitLimitError extends NotMeasurableError {
  constructor(doing: string, limit: string) {
    super(`Git went over its ${limit} limit while ${doing}.`);
    this.name = "GitLimitError";
  }
}

/** The command line and environment of a git call, for calls that stream. */
export function gitCommand(repository: Pick<Repository, "git" | "store">, args: readonly string[]) {
  return {
    command: [repository.git, "--no-pager", ...args],
    cwd: "/",
    env: { ...ENVIRONMENT, GIT_DIR: repository.store },
  };
}

export interface GitCall {
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
    ...(call.input === undefined ? {} : { input: call.input }),
    ...(repository.signal === undefined ? {} : { signal: repository.signal }),
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
